import SwiftNFCCore
import SUNMessage

/// The code that a card makes over a transaction with a key that only the card and its issuer know,
/// and the number of the transaction: MF2DL(H)x0 data sheet, 10.3; NXP AN12343, 8.2.1.
public struct DESFireTransactionMAC: Hashable, Sendable {
  /// The number of transactions that the card has signed, including this one (TMC).
  public let counter: UInt32
  /// The code (TMV), 8 bytes.
  public let code: [UInt8]

  static let size = counterSize + codeSize
  private static let counterSize = 4
  private static let codeSize = 8

  /// - Parameter bytes: the content of the transaction MAC file, or CommitTransaction's answer: 12
  ///   bytes.
  /// - Throws: ``NFCError/Code/tagResponseError`` for another number of bytes.
  public init(_ bytes: [UInt8]) throws {
    guard bytes.count == Self.size else { throw NFCError.wrongLength }
    counter = UInt32(truncatingIfNeeded: Int(littleEndian: bytes.prefix(Self.counterSize)))
    code = Array(bytes.dropFirst(Self.counterSize))
  }
}

/// The proof for an issuer that a transaction has taken place: what it read and wrote, and the
/// card's code over that.
///
/// The terminal passes it to the issuer, who has the key. Only the data that were read and written,
/// which ``input`` contains in plain, may be secret.
public struct DESFireTransactionReceipt: Hashable, Sendable {
  /// The card's code and its number.
  public let mac: DESFireTransactionMAC
  /// The input of the code (TMI): each command with its data, in whole blocks.
  public let input: [UInt8]
  /// The encrypted name of the terminal of the previous transaction; `nil` if transactions need no
  /// name.
  public let encryptedPreviousReader: [UInt8]?

  /// Creates a receipt as it was sent to the issuer.
  public init(mac: DESFireTransactionMAC, input: [UInt8], encryptedPreviousReader: [UInt8]?) {
    self.mac = mac
    self.input = input
    self.encryptedPreviousReader = encryptedPreviousReader
  }

  private static let codeLabel: UInt8 = 0x5A
  private static let cipherLabel: UInt8 = 0xA5
  private static let derivation: [UInt8] = [0x00, 0x01, 0x00, 0x80]
  private static let uidSize = 7
  static let blockSize = 16

  /// Returns whether the card with this UID has made the code over ``input``. The session keys have two forms: AES
  /// (data sheet, 10.3.2.3) and, for a card that was switched to LRP, LRP. Which one the card uses is not part of the
  /// receipt, so both are tried. The comparison takes a time that does not depend on where codes differ.
  ///
  /// The LRP form follows the data sheet as Proxmark3 quotes it (`desfirecrypto.c`). No published example confirms it.
  ///
  /// - Parameters:
  ///   - key: the AES key of the card's transaction MAC file.
  ///   - uid: the card's own UID, 7 bytes.
  /// - Throws: ``NFCError/Code/invalidParameter`` for another kind of key or length of UID.
  public func isValid(key: DESFireKey, uid: [UInt8]) throws -> Bool {
    try form(key, uid) != nil
  }

  /// Returns the name of the terminal of the previous transaction; zeros before the first one.
  ///
  /// - Throws: as ``isValid(key:uid:)``, and ``NFCError/Code/unsupported`` for a card that was switched to LRP: how it
  ///   encrypts the name is not public.
  public func previousReader(key: DESFireKey, uid: [UInt8]) throws -> [UInt8]? {
    guard try form(key, uid) != .lrp else {
      throw NFCError(
        .unsupported, "how a card in LRP mode encrypts a terminal's name is not known")
    }
    return try encryptedPreviousReader.map {
      try sessionCipher(Self.cipherLabel, key, uid).decrypt($0)
    }
  }

  /// The function that the session keys and the code are made with.
  private enum Form {
    case aes
    case lrp
  }

