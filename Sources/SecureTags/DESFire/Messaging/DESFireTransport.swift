import SwiftNFCCore

/// Sends commands to the card, in as many frames as they need.
///
/// Commands are wrapped in APDUs: every reader sends these, and a card keeps to the form of the first
/// command that it receives, which is the one that recognizes it.
struct DESFireTransport {
  typealias Answer = DESFireWrapping.Answer

  /// Called when the card has confirmed that it has no session any more.
  let sessionHasEnded: () -> Void
  private let carry: (_ code: UInt8, _ parameters: [UInt8]) throws -> Answer
  /// Selects an application by its ISO/IEC 7816-4 name; `false` if there is none.
  let selectName: (_ name: [UInt8]) throws -> Bool

  private static let maximumExpectedLength = 256
  /// The number of parameter bytes in one frame.
  private let longestFrame: Int
  /// No file and no list is longer than the card's memory.
  private static let longestAnswer = 1 << 17
  private static let maximumEmptyFrames = 16

  /// - Parameters:
  ///   - longestFrame: the maximum number of parameter bytes in one frame.
  ///   - carry: one exchange.
  ///   - selectName: one exchange.
  ///   - sessionHasEnded: sends nothing.
  init(
    longestFrame: Int,
    _ carry: @escaping (_ code: UInt8, _ parameters: [UInt8]) throws -> Answer,
    selectName: @escaping (_ name: [UInt8]) throws -> Bool = { _ in false },
    sessionHasEnded: @escaping () -> Void = {}
  ) {
    self.carry = carry
    self.selectName = selectName
    self.sessionHasEnded = sessionHasEnded
    self.longestFrame = longestFrame
  }

  init(_ link: TagLink) {
    self.init(
      longestFrame: DESFireWrapping.longestFrame, { try DESFireWrapping.send($0, $1, link) },
      selectName: { try Self.select($0, link) }, sessionHasEnded: link.sessionHasEnded)
  }

  private static let selectInstruction: UInt8 = 0xA4
  private static let byName: UInt8 = 0x04
  private static let withoutData: UInt8 = 0x0C
  private static let fileNotFound: UInt16 = 0x6A82

  private static func select(_ name: [UInt8], _ link: TagLink) throws -> Bool {
    let answer = try link.send(
      APDU(
        instructionClass: 0, instructionCode: selectInstruction, p1: byName, p2: withoutData,
        data: name, expectedLength: maximumExpectedLength))
    guard !answer.isSuccess else { return true }
    guard answer.statusWord == fileNotFound else {
      throw NFCError(
        .tagRefused, "the card did not accept the name of an application",
        cause: .statusWord(answer.statusWord))
    }
    return false
  }

  /// Sends a command in one frame: one exchange.
  func exchange(_ code: DESFireCommandCode, _ parameters: [UInt8]) throws -> Answer {
    try carry(code.rawValue, parameters)
  }

  /// Sends a command in as many frames as it needs, and fetches the complete answer.
  ///
  /// - Parameters:
  ///   - isWhole: leaves the chaining to ISO/IEC 14443-4.
  ///   - firstFrame: the number of parameter bytes in the first frame of a command whose answer has one
  ///     frame; `nil` for as many as fit.
  /// - Returns: the final status, and the data of all frames.
  func send(
    _ code: DESFireCommandCode, _ parameters: [UInt8], isWhole: Bool = false,
    firstFrame: Int? = nil
  ) throws -> Answer {
    let size = isWhole ? parameters.count : min(firstFrame ?? longestFrame, longestFrame)
    var rest = parameters.dropFirst(size)
    var answer = try exchange(code, Array(parameters.prefix(size)))
    while !rest.isEmpty {
      guard answer.status == .additionalFrame else {
        // If the card refuses the beginning of a command, the rest is not sent.
        guard answer.status != .operationOK else { throw NFCError.wrongLength }
        return answer
      }
      // No MAC covers what a card answers before it has received the whole command; it must not
      // answer with data there.
      guard answer.data.isEmpty else { throw NFCError.wrongLength }
      answer = try exchange(.additionalFrame, Array(rest.prefix(longestFrame)))
      rest = rest.dropFirst(longestFrame)
    }
    guard firstFrame == nil || answer.status != .additionalFrame else {
      throw NFCError.wrongLength
    }
    var data = answer.data
    var emptyFrames = 0
    while answer.status == .additionalFrame {
      if answer.data.isEmpty { emptyFrames += 1 }
      guard emptyFrames < Self.maximumEmptyFrames, data.count < Self.longestAnswer else {
        throw NFCError(.tagResponseError, "the card announces more and more data")
      }
      answer = try exchange(.additionalFrame, [])
      data += answer.data
    }
    return (answer.status, data)
  }
}
