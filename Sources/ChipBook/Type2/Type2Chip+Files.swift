extension Type2Chip {
  /// The chips that files name, with a map of their pages.
  package static let inFiles = all.filter { $0.files != nil && $0.pages != nil }

  /// Returns the chip of ``inFiles`` with the pages of the one with this answer to GET_VERSION; `nil` if there is none.
  package static func inFiles(version answer: [UInt8]) -> Type2Chip? {
    guard let chip = version(answer) else { return nil }
    return inFiles.first { $0.id == chip.model ?? chip.id }
  }

  /// Returns the chips of ``inFiles`` with this number of pages, or of whose files some have that many.
  package static func inFiles(pageCount: Int) -> [Type2Chip] {
    let complete = inFiles.filter { $0.pageCount == pageCount }
    return complete.isEmpty ? partial(pageCount: pageCount).map { [$0] } ?? [] : complete
  }

  /// Returns the chip of whose files some have this number of pages, which lacks the last ones.
  package static func partial(pageCount: Int) -> Type2Chip? {
    inFiles.first { $0.files?.partialPageCounts.contains(pageCount) ?? false }
  }

  /// The number of pages of a complete image; 0 if that is not known.
  package var pageCount: Int { pages?.end ?? 0 }

  /// The name that Flipper Zero writes for every chip that it does not know.
  package static let flipperNameOfOthers = "Mifare Ultralight"

  /// The number of pages of a signature that some programs store after those of the chip.
  package static let signaturePageCount = 8

  /// The counters, by number.
  package var counterNumbers: Range<Int> {
    guard let first = counters.min(), let last = counters.max() else { return 0..<0 }
    return Int(first)..<Int(last) + 1
  }

  /// The answers to GET_VERSION; none for a chip that does not support the command.
  package var versions: [Version] {
    if case .version(let versions) = recognition { versions } else { [] }
  }

  /// An answer to GET_VERSION; `nil` for a chip that does not support the command.
  package var versionAnswer: [UInt8]? { versions.first?.answer }

  /// Whether NXP sells the chip as an NTAG.
  package var isNTAG: Bool { versions.first.map { $0.type == Version.ntagType } ?? false }

  /// Whether the chip has a key that no command reads.
  package var hasUnreadableKey: Bool { pages.map { $0.readableEnd < $0.end } ?? false }
}
