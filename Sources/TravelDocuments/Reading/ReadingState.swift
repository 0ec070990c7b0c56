/// What is known of a document that is being read. It survives the end of a connection.
struct ReadingState: Sendable {
  enum Lookup: Hashable {
    case unknown
    case absent
    case found([UInt8])

    var bytes: [UInt8]? { if case .found(let bytes) = self { bytes } else { nil } }
  }

  /// What the chip has shown about its own key.
  enum ChipProof: Hashable {
    case notAsked
    /// The keys were replaced, and no answer has come since.
    case pending
    case proven
    /// The chip does not have the key.
    case wrong
    case unknown(String)
  }

  var cardAccess = Lookup.unknown
  var attributes = Lookup.unknown
  var access: DocumentAccess?
  var files: [DocumentFile: PartialFile] = [:]
  var absent: Set<DocumentFile> = []
  /// Files that the chip refuses, or that are malformed, with the reason.
  var unreadable: [DocumentFile: String] = [:]
  /// Whether one of those is malformed.
  var hasMalformedFile = false
  var habits = ReadingHabits()
  var chipAuthentication = ChipProof.notAsked
  var activeAuthentication = ChipProof.notAsked
  var mappingProof: PACE.ChipProof?
  /// Whether the password was sent in any form.
  var hasUsedPassword = false
  /// Whether it has opened the chip.
  var isPasswordProven = false
  var exchangeCount = 0
  /// What the user should know, as clauses.
  var notes: [String] = []

  /// Whether a complete file was read.
  func content(of file: DocumentFile) -> [UInt8]? {
    files[file].flatMap { $0.isComplete ? $0.bytes : nil }
  }

  mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }
}
