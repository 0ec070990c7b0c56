extension UInt8 {
  /// Whether the character needs no encoding anywhere in a URI (RFC 3986, 2.3).
  var isUnreservedInURI: Bool {
    isLetterASCII || isDigitASCII || [UInt8]("-._~".utf8).contains(self)
  }
}

extension String {
  /// Returns the text as part of a URI: each byte of UTF-8 that is not unreserved becomes `%` and
  /// two digits.
  ///
  /// - Parameter allowed: characters that need no encoding in this part.
  func percentEncoded(allowing allowed: String = "") -> String {
    let allowed = Array(allowed.utf8)
    return utf8.map { byte in
      byte.isUnreservedInURI || allowed.contains(byte)
        ? String(UnicodeScalar(byte)) : "%\([byte].hexadecimal)"
    }.joined()
  }

  /// The text without leading and trailing blanks and line ends.
  var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
