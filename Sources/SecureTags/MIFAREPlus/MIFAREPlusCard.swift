import NFCCore
import Synchronization

/// A MIFARE Plus card in security level 3, or in level 0, as it leaves the factory. In level 1 it is found and used as
/// a MIFARE Classic; ``MIFAREPlusLevelOneCard`` has what it can do besides.
///
/// ```swift
/// let card = try await MIFAREPlusCard(tag)
/// try await card.authenticate(sector: 1, key)
/// print(try await card.readBlocks(4..<7))
/// ```
///
/// What an authentication proves holds until the card refuses something or a command fails. Every command and answer
/// has a MAC; an answer whose MAC is wrong is not used and ends the session.
public final class MIFAREPlusCard: Sendable {
  /// In bytes.
  public static let blockSize = MIFAREPlusProcedure.blockSize
  /// In bytes.
  public static let keySize = 16
  /// The sectors of the largest card.
  package static let mostSectors = MIFAREPlusKeyAddress.mostSectors

  /// The tag that the card is.
  public let tag: any MiFareTag
  private let random: RandomBytes
  private let session = Mutex<MIFAREPlusSession?>(nil)

  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public convenience init(_ tag: any MiFareTag) throws {
    try self.init(tag, random: RandomSource.system)
  }

  init(_ tag: any MiFareTag, random: @escaping RandomBytes) throws {
    guard tag.family == .plus else {
      throw NFCError(.wrongTag, "the tag is not a MIFARE Plus in security level 0 or 3")
    }
    self.tag = tag
    self.random = random
  }

  func perform<Result: Sendable>(
    _ body: @Sendable (inout MIFAREPlusProcedure) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [self] link in
      var procedure = MIFAREPlusProcedure(
        send: { try link.transceive($0) }, session: session.withLock { $0 }, random: random)
      defer { session.withLock { $0 = procedure.session } }
      return try body(&procedure)
    }
  }

  /// Proves a key: two exchanges. In a session it goes on with the same transaction.
  ///
  /// - Parameter key: 16 bytes.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key; ``NFCError/Code/tagRefused`` for an address
  ///   that the card does not have.
  public func authenticate(_ address: MIFAREPlusKeyAddress, _ key: SecretKey) async throws {
    try await perform { try $0.authenticate(address, key) }
  }

  /// Proves key A or B of a sector, as ``authenticate(_:_:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a sector that no card has; else as ``authenticate(_:_:)``:
  ///   ``NFCError/Code/authenticationFailed``, ``NFCError/Code/tagRefused``.
  public func authenticate(
    sector: Int, isB: Bool = false, _ key: SecretKey
  ) async throws {
    guard let address = MIFAREPlusKeyAddress(sector: sector, isB: isB) else {
      throw NFCError(
        .invalidParameter, "sectors are 0 to \(Self.mostSectors - 1)", place: .sector(sector))
    }
    try await authenticate(address, key)
  }

  /// The security level, 0 or 3: two exchanges at most. Ends what was proved.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagResponseError``.
  public func securityLevel() async throws -> Int { try await perform { try $0.securityLevel() } }

  /// Ends what was proved: one exchange, and none without a session.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagResponseError``.
  public func endSession() async throws { try await perform { try $0.reset() } }

  /// Reads blocks of the sector whose key was proved: one exchange for each 15.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a key, and where the sector's access conditions do not
  ///   allow it, or not in this form.
  public func readBlocks(
    _ blocks: Range<Int>, _ communication: MIFAREPlusCommunication = .enciphered
  ) async throws -> [UInt8] {
    try await perform { try $0.read(blocks, communication) }
  }

  /// Writes a block of the sector whose key was proved: one exchange, carried out whole or not at all.
  ///
  /// A sector's last block has its access conditions: bits that no key may change **cannot be had back**.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for data that have not 16 bytes; else as ``readBlocks(_:_:)``.
  public func writeBlock(
    _ block: Int, _ data: [UInt8], _ communication: MIFAREPlusCommunication = .enciphered
  ) async throws {
    try await perform { try $0.write(block, data, communication) }
  }

  /// The value in a block: one exchange.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` for a block that holds no value.
  public func value(
    _ block: Int, _ communication: MIFAREPlusCommunication = .enciphered
  ) async throws -> Int32 {
    _ = try MIFAREPlusProcedure.address(block)
    let data = try await readBlocks(block..<block + 1, communication)
    guard let value = MIFAREPlusValue(data) else {
      throw NFCError(.malformedContent, "the block holds no value", place: .block(block))
    }
    return value.value
  }

  /// Makes a block one that holds a value: one exchange.
  ///
  /// - Throws: as ``writeBlock(_:_:_:)``: ``NFCError/Code/notAuthenticated``, ``NFCError/Code/tagRefused``.
  public func setValue(
    _ block: Int, _ value: Int32, _ communication: MIFAREPlusCommunication = .enciphered
  ) async throws {
    let data = MIFAREPlusValue(value: value, address: UInt8(truncatingIfNeeded: block)).bytes
    try await writeBlock(block, data, communication)
  }

  /// Adds to a value, or takes from it if `amount` is negative: one exchange, carried out whole or not at all.
  ///
  /// - Parameter target: the block that has the result; `nil` for the same.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a key, where the access conditions do not allow it, and
  ///   for a block that holds no value; ``NFCError/Code/tagRefused`` for a block that the card does not have.
  public func changeValue(_ block: Int, by amount: Int32, into target: Int? = nil) async throws {
    try await perform { try $0.changeValue(block, by: amount, into: target ?? block) }
  }

  /// Copies a value: two exchanges, of which only the second changes anything.
  ///
  /// - Throws: as ``changeValue(_:by:into:)``: ``NFCError/Code/notAuthenticated``, ``NFCError/Code/tagRefused``.
  public func copyValue(_ block: Int, to target: Int) async throws {
    try await perform { try $0.copyValue(block, to: target) }
  }

  /// Takes the place of a key: one exchange, carried out whole or not at all. The key that was proved has to be one
  /// that may, by the sector's access conditions; the card's own keys are changed with its master key.
  ///
  /// A key that is lost cannot be had back. If the answer is lost, only another authentication shows which key is
  /// there.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a key that may do it; ``NFCError/Code/invalidParameter``
  ///   for a key that has not 16 bytes; ``NFCError/Code/tagRefused`` for an address that the card does not have.
  public func changeKey(_ address: MIFAREPlusKeyAddress, to key: SecretKey) async throws {
    try await perform { try $0.changeKey(address, to: key) }
  }
}

