import NFCCore

/// What GetFileSettings says of a file: MF3ICDx21_41_81 data sheet, 9.5.3; for transaction MAC files NXP AN12343,
/// 6.10.
public struct DESFireFileSettings: Hashable, Sendable {
  /// What a file holds.
  public enum Content: Hashable, Sendable {
    /// Bytes, written at once.
    case standardData(size: Int)
    /// Bytes; what is written counts after the commit.
    case backupData(size: Int)
    /// A value, changed by transactions.
    case value(DESFireValueSettings)
    /// Records until the file is full.
    case linearRecords(DESFireRecordSettings)
    /// Records of which each new one takes the oldest one's place.
    case cyclicRecords(DESFireRecordSettings)
    /// The code of the last transaction.
    case transactionMAC(keyVersion: UInt8)
    /// A type that no public source describes.
    case other(type: UInt8)
  }

  /// How the content goes over the air.
  public var communication: DESFireCommunication
  /// Who may do what with the file.
  public var rights: DESFireAccessRights
  /// The type of the file, and what its type asks for.
  public var content: Content

  private enum Kind {
    static let standardData: UInt8 = 0
    static let backupData: UInt8 = 1
    static let value: UInt8 = 2
    static let linearRecords: UInt8 = 3
    static let cyclicRecords: UInt8 = 4
    static let transactionMAC: UInt8 = 5
  }

  /// The settings of a file.
  public init(
    communication: DESFireCommunication, rights: DESFireAccessRights, content: Content
  ) {
    self.communication = communication
    self.rights = rights
    self.content = content
  }

  /// - Throws: `tagResponseError` for an answer that is too short. What later generations append is left out.
  init(_ answer: [UInt8]) throws {
    var reader = ByteReader(answer)
    let type = try reader.byte()
    communication = DESFireCommunication(settings: try reader.byte())
    rights = DESFireAccessRights(UInt16(truncatingIfNeeded: try reader.number(2)))
    content =
      switch type {
      case Kind.standardData: .standardData(size: try reader.number(3))
      case Kind.backupData: .backupData(size: try reader.number(3))
      case Kind.value: .value(try DESFireValueSettings(&reader))
      case Kind.linearRecords: .linearRecords(try DESFireRecordSettings(&reader))
      case Kind.cyclicRecords: .cyclicRecords(try DESFireRecordSettings(&reader))
      case Kind.transactionMAC: .transactionMAC(keyVersion: try Self.keyVersion(&reader))
      default: .other(type: type)
      }
  }

  private static func keyVersion(_ reader: inout ByteReader) throws -> UInt8 {
    // The key's kind, AES.
    _ = try reader.byte()
    return try reader.byte()
  }

  /// The number of bytes of a data file.
  public var size: Int? {
    switch content {
    case .standardData(let size), .backupData(let size): size
    default: nil
    }
  }

  /// Of a file of records.
  public var records: DESFireRecordSettings? {
    switch content {
    case .linearRecords(let settings), .cyclicRecords(let settings): settings
    default: nil
    }
  }

  /// Whether what is written counts after a commit only.
  public var isTransactional: Bool {
    switch content {
    case .backupData, .value, .linearRecords, .cyclicRecords: true
    case .standardData, .transactionMAC, .other: false
    }
  }
}

/// Of a value file.
public struct DESFireValueSettings: Hashable, Sendable {
  /// The smallest value that a debit may leave.
  public var lowerLimit: Int32
  /// The greatest value that a credit may give.
  public var upperLimit: Int32
  /// How much LimitedCredit may give: what the debits of the last transaction took.
  public var limitedCredit: Int32
  /// Whether LimitedCredit is allowed.
  public var allowsLimitedCredit: Bool
  /// Whether everyone may read the value, whatever the rights say.
  public var allowsFreeReading: Bool

  static let limitedCreditFlag: UInt8 = 0x01
  static let freeReadingFlag: UInt8 = 0x02

  /// - Parameter limitedCredit: in the command that makes the file its first value.
  public init(
    lowerLimit: Int32, upperLimit: Int32, limitedCredit: Int32 = 0,
    allowsLimitedCredit: Bool = false, allowsFreeReading: Bool = false
  ) {
    self.lowerLimit = lowerLimit
    self.upperLimit = upperLimit
    self.limitedCredit = limitedCredit
    self.allowsLimitedCredit = allowsLimitedCredit
    self.allowsFreeReading = allowsFreeReading
  }

  init(_ reader: inout ByteReader) throws {
    lowerLimit = Int32(truncatingIfNeeded: try reader.number(4))
    upperLimit = Int32(truncatingIfNeeded: try reader.number(4))
    limitedCredit = Int32(truncatingIfNeeded: try reader.number(4))
    let flags = try reader.byte()
    allowsLimitedCredit = flags & Self.limitedCreditFlag != 0
    allowsFreeReading = flags & Self.freeReadingFlag != 0
  }
}

/// Of a file of records.
public struct DESFireRecordSettings: Hashable, Sendable {
  /// Bytes.
  public var recordSize: Int
  /// How many records there can be; one fewer in a cyclic file, which needs it for the next one.
  public var maximumCount: Int
  /// How many records there are.
  public var count: Int

  /// The settings of a file of records; a new file has none yet.
  public init(recordSize: Int, maximumCount: Int, count: Int = 0) {
    self.recordSize = recordSize
    self.maximumCount = maximumCount
    self.count = count
  }

  init(_ reader: inout ByteReader) throws {
    recordSize = try reader.number(3)
    maximumCount = try reader.number(3)
    count = try reader.number(3)
  }
}

/// Takes an answer apart; one that is too short is an error.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() throws -> UInt8 {
    guard let byte = rest.popFirst() else { throw NFCError.wrongLength }
    return byte
  }

  /// Least significant byte first.
  mutating func number(_ count: Int) throws -> Int { Int(littleEndian: try bytes(count)) }

  mutating func bytes(_ count: Int) throws -> [UInt8] {
    guard rest.count >= count else { throw NFCError.wrongLength }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  var remaining: [UInt8] { Array(rest) }
}
