import NFC
import TagImages

/// The memory of a chip of ST's families SRx and ST25TB: blocks of 4 bytes, and a system block.
struct SRxMemory {
  /// Read_block and Write_block (SRIX4K data sheet, 6).
  private enum Command {
    static func read(_ block: UInt8) -> [UInt8] { [0x08, block] }
    static func write(_ data: [UInt8], at block: UInt8) -> [UInt8] { [0x09, block] + data }
  }

  static let blockSize = 4
  static let systemBlock: UInt8 = 0xFF
  /// Chips have 16, 64 or 128 blocks (Flipper Zero, lib/nfc/protocols/st25tb/st25tb.c).
  ///
  /// It is not confirmed that the smaller chips do not answer if a block number does not exist. They do not
  /// answer other commands that they cannot execute.
  private static let blockCounts: [UInt8] = [16, 64, 128]
  private static let mostBlocks: UInt8 = 128

  /// The time limit for an answer while blocks are written, which is the shortest that a PN532 waits. Every write is
  /// a silence of this length.
  private static let shortTimeout = Duration.milliseconds(50)
  /// The time in which a block is programmed (Flipper Zero, st25tb_poller_i.c; SRIX4K data sheet, 9).
  private static let programmingTime = Duration.milliseconds(7)

  private let tag: OtherTag

  init(_ tag: OtherTag) { self.tag = tag }

  func read() async throws -> MemoryTag.Content {
    let system = try await block(Self.systemBlock)
    // The UID says how many blocks a known chip has, as libnfc's nfc-st25tb and Flipper Zero take it from there.
    let count = try await tag.product()?.memorySize.flatMap { UInt8(exactly: $0 / Self.blockSize) }
    var bytes: [UInt8] = []
    for number in 0..<(count ?? Self.mostBlocks) {
      do {
        bytes += try await block(number)
      } catch let error as NFCError
        where error.cause == .noAnswer && count == nil && Self.blockCounts.contains(number)
      {
        // After it has not answered, the tag has to be woken again.
        try await tag.connect()
        break
      }
    }
    var image = TagImage(.st25tb, unitSize: Self.blockSize, bytes: bytes)
    image.uid = tag.identifier
    image.systemBlock = system
    return MemoryTag.Content(image: image)
  }

  private func block(_ number: UInt8, timeout: Duration? = nil) async throws -> [UInt8] {
    try OtherReading.checked(
      try await tag.transceive(Command.read(number), timeout: timeout), count: Self.blockSize,
      of: "block \(number)")
  }

  /// Wakes the tag, so that the reader does not wait longer than necessary for each answer that does not come.
  func prepareForWriting() async throws { try await tag.connect() }

  /// Writes a block and reads it back, because the chip answers nothing to Write_block (as nfc-st25tb for libnfc and
  /// Flipper Zero do it): two exchanges, and those with which the reader finds a tag again that has not answered.
  ///
  /// - Throws: `NFCError` `readOnly` for a block that the chip does not change.
  func write(_ data: [UInt8], block number: UInt8) async throws {
    do {
      _ = try await tag.transceive(Command.write(data, at: number), timeout: Self.shortTimeout)
    } catch let error as NFCError where error.code == .tagResponseError {
      // Whether it was carried out, only reading can show.
    }
    try await Task.sleep(for: Self.programmingTime)
    guard try await blockAfterWriting(number) == data else {
      throw NFCError(.readOnly, "the tag keeps what it has", place: .block(Int(number)))
    }
  }

  /// Reads a block of a tag that may have to be woken first.
  private func blockAfterWriting(_ number: UInt8) async throws -> [UInt8] {
    do {
      return try await block(number, timeout: Self.shortTimeout)
    } catch let error as NFCError where error.code == .tagResponseError {
      try await tag.connect()
      return try await block(number, timeout: Self.shortTimeout)
    }
  }
}
