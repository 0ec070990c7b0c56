/// The commands of MIFARE Classic: one exchange with the reader each, the cipher run by its chip.
///
/// A block can be touched after its sector was authenticated; a refused command ends that. Source:
/// NXP MF1S50YYX and MF1S70YYX data sheets, 9 and 10.
public struct MiFareClassicCommands: Sendable {
  let handle: TagHandle

  /// How the card's memory is divided.
  public let geometry: MiFareClassicGeometry

  /// `nil` if SAK is none of MIFARE Classic.
  init?(handle: TagHandle, target: ISO14443ATarget) {
    guard let geometry = MiFareClassicGeometry(sak: target.sak) else { return nil }
    self.handle = handle
    self.geometry = geometry
  }

  /// Opens the sector of a block.
  ///
  /// - Parameter key: six bytes.
  /// - Throws: `authenticationFailed` if it is not this key.
  public func authenticate(block: UInt8, _ keyType: MiFareClassicKeyType, key: [UInt8]) async throws
  {
    try await handle.perform { try MiFareClassicExchange.authenticate(block, keyType, key, $0) }
  }

  /// Reads a block: 16 bytes. Key A of a trailer reads as zeros.
  public func readBlock(_ block: UInt8) async throws -> [UInt8] {
    try await handle.perform { try MiFareClassicExchange.read(block, $0) }
  }

  /// Writes a block of 16 bytes.
  ///
  /// - Throws: `malformedContent` for a sector trailer whose access bits are broken, before anything is
  ///   sent: it would close the sector for good.
  public func writeBlock(_ block: UInt8, _ data: [UInt8]) async throws {
    guard data.count == MiFareClassicGeometry.blockSize else {
      throw NFCError(
        .invalidParameter, "a block has 16 bytes, not \(data.count)", place: .block(Int(block)))
    }
    if geometry.isTrailer(Int(block)) { _ = try MiFareClassicSectorTrailer(data) }
    try await send([MiFareClassicExchange.write, block] + data)
  }

  /// Adds to a value block, into the card's transfer buffer; ``transfer(to:)`` writes it.
  public func increment(_ block: UInt8, by value: UInt32) async throws {
    try await send([MiFareClassicExchange.increment, block] + Self.littleEndian(value))
  }

  /// Takes from a value block, into the card's transfer buffer; ``transfer(to:)`` writes it.
  public func decrement(_ block: UInt8, by value: UInt32) async throws {
    try await send([MiFareClassicExchange.decrement, block] + Self.littleEndian(value))
  }

  /// Loads a value block into the card's transfer buffer.
  public func restore(_ block: UInt8) async throws {
    try await send([MiFareClassicExchange.restore, block] + Self.littleEndian(0))
  }

  /// Writes the transfer buffer to a block of the same sector.
  public func transfer(to block: UInt8) async throws {
    try await send([MiFareClassicExchange.transfer, block])
  }

  private func send(_ command: [UInt8]) async throws {
    _ = try await handle.performCommand { try MiFareClassicExchange.send(command, $0) }
  }

  static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// Commands of MIFARE Classic over the air.
enum MiFareClassicExchange {
  static let authenticateA: UInt8 = 0x60
  static let authenticateB: UInt8 = 0x61
  static let read: UInt8 = 0x30
  static let write: UInt8 = 0xA0
  static let transfer: UInt8 = 0xB0
  static let decrement: UInt8 = 0xC0
  static let increment: UInt8 = 0xC1
  static let restore: UInt8 = 0xC2

  static func authenticate(
    _ block: UInt8, _ keyType: MiFareClassicKeyType, _ key: [UInt8], _ link: TagLink
  ) throws {
    guard key.count == 6 else {
      throw NFCError(
        .invalidParameter, "a key has 6 bytes, not \(key.count)", place: .block(Int(block)))
    }
    do {
      try link.authenticate(block: block, keyType: keyType, key: key)
    } catch let error as NFCError where error.code == .authenticationFailed {
      // A reader says the same of a card that has left: this tells them apart.
      try link.selectAgain()
      throw error
    }
  }

  static func read(_ block: UInt8, _ link: TagLink) throws -> [UInt8] {
    let data = try send([read, block], link)
    guard data.count == 16 else {
      throw NFCError(
        .tagResponseError, "a block has 16 bytes, the tag gave \(data.count)",
        place: .block(Int(block)))
    }
    return data
  }

  /// Sends a command as the data sheet has it, with the second part of a two-part command right behind
  /// the first. A command that only is acknowledged gives `0A`.
  static func send(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    let block = command.count > 1 ? Int(command[1]) : nil
    switch (command[0], command.count) {
    case (authenticateA, 8), (authenticateB, 8):
      let keyType: MiFareClassicKeyType = command[0] == authenticateA ? .a : .b
      try authenticate(command[1], keyType, Array(command[2...]), link)
      return [UltralightExchange.acknowledge]
    case (read, 2), (write, 18), (transfer, 2), (decrement, 6), (increment, 6), (restore, 2),
      (restore, 6):
      break
    default:
      throw NFCError(
        .invalidParameter,
        "a MIFARE Classic takes 60 and 61 (block, key), 30 and B0 (block), A0 (block, 16 bytes), C0 to C2 "
          + "(block, 4 bytes)")
    }
    do {
      let answer = try link.exchange(command, framing: .tagProtocol)
      return answer.isEmpty ? [UltralightExchange.acknowledge] : answer
    } catch let error as NFCError where error.isRefusal {
      // A reader's chip gives no more than "no good answer" for a refusal. A card that is still there has
      // refused; it has to be woken again in either case.
      try link.selectAgain()
      throw NFCError(
        .tagRefused,
        "the card has refused command \([command[0]].hexadecimal) or not heard it: the sector is not open, or "
          + "its access conditions forbid it",
        cause: error.cause == .noAnswer ? nil : error.cause, place: block.map { .block($0) })
    }
  }
}

extension NFCError {
  /// How a reader's chip tells a refusal of a MIFARE Classic: as silence, or by a code of its own.
  fileprivate var isRefusal: Bool {
    switch (code, cause) {
    case (.tagRefused, _), (.tagResponseError, .noAnswer), (.tagResponseError, .chip): true
    default: false
    }
  }
}
