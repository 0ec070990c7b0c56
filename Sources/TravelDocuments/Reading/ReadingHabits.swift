import SwiftNFCCore

/// How a chip is read, as far as it has shown. It is kept for the rest of the document, also in a new session.
struct ReadingHabits: Hashable, Sendable {
  /// Whether files are read by their short identifiers; otherwise each is selected first.
  var usesShortIdentifiers = true
  /// Whether a read by short identifier has worked.
  var hasUsedShortIdentifier = false
  /// The number of bytes that are read at once, if the chip has refused more.
  var size: Int?
  /// The maximum length of an answer with extended length fields, as far as the chip states it and the reader
  /// supports it.
  var extendedAnswer: Int?

  /// The sizes that are tried one after the other; old chips refuse larger ones.
  private static let smallerSizes = [223, 192, 160, 128, 112]

  /// Lowers the size after a refusal.
  ///
  /// - Parameter stated: the size that the chip has named.
  /// - Returns: `false` if there is no smaller one.
  mutating func lower(below current: Int, stated: Int? = nil) -> Bool {
    if extendedAnswer != nil {
      extendedAnswer = nil
      return true
    }
    guard
      let next = stated.flatMap({ (1..<current).contains($0) ? $0 : nil })
        ?? Self.smallerSizes.first(where: { $0 < current })
    else { return false }
    size = next
    return true
  }
}

/// A file that is being read.
struct PartialFile: Hashable, Sendable {
  var bytes: [UInt8] = []
  /// The size of the object; `nil` while it is not known, and for an indefinite length.
  var total: Int?

  var isComplete: Bool { total.map { bytes.count >= $0 } ?? false }

  /// The first bytes give the size.
  mutating func learnSize() throws(DataObjectError) {
    guard total == nil, let header = try BERObject.Header(bytes[...]) else { return }
    if let length = header.length {
      total = header.size + length
    } else if let object = try? BERObject(bytes) {
      total = object.encoded.count
    }
  }
}
