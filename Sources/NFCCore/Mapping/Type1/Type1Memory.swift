/// The bytes of a Type 1 tag that are known, and the commands that a reader's chip has for it.
///
/// The reader completes each command with the tag's UID. It has RALL, READ, WRITE-E and WRITE-NE,
/// which reach the first 128 bytes. RSEG, READ8 and WRITE-E8, for what lies beyond, are not among the
/// commands that a PN53x forwards, and their frames (every byte a frame of its own, the first of
/// seven bits) cannot be sent by its raw exchange either.
///
/// Source: NFC Forum Type 1 Tag, 5; PN532 user manual, 7.3.8; libnfc's interface.
struct Type1Memory: Sendable {
  static let blockSize = 8
  /// What RALL gives after the two header bytes: blocks 0 to E.
  static let staticSize = 120
  /// Where an address of seven bits ends.
  static let reachableSize = 128
  private static let timeout = Duration.milliseconds(200)

  enum Command {
    static let readAll: UInt8 = 0x00
    static let writeErase: UInt8 = 0x53
    static let writeNoErase: UInt8 = 0x1A
  }

  /// HR0, HR1: what the tag is.
  private(set) var header: [UInt8] = []
  private var bytes: [UInt8?] = []

  /// High half 1: it may hold NDEF; low half 1: its memory is static.
  var mayHoldNDEF: Bool { header.first.map { $0 >> 4 == 1 } ?? false }
  var isStatic: Bool { header.first.map { $0 & 0x0F == 1 } ?? false }
  var isKnown: Bool { !bytes.isEmpty }

  func byte(_ address: Int) -> UInt8? {
    bytes.indices.contains(address) ? bytes[address] : nil
  }

  /// RALL: one exchange.
  mutating func load(_ link: TagLink) throws {
    let answer = try link.exchange(
      [Command.readAll, 0, 0], framing: .tagProtocol, timeout: Self.timeout)
    guard answer.count == 2 + Self.staticSize else {
      throw NFCError(
        .tagResponseError, "RALL gave \(answer.count) bytes, not \(2 + Self.staticSize)")
    }
    header = Array(answer.prefix(2))
    bytes = answer.dropFirst(2).map { $0 }
  }

  /// WRITE-E of one byte, which the tag answers with what the byte then holds.
  ///
  /// Throws `readOnly` with the block if that is something else and nothing has been written before,
  /// `tagRefused` if it is a later write.
  mutating func write(
    _ byte: UInt8, at address: Int, isFirst: Bool, _ link: TagLink
  ) throws {
    let held = try send(Command.writeErase, byte, address, link)
    guard held == byte else {
      throw NFCError(
        isFirst ? .readOnly : .tagRefused,
        "the tag does not let this block be written: it is locked",
        place: .block(address / Self.blockSize))
    }
  }

  /// WRITE-NE of one byte: sets bits and clears none.
  mutating func set(_ bits: UInt8, at address: Int, _ link: TagLink) throws {
    let held = try send(Command.writeNoErase, bits, address, link)
    guard held & bits == bits else {
      throw NFCError(
        .tagRefused, "the tag does not let the bits of this block be set",
        place: .block(address / Self.blockSize))
    }
  }

  private mutating func send(
    _ command: UInt8, _ byte: UInt8, _ address: Int, _ link: TagLink
  ) throws -> UInt8 {
    guard (0..<Self.reachableSize).contains(address) else { throw Self.outOfReach(address) }
    if bytes.indices.contains(address) { bytes[address] = nil }
    let answer = try link.exchange(
      [command, UInt8(address), byte], framing: .tagProtocol, timeout: Self.timeout)
    // Some readers leave the address in front of it.
    guard let held = answer.last else {
      throw NFCError(
        .tagResponseError, "the tag's answer is empty", place: .block(address / Self.blockSize))
    }
    if bytes.indices.contains(address) { bytes[address] = held }
    return held
  }

  static func outOfReach(_ address: Int) -> NFCError {
    NFCError(
      .unsupported,
      "this reader reaches only the first 104 bytes of a Type 1 tag's data: it has no READ8 and no "
        + "WRITE-E8", place: .block(address / blockSize))
  }
}
