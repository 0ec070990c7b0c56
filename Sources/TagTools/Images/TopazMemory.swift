import NFC
import TagImages

/// The memory of a Type 1 tag.
struct TopazMemory {
  /// The commands. RALL returns the header ROM and 120 bytes, and READ8 a block of eight bytes. WRITE-E
  /// writes a byte, and WRITE-E8 a block (NFC Forum Type 1 Tag Operation 1.1, 5). A complete segment, RSEG,
  /// is longer than a PN532 accepts.
  private enum Command {
    static let readAll: [UInt8] = [0x00, 0x00, 0x00]
    static func readBlock(_ number: UInt8) -> [UInt8] {
      [0x02, number] + [UInt8](repeating: 0, count: blockSize)
    }
    static func write(_ byte: UInt8, at address: UInt8) -> [UInt8] { [0x53, address, byte] }
    static func writeBlock(_ number: UInt8, _ data: [UInt8]) -> [UInt8] { [0x54, number] + data }
  }

  static let blockSize = 8
  private static let headerROMLength = 2
  static let staticSize = 120

  private let tag: OtherTag

  init(_ tag: OtherTag) { self.tag = tag }

  func read() async throws -> MemoryTag.Content {
    let size = try await DetectedTag.other(tag).product()?.memorySize ?? Self.staticSize
    let answer = try await tag.transceive(Command.readAll)
    var bytes = Array(answer.dropFirst(Self.headerROMLength))
    if size > bytes.count {
      for number in bytes.count / Self.blockSize..<size / Self.blockSize {
        bytes += try await tag.transceive(Command.readBlock(UInt8(clamping: number))).dropFirst()
      }
    }
    guard bytes.count == size else {
      throw NFCError(.tagResponseError, "the tag's answers have \(bytes.count) bytes, not \(size)")
    }
    var image = TagImage(.topaz, unitSize: Self.blockSize, bytes: bytes)
    image.uid = Array(bytes.prefix(7))
    image.headerROM = Array(answer.prefix(Self.headerROMLength))
    return MemoryTag.Content(image: image, missing: nil)
  }

  /// Writes a block, with eight exchanges in the static memory and one exchange beyond it.
  ///
  /// - Parameter lengthFirst: whether bytes are written from the first on, so that a length that becomes 0 comes before
  ///   the message; otherwise from the last on, so that it comes after.
  /// - Throws: `NFCError` `readOnly` for a block that the tag does not change. The tag's answer contains the
  ///   current content.
  func write(_ data: [UInt8], block: Int, over old: [UInt8?], lengthFirst: Bool) async throws {
    let first = block * Self.blockSize
    guard first < Self.staticSize else {
      let answer = try await tag.transceive(Command.writeBlock(UInt8(clamping: block), data))
      guard Array(answer.dropFirst()) == data else {
        throw NFCError(.readOnly, "the tag keeps what it has", place: .block(block))
      }
      return
    }
    let bytes = Array(data.enumerated())
    for (index, byte) in lengthFirst ? bytes : bytes.reversed() where old[index] != byte {
      let answer = try await tag.transceive(
        Command.write(byte, at: UInt8(clamping: first + index)))
      guard answer.last == byte else {
        throw NFCError(.readOnly, "the tag keeps what it has", place: .block(block))
      }
    }
  }
}
