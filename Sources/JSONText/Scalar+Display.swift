extension Unicode.Scalar {
  /// Whether a text with this character looks like another one: it is not seen, or changes the direction of what is
  /// beside it. No script needs it for its spelling, unlike the joiners U+200C and U+200D.
  ///
  /// Characters of the category Cf (Unicode Standard, 23.2, 23.3, 23.7 to 23.9) and the line and paragraph separators.
  package var isDeceptive: Bool {
    switch value {
    // Soft hyphen, Arabic letter mark, zero width space, marks of direction.
    case 0xAD, 0x061C, 0x200B, 0x200E...0x200F: true
    // Separators, embeddings and overrides; word joiner, invisible operators, isolates, deprecated controls.
    case 0x2028...0x202E, 0x2060...0x206F: true
    // Byte order mark, annotations, tags.
    case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }
}
