extension ExternalRecord {
  /// Checks that a text is an external type: a domain name, a colon, a name.
  ///
  /// Source: NFC Forum RTD 1.0, 3.3; RFC 2141, 2.2 for the characters of the name.
  ///
  /// - Throws: ``NDEFSyntaxError``, with the corrected form if one is likely.
  public static func validate(type: String) throws(NDEFSyntaxError) {
    guard let problem = problem(ofType: type) else { return }
    let prefix = "urn:nfc:ext:"
    var candidate = type.trimmingBlanks
    if candidate.lowercased().hasPrefix(prefix) {
      candidate = String(candidate.dropFirst(prefix.count))
    }
    if !candidate.contains(":"), let slash = candidate.firstIndex(of: "/") {
      candidate.replaceSubrange(slash...slash, with: ":")
    }
    let corrected = String(candidate.map { $0.isWhitespace ? "-" : $0 })
    throw NDEFSyntaxError(
      problem, suggestion: Self.problem(ofType: corrected) == nil ? corrected : nil)
  }

  private static func problem(ofType type: String) -> String? {
    let parts = type.utf8.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return "an external type is a domain name, a colon and a name" }
    if type.lowercased().hasPrefix("urn:nfc:ext:") {
      return "an external type is written without urn:nfc:ext:"
    }
    let labels = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isDomain = labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
        && label.last != UInt8(ascii: "-")
        && label.allSatisfy {
          $0.isLetterASCII || $0.isDigitASCII || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }
    guard isDomain else { return "the part before the colon is not a domain name" }
    guard !parts[1].isEmpty else { return "there is no name after the colon" }
    let isName = parts[1].allSatisfy {
      $0.isUnreservedInURI || [UInt8]("()+,:=@;$!*'%/".utf8).contains($0)
    }
    guard isName else {
      return "the name after the colon has characters that a URN does not allow"
    }
    guard type.utf8.count <= NDEFRecord.maximumTypeLength else {
      return "the external type is longer than \(NDEFRecord.maximumTypeLength) bytes"
    }
    return nil
  }
}
