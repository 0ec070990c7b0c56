import NFC
import TagImages

/// The memory of an Ultralight or NTAG chip whose pages are not known: whatever it returns.
enum UnknownPages {
  private static let pageSize = 4
  /// An address has one byte.
  private static let largestCount = 256

  /// Reads pages until the chip refuses one, or begins again with page 0: one exchange for each four pages.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if the chip refuses page 0.
  static func read(_ commands: UltralightCommands) async throws -> MemoryTag.Content {
    var bytes: [UInt8] = []
    var isRefused = false
    while bytes.count < largestCount * pageSize {
      let answer: [UInt8]
      do {
        answer = try await commands.readFourPages(from: bytes.count / pageSize)
      } catch let error as NFCError where error.code == .tagRefused && !bytes.isEmpty {
        isRefused = true
        break
      }
      let new = bytes.isEmpty ? answer[...] : answer.prefix(lengthBeforeWrap(of: answer, to: bytes))
      bytes += new
      guard new.count == answer.count else { break }
    }
    bytes = Array(bytes.prefix(largestCount * pageSize))
    let count = bytes.count / pageSize
    return MemoryTag.Content(
      image: TagImage(.type2, unitSize: pageSize, bytes: bytes),
      remark: "how this chip uses its pages is not known: \(count) were read"
        + (isRefused ? ", until it refused the next one" : ""))
  }

  /// Returns the number of bytes before the first page from which on an answer repeats the beginning of the memory.
  private static func lengthBeforeWrap(of answer: [UInt8], to first: [UInt8]) -> Int {
    stride(from: 0, to: answer.count, by: pageSize).first { start in
      first.starts(with: answer[start...])
    } ?? answer.count
  }
}
