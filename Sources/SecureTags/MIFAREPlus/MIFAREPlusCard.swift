import SwiftNFCCore
import Synchronization

/// A MIFARE Plus card in security level 3, or in level 0 as on delivery. In level 1 it is found and
/// used as a MIFARE Classic; ``MIFAREPlusLevelOneCard`` has its additional functions.
///
/// ```swift
/// let card = try MIFAREPlusCard(tag)
/// try await card.authenticate(sector: 1, key)
/// print(try await card.readBlocks(4..<7))
/// ```
///
/// An authentication holds until the card refuses something or a command fails. Every command and
/// answer has a MAC; an answer with a wrong MAC is not used and ends the session.
///
/// MIFARE Plus EV1 and EV2 have the secure messaging of the first generation, too, and use it unless another one is
/// asked for. ``MIFAREPlusLevelOneCard`` moves single sectors of such a card out of level 1. What these generations
/// have in addition is not supported: transaction MACs, for whose configuration no public source was found, and
/// proximity check.
public final class MIFAREPlusCard: Sendable {
  /// The size of a block in bytes.
  public static let blockSize = MIFAREPlusProcedure.blockSize
  /// The size of a key in bytes.
  public static let keySize = 16
  /// The number of sectors of the largest card.
  package static let mostSectors = MIFAREPlusKeyAddress.mostSectors

  /// The tag of the card.
  public let tag: any MiFareTag
  private let random: RandomBytes?
  private let session = Mutex<MIFAREPlusSession?>(nil)

  private static let wrongTag = NFCError(
    .wrongTag, "the tag is not a MIFARE Plus in security level 0 or 3")

  /// Creates the interface of a card. No exchange.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public convenience init(_ tag: DetectedTag) throws {
    guard case .miFare(let tag) = tag else { throw Self.wrongTag }
    try self.init(tag)
  }

  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public convenience init(_ tag: any MiFareTag) throws {
    try self.init(tag, random: nil)
  }

  init(_ tag: any MiFareTag, random: RandomBytes?) throws {
    guard tag.family == .plus else {
      throw Self.wrongTag
    }
    self.tag = tag
    self.random = random
  }

  /// - Parameter isChange: whether a task that is cancelled meanwhile ends after `body`, so that it is
  ///   never in doubt what the card has done.
  func perform<Result: Sendable>(
    isChange: Bool = false, _ body: @Sendable (inout MIFAREPlusProcedure) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [self] link in
      var procedure = MIFAREPlusProcedure(
        send: { try link.transceive($0) }, session: session.withLock { $0 },
        random: link.random(random), sessionHasEnded: link.sessionHasEnded)
      defer { session.withLock { $0 = procedure.session } }
      guard isChange else { return try body(&procedure) }
      return try link.uninterrupted { try body(&procedure) }
    }
  }

  /// Authenticates with a key: two exchanges. In a session, the same transaction continues.
  ///
  /// - Parameters:
  ///   - key: 16 bytes.
  ///   - messaging: the secure messaging of a new session. A session that continues keeps its own.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key; ``NFCError/Code/tagRefused`` for an address
  ///   that the card does not have; ``NFCError/Code/unsupported`` for a card that does not go on with this messaging.
  public func authenticate(
    _ address: MIFAREPlusKeyAddress, _ key: SecretKey,
    messaging: MIFAREPlusSecureMessaging = .ev0
  ) async throws {
    try await perform { try $0.authenticate(address, key, messaging: messaging) }
  }

  /// Authenticates with key A or B of a sector; see ``authenticate(_:_:messaging:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a sector that no card has; otherwise as
  ///   ``authenticate(_:_:messaging:)``: ``NFCError/Code/authenticationFailed``,
  ///   ``NFCError/Code/tagRefused``.
  public func authenticate(
    sector: Int, isB: Bool = false, _ key: SecretKey,
    messaging: MIFAREPlusSecureMessaging = .ev0
  ) async throws {
    guard let address = MIFAREPlusKeyAddress(sector: sector, isB: isB) else {
      throw NFCError(
        .invalidParameter, "sectors are 0 to \(Self.mostSectors - 1)", place: .sector(sector))
    }
    try await authenticate(address, key, messaging: messaging)
  }

  /// Finds out the security level, 0 or 3: at most two exchanges. Ends the session.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagResponseError``.
  public func securityLevel() async throws -> Int { try await perform { try $0.securityLevel() } }

  /// Ends the session: one exchange; none without a session. A cancelled task ends the session, too.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagResponseError``.
  public func endSession() async throws {
    try await Task { try await perform { try $0.reset() } }.value
  }

  /// Reads blocks of the sector that the session's key belongs to: one exchange for each 15 blocks.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session, and if the sector's access
  ///   conditions do not allow reading, or not in this form.
  public func readBlocks(
    _ blocks: Range<Int>, _ communication: MIFAREPlusCommunication = .encrypted
  ) async throws -> [UInt8] {
    try await perform { try $0.read(blocks, communication) }
  }

  /// Writes a block of the sector that the session's key belongs to: one exchange, which the card
  /// performs completely or not at all.
  ///
  /// The last block of a sector holds its access conditions: rights that no key has **cannot be
  /// restored**.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for data that is not 16 bytes long; otherwise as
  ///   ``readBlocks(_:_:)``.
  public func writeBlock(
    _ block: Int, _ data: [UInt8], _ communication: MIFAREPlusCommunication = .encrypted
  ) async throws {
    try await perform(isChange: true) { try $0.write(block, data, communication) }
  }

  /// Reads the value in a block: one exchange.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` for a block that does not hold a value.
  public func value(
    _ block: Int, _ communication: MIFAREPlusCommunication = .encrypted
  ) async throws -> Int32 {
    _ = try MIFAREPlusProcedure.address(block)
    let data = try await readBlocks(block..<block + 1, communication)
    guard let value = MIFAREPlusValue(data) else {
      throw NFCError(.malformedContent, "the block holds no value", place: .block(block))
    }
    return value.value
  }

  /// Writes a value to a block, in the format of a value block: one exchange.
  ///
  /// - Throws: as ``writeBlock(_:_:_:)``: ``NFCError/Code/notAuthenticated``, ``NFCError/Code/tagRefused``.
  public func setValue(
    _ block: Int, _ value: Int32, _ communication: MIFAREPlusCommunication = .encrypted
  ) async throws {
    let data = MIFAREPlusValue(value: value, address: UInt8(truncatingIfNeeded: block)).bytes
    try await writeBlock(block, data, communication)
  }

  /// Adds to a value, or subtracts if `amount` is negative: one exchange, which the card performs
  /// completely or not at all.
  ///
  /// - Parameter target: the block that receives the result; `nil` for the same block.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session, if the access conditions do
  ///   not allow it, and for a block that does not hold a value; ``NFCError/Code/tagRefused`` for a
  ///   block that the card does not have.
  public func changeValue(_ block: Int, by amount: Int32, into target: Int? = nil) async throws {
    try await perform(isChange: true) {
      try $0.changeValue(block, by: amount, into: target ?? block)
    }
  }

  /// Copies a value: two exchanges. Only the second changes anything.
  ///
  /// - Throws: as ``changeValue(_:by:into:)``: ``NFCError/Code/notAuthenticated``, ``NFCError/Code/tagRefused``.
  public func copyValue(_ block: Int, to target: Int) async throws {
    try await perform(isChange: true) { try $0.copyValue(block, to: target) }
  }

  /// Replaces a key: one exchange, which the card performs completely or not at all. The sector's
  /// access conditions must give this right to the session's key; the card's own keys are changed
  /// with its master key.
  ///
  /// A lost key cannot be recovered. If the answer is lost, only another authentication shows which
  /// key is valid.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of a key that allows it;
  ///   ``NFCError/Code/invalidParameter`` for a key that is not 16 bytes long;
  ///   ``NFCError/Code/tagRefused`` for an address that the card does not have.
  public func changeKey(_ address: MIFAREPlusKeyAddress, to key: SecretKey) async throws {
    try await perform(isChange: true) { try $0.changeKey(address, to: key) }
  }
}

