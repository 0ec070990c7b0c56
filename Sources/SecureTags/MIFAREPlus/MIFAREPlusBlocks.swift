import NFCCore

/// As much of ISO/IEC 14443-4 as an authentication takes, for a card that the reader has activated below it: in
/// security level 1 a MIFARE Plus has the SAK of a MIFARE Classic, so no reader sends RATS by itself.
struct MIFAREPlusBlocks {
  /// One exchange of a frame, its CRC_A left out.
  private let send: ([UInt8]) throws -> [UInt8]
  private var blockNumber: UInt8 = 0

  /// RATS for frames of 64 bytes, with card identifier 0 (5.1).
  private static let requestForAnswerToSelect: [UInt8] = [0xE0, 0x50]
  /// An I-block without chaining, CID and NAD (7.1.1.1).
  private static let informationBlock: UInt8 = 0x02
  /// S(WTX), and the bits of its parameter that count (7.3).
  private static let waitingTimeExtension: UInt8 = 0xF2
  private static let extensionMask: UInt8 = 0x3F
  private static let deselect: UInt8 = 0xC2
  /// More extensions than an authentication asks for: no card makes a reader wait for ever.
  private static let mostExtensions = 10
  /// By the code in T0 (5.2.3).
  private static let frameSizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
  /// PCB and CRC.
  private static let overhead = 3
  /// The second command of an authentication.
  private static let longestCommand = 33

  init(send: @escaping ([UInt8]) throws -> [UInt8]) { self.send = send }

  /// Begins: one exchange. Gives the answer to select without its length byte.
  ///
  /// - Throws: `unsupported` if the card has none, or takes only shorter frames than are needed.
  mutating func begin() throws -> [UInt8] {
    let answer: [UInt8]
    do {
      answer = try send(Self.requestForAnswerToSelect)
    } catch let error as NFCError where error.isRefusalOfPlus {
      throw NFCError(
        .unsupported, "the card does not go on to ISO 14443-4: it is not a MIFARE Plus",
        cause: error.cause)
    }
    guard answer.count >= 2, Int(answer[0]) == answer.count else { throw NFCError.wrongLength }
    blockNumber = 0
    let code = Int(answer[1] & 0x0F)
    let size = code < Self.frameSizes.count ? Self.frameSizes[code] : Self.frameSizes.last ?? 0
    guard size >= Self.longestCommand + Self.overhead else {
      throw NFCError(.unsupported, "the card takes only frames of \(size) bytes")
    }
    return Array(answer.dropFirst())
  }

  /// A command and its answer: one exchange, and one for each extension of the waiting time.
  mutating func exchange(_ command: [UInt8]) throws -> [UInt8] {
    let control = Self.informationBlock | blockNumber
    var answer = try send([control] + command)
    var extensions = 0
    while answer.first == Self.waitingTimeExtension, answer.count == 2 {
      extensions += 1
      guard extensions <= Self.mostExtensions else {
        throw NFCError(.tagResponseError, "the card asks for more and more time")
      }
      answer = try send([answer[0], answer[1] & Self.extensionMask])
    }
    guard answer.first == control else {
      throw NFCError(.tagResponseError, "the card's block is not the answer to the reader's")
    }
    blockNumber ^= 1
    return Array(answer.dropFirst())
  }

  /// Ends: one exchange. The card is halted.
  func end() throws {
    guard try send([Self.deselect]) == [Self.deselect] else {
      throw NFCError(.tagResponseError, "the card does not leave ISO 14443-4")
    }
  }
}

extension NFCError {
  /// How a card below ISO/IEC 14443-4 refuses: by four bits, or by silence.
  var isRefusalOfPlus: Bool {
    code == .tagRefused || code == .tagResponseError && cause == .noAnswer
  }
}
