import NFCCore

/// What GetVersion says: MF3ICDx21_41_81 data sheet, 9.6.7.
public struct DESFireVersionInformation: Hashable, Sendable {
  /// One of the two parts, hardware and software.
  public struct Part: Hashable, Sendable {
    /// 04 for NXP.
    public var vendor: UInt8
    /// The type of the chip.
    public var type: UInt8
    /// The subtype of the chip.
    public var subtype: UInt8
    /// The major version.
    public var major: UInt8
    /// The minor version.
    public var minor: UInt8
    /// The exponent of two in its high seven bits; the lowest is set if the size lies above that power.
    public var storage: UInt8
    /// The communication protocol: 05 for ISO/IEC 14443.
    public var communicationProtocol: UInt8

    init(_ reader: inout ByteReader) throws {
      vendor = try reader.byte()
      type = try reader.byte()
      subtype = try reader.byte()
      major = try reader.byte()
      minor = try reader.byte()
      storage = try reader.byte()
      communicationProtocol = try reader.byte()
    }

    /// Bytes; `nil` for a size that makes no sense.
    public var storageSize: Int? { storage >> 1 < 31 ? 1 << Int(storage >> 1) : nil }
  }

  /// The version of the hardware.
  public var hardware: Part
  /// The version of the software.
  public var software: Part
  /// 7 bytes; zeros of a card that shows a random one.
  public var uid: [UInt8]
  /// 5 bytes.
  public var batch: [UInt8]
  /// The week and the year of production, as two decimal digits each; what later chips write there instead is
  /// their own affair.
  public var productionWeek: Int?
  /// The year of production, as two decimal digits.
  public var productionYear: Int?

  init(_ answer: [UInt8]) throws {
    var reader = ByteReader(answer)
    hardware = try Part(&reader)
    software = try Part(&reader)
    uid = try reader.bytes(7)
    batch = try reader.bytes(5)
    productionWeek = Self.decimal(try reader.byte())
    productionYear = Self.decimal(try reader.byte()).map { 2000 + $0 }
  }

  private static func decimal(_ byte: UInt8) -> Int? {
    byte >> 4 < 10 && byte & 0x0F < 10 ? Int(byte >> 4) * 10 + Int(byte & 0x0F) : nil
  }
}

/// The name by which SELECT of ISO/IEC 7816-4 finds an application.
public struct DESFireApplicationName: Hashable, Sendable {
  /// The identifier of the application.
  public var identifier: DESFireApplicationIdentifier
  /// The file identifier by which ISO/IEC 7816-4 selects it.
  public var isoIdentifier: UInt16
  /// Up to 16 bytes; empty if it has none.
  public var name: [UInt8]
}

extension DESFireCard {
  /// Three exchanges.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for a broken answer; ``NFCError/Code/tagConnectionLost``.
  public func version() async throws -> DESFireVersionInformation {
    try await perform(in: nil) { try $0.version() }
  }

  /// The number of bytes that new applications and files may take, as the card reports it: one exchange.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on a card of the first generation.
  public func freeMemory() async throws -> Int {
    try await perform(in: nil) { try $0.freeMemory() }
  }

  /// The numbers of all applications: one exchange for 19 of them.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the card's settings ask for its master key.
  public func applications() async throws -> [DESFireApplicationIdentifier] {
    try await perform(in: .card) { try $0.applications() }
  }

  /// The names of all applications that have one: one exchange for each.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` in a session, which the command does not know;
  ///   ``NFCError/Code/notAuthenticated`` if the settings ask for the master key.
  public func applicationNames() async throws -> [DESFireApplicationName] {
    try await perform(in: .card) { try $0.applicationNames() }
  }

  /// The card's UID, enciphered, which a card that shows a random one gives to whoever has proved a key: one
  /// exchange.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session in the application that is selected.
  public func cardUID() async throws -> [UInt8] {
    try await perform(in: nil) { try $0.cardUID() }
  }
}

extension DESFireProcedure {
  private static let uidSize = 7
  private static let memoryNumberSize = 3

  mutating func version() throws -> DESFireVersionInformation {
    try send(DESFireCommand(code: .getVersion, answer: .anyData)) {
      try DESFireVersionInformation($0)
    }
  }

  mutating func freeMemory() throws -> Int {
    Int(
      littleEndian: try send(
        DESFireCommand(code: .freeMemory, answer: .data(count: Self.memoryNumberSize))))
  }

  mutating func applications() throws -> [DESFireApplicationIdentifier] {
    try send(DESFireCommand(code: .getApplicationIdentifiers, answer: .anyData)) { answer in
      guard answer.count % 3 == 0 else { throw NFCError.wrongLength }
      return stride(from: 0, to: answer.count, by: 3).map {
        DESFireApplicationIdentifier(answer[$0...])
      }
    }
  }

  /// Each application has a frame of its own, so that where one ends is told by the frames only.
  mutating func applicationNames() throws -> [DESFireApplicationName] {
    guard state.session == nil else {
      throw NFCError(.invalidParameter, "names are listed without a session")
    }
    var frames: [[UInt8]] = []
    var answer = try transport.exchange(.getDFNames, [])
    while answer.status == .additionalFrame, frames.count <= Self.mostApplications {
      frames.append(answer.data)
      answer = try transport.exchange(.additionalFrame, [])
    }
    guard answer.status == .operationOK else { throw answer.status.error }
    frames.append(answer.data)
    return try frames.filter { !$0.isEmpty }.map { frame in
      var reader = ByteReader(frame)
      return DESFireApplicationName(
        identifier: DESFireApplicationIdentifier(try reader.bytes(3)[...]),
        isoIdentifier: UInt16(truncatingIfNeeded: try reader.number(2)), name: reader.remaining)
    }
  }

  /// A card with more is not known (EV2 and EV3 are bounded by memory).
  private static let mostApplications = 1024

  mutating func cardUID() throws -> [UInt8] {
    guard state.session != nil else {
      throw NFCError(.notAuthenticated, "the card gives its UID to whoever has proved a key")
    }
    return try send(
      DESFireCommand(
        code: .getCardUID, protection: .enciphered, answer: .data(count: Self.uidSize)))
  }
}
