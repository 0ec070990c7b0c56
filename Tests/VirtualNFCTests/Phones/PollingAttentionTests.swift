import Testing

@testable import VirtualNFC

/// A phone judges the frame bit by bit, and when it comes.
@Suite struct PollingAttentionTests {
  private static let request = RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7)
  private static let frame = RadioFrame.typeA([0x6A, 0x01, 0x00, 0x00, 0x02])

  private func isAwake(_ frames: [RadioFrame]) -> Bool {
    var phone = PollingAttention(frame: Self.frame)
    for frame in frames { _ = phone.hears(frame) }
    return phone.hears(Self.request)
  }

  @Test func twoFramesEachAfterARequest() {
    let (request, frame) = (Self.request, Self.frame)
    #expect(isAwake([request, frame, request, frame]))
    #expect(!isAwake([]))
    #expect(!isAwake([request, frame]))
    // Not after a request, or after three requests in a row.
    #expect(!isAwake([request, frame, frame]))
    #expect(!isAwake([request, frame, request, request, request, frame]))
    // Other tags and other technologies do not matter.
    let read = RadioFrame.typeA([0x30, 0x00])
    let requestB = RadioFrame.typeB([0x05, 0x00, 0x00])
    #expect(isAwake([request, frame, requestB, request, read, request, frame]))
  }

  @Test func framesThatAreNotTheRightOne() {
    var cut = Self.frame
    cut.bitsInLastByte = 7
    var odd = Self.frame
    odd.parity = [true, true, true, true, true, true, true]
    let wrong = [
      cut, odd, RadioFrame([0x6A, 0x01, 0x00, 0x00, 0x02], modulation: .typeA),
      RadioFrame([0x6A, 0x01, 0x00, 0x00, 0x02, 0xE4, 0xD3], modulation: .typeA),
      .typeA([0x6A, 0x01, 0x00, 0x00, 0x03]), .typeB([0x6A, 0x01, 0x00, 0x00, 0x02]),
      .typeA(Array("Hello world".utf8)),
    ]
    for frame in wrong {
      #expect(!isAwake([Self.request, frame, Self.request, frame, Self.request, frame]))
    }
  }

  @Test func aChosenPassAnswersAtOnce() {
    var phone = PollingAttention(frame: nil)
    let first = phone.hears(Self.request)
    phone.sleep()
    let second = phone.hears(Self.request)
    #expect(first && second)
  }
}
