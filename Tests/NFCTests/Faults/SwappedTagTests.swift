import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

/// Tags that change places, that hardly differ, and that are not what they say.
@Suite struct SwappedTagTests {
  /// Another tag of the same kind lies there at some exchange: what was found before never talks to it.
  @Test(arguments: 0..<4) func aTagIsSwappedBetweenTwoCommands(_ index: Int) async throws {
    let (first, second) = (VirtualTag.ntag213(), VirtualTag.ntag213(uid: [4, 1, 2, 3, 4, 5, 6]))
    let bench = try await Bench(first)
    let tag = try await bench.tag(.iso14443).miFare
    _ = try await tag.sendMiFareCommand([0x30, 0x04])
    bench.virtual.setFaults([Fault(.tagReplaced(second), at: .exchange(index))])
    let before = second.memory
    var error: (any Error)?
    for page in UInt8(0x10)..<0x16 where error == nil {
      do {
        _ = try await tag.sendMiFareCommand([0xA2, page, 1, 2, 3, 4])
      } catch let failure {
        error = failure
      }
    }
    #expect((error as? NFCError)?.code == .tagConnectionLost)
    #expect(second.memory == before)
    #expect(bench.field.tags.map(\.identifier) == [second.identifier])
  }

  /// It is swapped in the middle of a round of polling.
  @Test(arguments: 0..<8) func aTagIsSwappedWithinAPoll(_ index: Int) async throws {
    let (first, second) = (VirtualTag.ntag213(), VirtualTag.ntag213(uid: [4, 1, 2, 3, 4, 5, 6]))
    let bench = try await Bench(first)
    var events = bench.reader.events(polling: .iso14443)
      .makeAsyncIterator()
    guard case .arrived(let found)? = try await events.next() else {
      Issue.record("no arrival")
      return
    }
    #expect(found.identifier == first.identifier)
    bench.virtual.setFaults([Fault(.tagReplaced(second), at: .exchange(index))])
    var (hasLeft, hasArrived) = (false, false)
    for _ in 0..<2 {
      switch try await events.next() {
      case .left(let tag)?: hasLeft = tag.identifier == first.identifier
      case .arrived(let tag)?: hasArrived = tag.identifier == second.identifier
      default: Issue.record("the reader was lost")
      }
    }
    #expect(hasLeft && hasArrived)
  }

  // MARK: Identifiers that hardly differ

  /// Two identifiers that differ in their last bits only: the last cascade level decides (ISO/IEC 14443-3, 6.5).
  @Test(arguments: [0x01, 0x80, 0x03, 0xFF] as [UInt8])
  func identifiersThatDifferAtTheirEnd(_ difference: UInt8) async throws {
    for length in [4, 7] {
      let uid: [UInt8] = length == 4 ? [0x5A, 1, 2, 3] : [4, 1, 2, 3, 4, 5, 6]
      var other = uid
      other[length - 1] ^= difference
      let tags =
        length == 4
        ? [VirtualTag.classic1K(uid: uid), .classic1K(uid: other)]
        : [.ntag213(uid: uid), .ntag213(uid: other)]
      let bench = try await Bench(tags[0], tags[1])
      let found = try await within(.seconds(10)) {
        var found: Set<[UInt8]> = []
        for try await tag in bench.reader.tags(polling: .iso14443) {
          found.insert(tag.identifier)
          if found.count == 2 { break }
        }
        return found
      }
      #expect(found == [uid, other])
      await bench.reader.close()
    }
  }

  /// Two tags with one identifier answer as one: they are one tag, until both have left.
  @Test func twoTagsWithOneIdentifier() async throws {
    let uid: [UInt8] = [4, 1, 2, 3, 4, 5, 6]
    let twins = [VirtualTag.ntag213(uid: uid), .ntag213(uid: uid)]
    let bench = try await Bench(twins[0], twins[1])
    var events = bench.reader.events(polling: .iso14443)
      .makeAsyncIterator()
    guard case .arrived(let tag)? = try await events.next() else {
      Issue.record("no arrival")
      return
    }
    #expect(tag.identifier == uid)
    try await tag.connect()
    #expect(try await tag.miFare.sendMiFareCommand([0x30, 0x00]).count == 16)
    for twin in twins { bench.field.remove(twin) }
    guard case .left? = try await events.next() else {
      Issue.record("no departure")
      return
    }
  }

  // MARK: Clones

  /// Versions that are longer or shorter than the standard's, or of a larger chip; Feiju's is from Proxmark3
  /// (`cmdhfmfu.c`).
  static let versions: [[UInt8]] = [
    [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x13, 0x03],
    [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03],
    [0x00, 0x53, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03],
    [0x00, 0x05, 0x34, 0x02, 0x01, 0x00, 0x11, 0x03],
    [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0E, 0x03],
    [0x00, 0x04, 0x04, 0x05, 0x02, 0x02, 0x15, 0x03],
    [0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ]

  /// Whatever an NTAG213 says that it is: nothing is trapped, nothing is written that was not asked for, and its
  /// message is read.
  @Test(arguments: versions) func falseVersions(_ version: [UInt8]) async throws {
    let message = NDEFMessage(.uri("https://example.org"))
    let tag = VirtualTag(
      FalseVersionChip(try NTAG21x(.ntag213, ndef: message.encoded()), version: version))
    let bench = try await Bench(tag)
    let before = tag.memory
    let found = try await bench.tag(.iso14443)
    _ = try? await (found.ndef as? any MiFareTag)?.product()
    if let read = try? await found.ndef?.readNDEF() { #expect(read == message) }
    if let ultralight = try? found.ultralight { _ = try? await ultralight.dump() }
    #expect(tag.memory == before)
  }

  /// Clones of the PN532 answer some commands without the byte that says how it went
  /// (go-pn532, device_context.go): an error or what is right, and the next program works.
  @Test(arguments: [0x42, 0x40, 0x4A, 0x44, 0x52, 0x54, 0x32, 0x06, 0x14, 0x12, 0x02] as [UInt8])
  func emptyAnswersOfAChip(_ code: UInt8) async throws {
    let tag = VirtualTag.ntag213()
    let bench = try await Bench(tag)
    // TFI and the response code, with their check.
    let data: [UInt8] = [0xD5, code + 1]
    let check = 0 &- data.reduce(0, &+)
    let frame: [UInt8] = [0x00, 0x00, 0xFF, 0x02, 0xFE] + data + [check, 0x00]
    for index in 0..<6 {
      bench.virtual.setFaults([Fault(.replyReplaced(frame), at: .command(index))])
      _ = try? await within(.seconds(10)) {
        let found = try await bench.reader.firstTag(polling: .iso14443a, within: .seconds(2))
        _ = try await found.miFare.sendMiFareCommand([0x30, 0x00])
      }
    }
    bench.virtual.setFaults([])
    await bench.reader.close()
    let reader = try await Reader.open(bench.virtual.connectionString)
    let found = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
    #expect(found.identifier == tag.identifier)
    await reader.close()
  }
}