  /// Returns the form in which the code is right; `nil` if it is wrong.
  private func form(_ key: DESFireKey, _ uid: [UInt8]) throws -> Form? {
    // Both are computed in any case, so that the time does not depend on the result.
    let aes = try sessionCipher(Self.codeLabel, key, uid).authenticationCode(input)
    let lrp = try leakageResilientSession(key, uid).authenticationCode(input)
    let isAES = TransactionCode.truncated(aes).equalsInConstantTime(mac.code)
    let isLRP = TransactionCode.truncated(lrp).equalsInConstantTime(mac.code)
    return isAES ? .aes : isLRP ? .lrp : nil
  }

  /// The counter, least significant byte first. In LRP it is two counters of two bytes each.
  private var counterBytes: [UInt8] {
    Int(mac.counter).littleEndianBytes(count: MemoryLayout<UInt32>.size)
  }

  private static func check(_ key: DESFireKey, _ uid: [UInt8]) throws {
    guard key.kind == .aes else {
      throw NFCError(.invalidParameter, "the key of transaction MACs is AES")
    }
    guard uid.count == uidSize else {
      throw NFCError(.invalidParameter, "the card's own UID has \(uidSize) bytes")
    }
  }

  private func sessionCipher(
    _ label: UInt8, _ key: DESFireKey, _ uid: [UInt8]
  ) throws -> BlockCipher {
    try Self.check(key, uid)
    var bytes = try key.cipher.authenticationCode([label] + Self.derivation + counterBytes + uid)
    return try BlockCipher(.aes128, key: SecretKey(taking: &bytes))
  }

  /// SesTMMACKey in LRP: its label is at the end (data sheet, 10.3.2.3).
  private func leakageResilientSession(
    _ key: DESFireKey, _ uid: [UInt8]
  ) throws -> LeakageResilientPrimitive {
    try Self.check(key, uid)
    var secret = key.secret.withUnsafeBytes { Array($0) }
    defer { secret.wipe() }
    guard let master = SUNKey(secret) else { throw NFCError.wrongLength }
    var session = LeakageResilientPrimitive(master, keyIndex: 0)
      .authenticationCode(Self.derivation + counterBytes + uid + [Self.codeLabel])
    defer { session.wipe() }
    guard let sessionKey = SUNKey(session) else { throw NFCError.wrongLength }
    return LeakageResilientPrimitive(sessionKey, keyIndex: 0)
  }
}

/// A transaction so far, as the card records it (data sheet, 10.3.4.2).
struct DESFireTransactionInput: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Whether the card records commands with this code.
  static func records(_ code: DESFireCommandCode) -> Bool {
    switch code {
    case .readData, .readDataChained, .readRecords, .readRecordsChained, .writeData,
      .writeDataChained,
      .writeRecord, .writeRecordChained, .updateRecord, .updateRecordChained, .getValue, .credit,
      .debit,
      .limitedCredit, .clearRecordFile, .commitReaderIdentifier:
      true
    default: false
    }
  }

  /// - Parameter answer: the data of the card's answer, without protection.
  mutating func note(_ command: DESFireCommand, _ answer: [UInt8]) {
    let head = [command.code.rawValue] + command.header
    switch command.code {
    case .readData, .readDataChained, .readRecords, .readRecordsChained: add(head, answer)
    case .writeData, .writeDataChained, .writeRecord, .writeRecordChained, .updateRecord,
      .updateRecordChained:
      add(head, command.data)
    case .getValue: add(head + answer)
    case .credit, .debit, .limitedCredit: add(head + command.data)
    case .clearRecordFile: add(head)
    case .commitReaderIdentifier: add(head + command.data + answer)
    default: break
    }
  }

  private mutating func add(_ parts: [UInt8]...) {
    for part in parts {
      bytes += BlockCipher.filled(part, blockSize: DESFireTransactionReceipt.blockSize)
    }
  }
}