extension MIFAREPlusCard {
  /// In security level 0: writes a key, which counts from the commit on. One exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a key that has not 16 bytes; ``NFCError/Code/tagRefused`` for
  ///   an address that the card does not have; ``NFCError/Code/unsupported`` in another security level.
  public func personalize(_ address: MIFAREPlusKeyAddress, _ key: SecretKey) async throws {
    guard key.count == Self.keySize else {
      throw NFCError(.invalidParameter, "a key has \(Self.keySize) bytes, not \(key.count)")
    }
    try await perform { procedure in
      var bytes = key.withUnsafeBytes { Array($0) }
      defer { bytes.wipe() }
      try procedure.writePersonalization(address.number, bytes)
    }
  }

  /// In security level 0: writes a block. One exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for data that have not 16 bytes; ``NFCError/Code/tagRefused`` for
  ///   a block that the card does not have; ``NFCError/Code/unsupported`` in another security level.
  public func personalize(block: Int, _ data: [UInt8]) async throws {
    guard let number = UInt8(exactly: block), data.count == Self.blockSize else {
      throw NFCError(
        .invalidParameter, "a block is one of 0 to 255 and has \(Self.blockSize) bytes",
        place: .block(block))
    }
    try await perform { try $0.writePersonalization(UInt16(number), data) }
  }

  /// Ends security level 0: one exchange. The card is of the next level when it comes into the field again: of level 1,
  /// or of level 3 where it has no other. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` as long as the card's own keys have not been written.
  public func commitPersonalization() async throws {
    try await perform { try $0.commitPersonalization() }
  }
}

/// A value and its address in a block, in the form of MIFARE Classic: the value three times, once inverted, the address
/// four times, twice inverted (MF1S50YYX data sheet, 8.6.2.1).
struct MIFAREPlusValue: Hashable, Sendable {
  let value: Int32
  let address: UInt8

  init(value: Int32, address: UInt8) {
    self.value = value
    self.address = address
  }

  /// `nil` if the copies differ.
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
