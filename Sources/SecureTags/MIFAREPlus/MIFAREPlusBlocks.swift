import SwiftNFCCore

/// The part of ISO/IEC 14443-4 that an authentication needs, for a card that the reader has
/// activated only up to ISO/IEC 14443-3: in security level 1 a MIFARE Plus has the SAK of a MIFARE
/// Classic, so no reader sends RATS automatically.
struct MIFAREPlusBlocks {
  /// Exchanges one frame without its CRC_A.
  private let send: ([UInt8]) throws -> [UInt8]
  private var blockNumber: UInt8 = 0
  /// The size of a frame to the card, including PCB and CRC.
  private var frameSize = 64

  /// RATS for frames of 64 bytes, with card identifier 0 (5.1).
  private static let requestForAnswerToSelect: [UInt8] = [0xE0, 0x50]
  /// An I-block without chaining, CID and NAD (7.1.1.1).
  private static let informationBlock: UInt8 = 0x02
  /// S(WTX), and the significant bits of its parameter (7.3).
  private static let waitingTimeExtension: UInt8 = 0xF2
  private static let extensionMask: UInt8 = 0x3F
  private static let deselect: UInt8 = 0xC2
  /// The maximum number of extensions; an authentication needs fewer, and no card can make a reader
  /// wait forever.
  private static let mostExtensions = 10
  /// Frame sizes by the code in T0 (5.2.3).
  private static let frameSizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
  /// The PCB and the CRC.
  private static let overhead = 3
  /// The number of blocks whose answer, with status and MAC, fits into a frame of 64 bytes.
  static let mostReadBlocks = 3
  /// The length of the second command of an authentication.
  private static let longestCommand = 33

  init(send: @escaping ([UInt8]) throws -> [UInt8]) { self.send = send }

  /// Begins: one exchange. Returns the answer to select without its length byte.
  ///
  /// - Throws: `unsupported` if the card does not answer to RATS, or accepts only frames that are
  ///   too short.
  mutating func begin() throws -> [UInt8] {
    let answer: [UInt8]
    do {
      answer = try send(Self.requestForAnswerToSelect)
    } catch let error as NFCError where error.isRefusalOfPlus {
      throw Self.refused(error)
    }
    guard answer.count >= 2, Int(answer[0]) == answer.count else { throw NFCError.wrongLength }
    blockNumber = 0
    let code = Int(answer[1] & 0x0F)
    let size = code < Self.frameSizes.count ? Self.frameSizes[code] : Self.frameSizes.last ?? 0
    guard size >= Self.longestCommand + Self.overhead else {
      throw NFCError(.unsupported, "the card accepts only frames of \(size) bytes")
    }
    frameSize = size
    return Array(answer.dropFirst())
  }

  /// Returns the error for a card that refuses RATS.
  static func refused(_ error: NFCError) -> NFCError {
    NFCError(
      .unsupported, "the card does not go on to ISO 14443-4: it is not a MIFARE Plus",
      cause: error.cause)
  }

  /// Sends a command and returns its answer: one exchange, and one for each extension of the
  /// waiting time.
  mutating func exchange(_ command: [UInt8]) throws -> [UInt8] {
    guard command.count + Self.overhead <= frameSize else {
      throw NFCError(
        .commandTooLong,
        "a command to this card has at most \(frameSize - Self.overhead) bytes, not \(command.count)"
      )
    }
    let control = Self.informationBlock | blockNumber
    var answer = try send([control] + command)
    var extensions = 0
    while answer.first == Self.waitingTimeExtension, answer.count == 2 {
      extensions += 1
      guard extensions <= Self.mostExtensions else {
        throw NFCError(.tagResponseError, "the card requests more and more time")
      }
      answer = try send([answer[0], answer[1] & Self.extensionMask])
    }
    guard answer.first == control else {
      throw NFCError(.tagResponseError, "the card's block is not the answer to the reader's")
    }
    blockNumber ^= 1
    return Array(answer.dropFirst())
  }

  /// Ends: one exchange, which halts the card.
  func end() throws {
    guard try send([Self.deselect]) == [Self.deselect] else {
      throw NFCError(.tagResponseError, "the card does not leave ISO 14443-4")
    }
  }
}

extension NFCError {
  /// Whether this is how a card below ISO/IEC 14443-4 refuses a command: with four bits, or with
  /// silence.
  var isRefusalOfPlus: Bool {
    code == .tagRefused || code == .tagResponseError && cause == .noAnswer
  }
}
