import SwiftNFCCore

/// The answer to GetFileSettings: MF3ICDx21_41_81 data sheet, 9.5.3; for transaction MAC files NXP
/// AN12343, 6.10; for additional rights liblogicalaccess (`DESFireEV2ISO7816Commands::changeFileSettings`) and Flipper
/// Zero (`mf_desfire_file_settings_parse`); for Secure Dynamic Messaging liblogicalaccess
/// (`DESFireEV3ISO7816Commands::changeFileSettings`) and NXP's reader library.
public struct DESFireFileSettings: Hashable, Sendable {
  /// The kind of content of a file.
  @nonexhaustive
  public enum Content: Hashable, Sendable {
    /// Bytes that change immediately when they are written.
    case standardData(size: Int)
    /// Bytes that change with the commit.
    case backupData(size: Int)
    /// A value, changed by transactions.
    case value(DESFireValueSettings)
    /// Records until the file is full.
    case linearRecords(DESFireRecordSettings)
    /// Records; when the file is full, each new record replaces the oldest one.
    case cyclicRecords(DESFireRecordSettings)
    /// The code of the last transaction.
    case transactionMAC(keyVersion: UInt8)
    /// A type that no public source describes.
    case other(type: UInt8)
  }

  /// How the content is sent over the air.
  public var communication: DESFireCommunication
  /// Who may access the file.
  public var rights: DESFireAccessRights
  /// Further sets of rights, up to seven, which a DESFire EV2 or later can have: each gives what it says in addition to
  /// ``rights``.
  public var additionalRights: [DESFireAccessRights]
  /// The data that a DESFire EV3 inserts into a file of standard data; `nil` if the file is read as it was written.
  public var dynamicMessaging: NTAG424DynamicMessaging?
  /// The type of the file, with the settings of that type.
  public var content: Content
  /// The number of transactions after which the application accepts no more (TMCLimit), in the settings of a
  /// transaction MAC file of an EV3; `nil` for none.
  public var transactionLimit: Int?

  /// The bits of the communication settings that announce additional rights, Secure Dynamic Messaging, and a limit of
  /// transactions, whose bytes are the last.
  static let (additionalRightsFlag, dynamicFlag, transactionLimitFlag): (UInt8, UInt8, UInt8) =
    (0x80, 0x40, 0x20)
  static let mostAdditionalRights = 7

  private enum Kind {
    static let standardData: UInt8 = 0
    static let backupData: UInt8 = 1
    static let value: UInt8 = 2
    static let linearRecords: UInt8 = 3
    static let cyclicRecords: UInt8 = 4
    static let transactionMAC: UInt8 = 5
  }

  /// Creates the settings of a file.
  public init(
    communication: DESFireCommunication, rights: DESFireAccessRights,
    additionalRights: [DESFireAccessRights] = [],
    dynamicMessaging: NTAG424DynamicMessaging? = nil, content: Content
  ) {
    self.communication = communication
    self.rights = rights
    self.additionalRights = additionalRights
    self.dynamicMessaging = dynamicMessaging
    self.content = content
  }

  /// - Throws: `tagResponseError` for an answer that is too short. Fields that later generations
  ///   append are ignored.
  package init(_ answer: [UInt8]) throws {
    var reader = ByteReader(answer)
    let type = try reader.byte()
    let settings = try reader.byte()
    communication = DESFireCommunication(settings: settings)
    dynamicMessaging = nil
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
    additionalRights = []
    guard Self.isKnown(content) else { return }
    (additionalRights, dynamicMessaging) = try Self.more(&reader, options: settings)
    if case .transactionMAC = content, settings & Self.transactionLimitFlag != 0 {
      transactionLimit = try reader.number(4)
    }
  }

  /// Parses what follows the fields of the type: additional rights and Secure Dynamic Messaging.
  ///
  /// Additional rights come first in ChangeFileSettings, and NXP's reader library and Flipper Zero expect them first
  /// here. Because no source has an answer with both, the other order is accepted, too, if only that one fits. A file
  /// that was only created for Secure Dynamic Messaging may announce it and have no bytes of it.
  private static func more(
    _ reader: inout ByteReader, options: UInt8
  ) throws -> ([DESFireAccessRights], NTAG424DynamicMessaging?) {
    let hasRights = options & additionalRightsFlag != 0
    let isDynamic = options & dynamicFlag != 0
    if hasRights, isDynamic, let both = dynamicFirst(reader) { return both }
    let rights = hasRights ? try additionalRights(&reader) : []
    guard isDynamic, !reader.remaining.isEmpty else { return (rights, nil) }
    return (rights, try NTAG424DynamicMessaging(&reader))
  }

