extension MIMERecord {
  /// Checks that a text is a media type: `type/subtype`, with or without parameters.
  ///
  /// Source: RFC 6838, 4.2 (names); RFC 2045, 5.1 (parameters).
  ///
  /// - Throws: ``NDEFSyntaxError``, with the corrected form if one is likely.
  public static func validate(mediaType: String) throws(NDEFSyntaxError) {
    guard let problem = problem(ofMediaType: mediaType) else { return }
    let trimmed = mediaType.trimmingBlanks
    let candidates = [
      trimmed, commonNames[trimmed.lowercased()], trimmed.filter { !$0.isWhitespace },
      trimmed.split(separator: "/").joined(separator: "/"),
      trimmed.split(separator: "\\").joined(separator: "/"),
    ].compactMap(\.self)
    throw NDEFSyntaxError(
      problem, suggestion: candidates.first { Self.problem(ofMediaType: $0) == nil })
  }

  /// Names that people use instead of a media type.
  private static let commonNames = [
    "text": "text/plain", "txt": "text/plain", "plain": "text/plain", "html": "text/html",
    "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "svg": "image/svg+xml", "vcard": "text/vcard", "vcf": "text/vcard",
    "ics": "text/calendar", "calendar": "text/calendar",
  ]

  /// The maximum length of a type or subtype (RFC 6838, 4.2).
  private static let longestName = 127

  private static func problem(ofMediaType mediaType: String) -> String? {
    let type = mediaType.utf8.prefix { $0 != UInt8(ascii: ";") }
    let names = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard names.count == 2 else { return "a media type is a type, a slash and a subtype" }
    for name in names {
      guard let first = name.first else { return "a media type has a type and a subtype" }
      guard first.isLetterASCII || first.isDigitASCII,
        name.allSatisfy({
          $0.isLetterASCII || $0.isDigitASCII || [UInt8]("!#$&-^_.+".utf8).contains($0)
        })
      else {
        return "a media type has only letters, digits and some of !#$&-^_.+ in its names"
      }
      guard name.count <= longestName else {
        return "a name in a media type has at most \(longestName) characters"
      }
    }
    guard mediaType.utf8.count <= NDEFRecord.maximumTypeLength else {
      return "the media type is longer than \(NDEFRecord.maximumTypeLength) bytes"
    }
    let parameters = mediaType.utf8[type.endIndex...]
    guard parameters.allSatisfy(\.isPrintableASCII) else {
      return "the parameters of the media type are not printable US-ASCII"
    }
    return nil
  }
}
