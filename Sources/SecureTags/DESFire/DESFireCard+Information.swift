import SwiftNFCCore

/// The answer to GetVersion: MF3ICDx21_41_81 data sheet, 9.6.7.
public struct DESFireVersionInformation: Hashable, Sendable {
  /// One of the two parts, hardware or software.
  public struct Part: Hashable, Sendable {
    /// The maker of the chip; 04 for NXP.
    public var vendor: UInt8
    /// The type of the chip.
    public var type: UInt8
    /// The subtype of the chip.
    public var subtype: UInt8
    /// The major version.
    public var major: UInt8
    /// The minor version.
    public var minor: UInt8
    /// The size: the exponent of two is in the high seven bits; the lowest bit is set if the size
    /// lies above that power.
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

    /// The size in bytes; `nil` for a size that makes no sense.
    public var storageSize: Int? { storage >> 1 < 31 ? 1 << Int(storage >> 1) : nil }
  }

  /// The version of the hardware.
  public var hardware: Part
  /// The version of the software.
  public var software: Part
  /// The UID, 7 bytes; zeros if the card shows a random UID.
  public var uid: [UInt8]
  /// The production batch, 5 bytes.
  public var batch: [UInt8]
  /// The week of production, 1 to 53, from two decimal digits; `nil` if they are no week: an EV3 of 2025
  /// has 83 (flipperzero-firmware, pull request 4439).
  public var productionWeek: Int?
  /// The year of production, as two decimal digits.
  public var productionYear: Int?

  package init(_ answer: [UInt8]) throws {
    var reader = ByteReader(answer)
    hardware = try Part(&reader)
    software = try Part(&reader)
    uid = try reader.bytes(7)
    batch = try reader.bytes(5)
    productionWeek = Self.decimal(try reader.byte()).flatMap { (1...53).contains($0) ? $0 : nil }
    productionYear = Self.decimal(try reader.byte()).map { 2000 + $0 }
  }

  private static func decimal(_ byte: UInt8) -> Int? {
    byte >> 4 < 10 && byte & 0x0F < 10 ? Int(byte >> 4) * 10 + Int(byte & 0x0F) : nil
  }
}

/// The name that finds an application with SELECT of ISO/IEC 7816-4.
public struct DESFireApplicationName: Hashable, Sendable {
  /// The identifier of the application.
  public var identifier: DESFireApplicationIdentifier
  /// The ISO/IEC 7816-4 file identifier that selects the application.
  public var isoIdentifier: UInt16
  /// The name, up to 16 bytes; empty if the application has none.
  public var name: [UInt8]
}

extension DESFireCard {
  /// Reads the version of the card: three exchanges.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for a broken answer; ``NFCError/Code/tagConnectionLost``.
  public func version() async throws -> DESFireVersionInformation {
    try await perform(in: nil) { try $0.version() }
  }

  /// Reads GetVersion's answer as the card sent it, for an image.
  package func versionBytes() async throws -> [UInt8] {
    try await perform(in: nil) { try $0.versionBytes() }
  }

  /// Reads the number of bytes available for new applications and files, as the card reports it:
  /// one exchange.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on a card of the first generation.
  public func freeMemory() async throws -> Int {
    try await perform(in: nil) { try $0.freeMemory() }
  }

  /// Reads the numbers of all applications: one exchange for each 19 of them.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the card's settings require its master key.
  public func applications() async throws -> [DESFireApplicationIdentifier] {
    try await perform(in: .card) { try $0.applications() }
  }

  /// Reads the names of all applications that have one: one exchange for each.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` in a session, in which the command is not
  ///   available; ``NFCError/Code/notAuthenticated`` if the settings require the master key.
  public func applicationNames() async throws -> [DESFireApplicationName] {
    try await perform(in: .card) { try $0.applicationNames() }
  }

  /// Reads the card's UID, encrypted; a card that shows a random UID returns its own to whoever
  /// has authenticated: one exchange.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session in the selected application.
  public func cardUID() async throws -> [UInt8] {
    try await perform(in: nil) { try $0.cardUID() }
  }
}

extension DESFireProcedure {
  private static let uidSize = 7
  private static let memoryNumberSize = 3

  mutating func version() throws -> DESFireVersionInformation {
    try send(Self.getVersion) { try DESFireVersionInformation($0) }
  }

  mutating func versionBytes() throws -> [UInt8] { try send(Self.getVersion) }

  private static let getVersion = DESFireCommand(code: .getVersion, answer: .anyData)

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

  /// Each application has its own frame, so only the frames indicate where one ends.
  mutating func applicationNames() throws -> [DESFireApplicationName] {
    guard state.session == nil else {
      throw NFCError(.invalidParameter, "names can be listed only without a session")
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

  /// No known card has more (EV2 and EV3 are limited by memory).
  private static let mostApplications = 1024

  mutating func cardUID() throws -> [UInt8] {
    guard state.session != nil else {
      throw NFCError(.notAuthenticated, "the card reports its UID only in a session")
    }
    return try send(
      DESFireCommand(
        code: .getCardUID, protection: .encrypted, answer: .data(count: Self.uidSize)))
  }
}
