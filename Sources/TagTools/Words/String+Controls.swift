import SwiftNFCJSONText

extension String {
  /// The text without control characters. A file name, or text from a tag or device, must neither split a line in
  /// two, nor control the terminal, nor change the direction of writing.
  package var onOneLine: String { replacingControls { _ in false } }

  /// Lines of text in which there are no other control characters than their ends.
  package var onLines: String { replacingControls { $0 == "\n" } }

  private func replacingControls(except isKept: (Unicode.Scalar) -> Bool) -> String {
    String(
      String.UnicodeScalarView(unicodeScalars.map { $0.isControlling && !isKept($0) ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, a separator of lines, or a character that is not seen or changes the
  /// direction of writing.
  fileprivate var isControlling: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || isDeceptive
  }
}