  /// Parses the order that no source shows; `nil` if the bytes do not fit it exactly, or fit the other one.
  private static func dynamicFirst(
    _ reader: ByteReader
  ) -> ([DESFireAccessRights], NTAG424DynamicMessaging?)? {
    var usual = reader
    if (try? additionalRights(&usual)) != nil, (try? NTAG424DynamicMessaging(&usual)) != nil,
      usual.remaining.isEmpty
    {
      return nil
    }
    var rest = reader
    guard let messaging = try? NTAG424DynamicMessaging(&rest),
      reader.remaining.starts(with: messaging.encoded),
      let rights = try? additionalRights(&rest), rest.remaining.isEmpty
    else { return nil }
    return (rights, messaging)
  }

  private static func additionalRights(
    _ reader: inout ByteReader
  ) throws -> [DESFireAccessRights] {
    try (0..<(try reader.byte())).map { _ in
      DESFireAccessRights(UInt16(truncatingIfNeeded: try reader.number(2)))
    }
  }

  private static func isKnown(_ content: Content) -> Bool {
    if case .other = content { false } else { true }
  }

  /// Returns who holds one of these rights.
  ///
  /// - Parameter rights: the rights that suffice, for instance `\.read` and `\.readWrite` for reading.
  public func holders(
    of rights: KeyPath<DESFireAccessRights, DESFireAccess>...
  ) -> [DESFireAccess] {
    ([self.rights] + additionalRights).flatMap { set in rights.map { set[keyPath: $0] } }
  }

  private static func keyVersion(_ reader: inout ByteReader) throws -> UInt8 {
    // The kind of the key: AES.
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

  /// The settings of a file of records.
  public var records: DESFireRecordSettings? {
    switch content {
    case .linearRecords(let settings), .cyclicRecords(let settings): settings
    default: nil
    }
  }

  /// Whether writes take effect only with a commit.
  public var isTransactional: Bool {
    switch content {
    case .backupData, .value, .linearRecords, .cyclicRecords: true
    case .standardData, .transactionMAC, .other: false
    }
  }
}

/// The settings of a value file.
public struct DESFireValueSettings: Hashable, Sendable {
  /// The smallest value that a debit may leave.
  public var lowerLimit: Int32
  /// The greatest value that a credit may reach.
  public var upperLimit: Int32
  /// The value of a file that is created; 0 in settings that a card reports.
  public var initialValue: Int32
  /// The amount that LimitedCredit may add, in settings that a card reports: what the debits of the last transaction
  /// subtracted.
  public var limitedCredit: Int32 = 0
  /// Whether LimitedCredit is allowed.
  public var allowsLimitedCredit: Bool
  /// Whether everyone may read the value, regardless of the rights.
  public var allowsFreeReading: Bool

  static let limitedCreditFlag: UInt8 = 0x01
  static let freeReadingFlag: UInt8 = 0x02

  /// Creates the settings of a file that is to be created, and of a DESFire Light's.
  public init(
    lowerLimit: Int32, upperLimit: Int32, initialValue: Int32 = 0,
    allowsLimitedCredit: Bool = false, allowsFreeReading: Bool = false
  ) {
    self.lowerLimit = lowerLimit
    self.upperLimit = upperLimit
    self.initialValue = initialValue
    self.allowsLimitedCredit = allowsLimitedCredit
    self.allowsFreeReading = allowsFreeReading
  }

  init(_ reader: inout ByteReader) throws {
    lowerLimit = Int32(truncatingIfNeeded: try reader.number(4))
    upperLimit = Int32(truncatingIfNeeded: try reader.number(4))
    initialValue = 0
    limitedCredit = Int32(truncatingIfNeeded: try reader.number(4))
    let flags = try reader.byte()
    allowsLimitedCredit = flags & Self.limitedCreditFlag != 0
    allowsFreeReading = flags & Self.freeReadingFlag != 0
  }
}

/// The settings of a file of records.
public struct DESFireRecordSettings: Hashable, Sendable {
  /// The size of a record in bytes.
  public var recordSize: Int
  /// The maximum number of records; a cyclic file holds one fewer, because it needs room for the
  /// next one.
  public var maximumCount: Int
  /// The number of records.
  public var count: Int

  /// Creates the settings of a file of records; a new file has no records yet.
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

/// Reads the fields of an answer; an answer that is too short is an error.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() throws -> UInt8 {
    guard let byte = rest.popFirst() else { throw NFCError.wrongLength }
    return byte
  }

  /// Reads a number, least significant byte first.
  mutating func number(_ count: Int) throws -> Int { Int(littleEndian: try bytes(count)) }

  mutating func bytes(_ count: Int) throws -> [UInt8] {
    guard rest.count >= count else { throw NFCError.wrongLength }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  var remaining: [UInt8] { Array(rest) }
}
