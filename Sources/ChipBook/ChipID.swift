/// The identity of a chip, or of a group of chips that activation or UID leave open: a word that its record, and nothing
/// else, has.
///
/// A name is only for people: makers give several chips the same one, and the names of this package may be corrected. Code
/// outside the book cannot mention a chip: it asks the chip's record.
struct ChipID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  let description: String

  init(stringLiteral word: String) { description = word }
}