extension MIFAREPlusCard {
  /// Writes a key in security level 0: one exchange. It takes effect with the commit.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a key that is not 16 bytes long;
  ///   ``NFCError/Code/tagRefused`` for an address that the card does not have;
  ///   ``NFCError/Code/unsupported`` in another security level.
  public func personalize(_ address: MIFAREPlusKeyAddress, _ key: SecretKey) async throws {
    guard key.count == Self.keySize else {
      throw NFCError(.invalidParameter, "a key has \(Self.keySize) bytes, not \(key.count)")
    }
    try await perform(isChange: true) { procedure in
      var bytes = key.withUnsafeBytes { Array($0) }
      defer { bytes.wipe() }
      try procedure.writePersonalization(address.number, bytes)
    }
  }

  /// Writes a block in security level 0: one exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for data that is not 16 bytes long;
  ///   ``NFCError/Code/tagRefused`` for a block that the card does not have;
  ///   ``NFCError/Code/unsupported`` in another security level.
  public func personalize(block: Int, _ data: [UInt8]) async throws {
    guard let number = UInt8(exactly: block), data.count == Self.blockSize else {
      throw NFCError(
        .invalidParameter, "a block is one of 0 to 255 and has \(Self.blockSize) bytes",
        place: .block(block))
    }
    try await perform(isChange: true) { try $0.writePersonalization(UInt16(number), data) }
  }

  /// Ends security level 0: one exchange. When the card next enters the field, it is in the next
  /// level: 1, or 3 if it has no level 1. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` until the card's own keys have been written.
  public func commitPersonalization() async throws {
    try await perform(isChange: true) { try $0.commitPersonalization() }
  }
}

/// A value and its address in a block, in the format of MIFARE Classic: the value three times, once
/// inverted; the address four times, twice inverted (MF1S50YYX data sheet, 8.6.2.1).
struct MIFAREPlusValue: Hashable, Sendable {
  let value: Int32
  let address: UInt8

  init(value: Int32, address: UInt8) {
    self.value = value
    self.address = address
  }

  /// Decodes a block; `nil` if the copies differ.
  init?(_ block: [UInt8]) {
    guard block.count == MIFAREPlusProcedure.blockSize else { return nil }
    let bits = block.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(value: Int32(bitPattern: bits), address: block[12])
    guard bytes == block else { return nil }
  }

  var bytes: [UInt8] {
    let plain = (0..<4).map { UInt8(truncatingIfNeeded: UInt32(bitPattern: value) >> (8 * $0)) }
    return plain + plain.map { ~$0 } + plain + [address, ~address, address, ~address]
  }
}
