extension UInt8 {
  /// Whether the character stands for itself everywhere in a URI (RFC 3986, 2.3).
  var isUnreservedInURI: Bool {
    isLetterASCII || isDigitASCII || [UInt8]("-._~".utf8).contains(self)
  }
}

extension String {
  /// The text as part of a URI, each byte of UTF-8 that is not unreserved as `%` and two digits.
  ///
  /// - Parameter allowed: characters that stand for themselves in this part.
  func percentEncoded(allowing allowed: String = "") -> String {
    let allowed = Array(allowed.utf8)
    return utf8.map { byte in
      byte.isUnreservedInURI || allowed.contains(byte)
        ? String(UnicodeScalar(byte)) : "%\([byte].hexadecimal)"
    }.joined()
  }

  /// The text without blanks and line ends around it.
  var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
