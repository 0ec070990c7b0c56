import Foundation
import NDEF

/// Links (NFC Forum URI RTD 1.0) and texts (NFC Forum Text RTD 1.0).
extension NFCNDEFPayload {
  /// What BCP 47 calls a language that is not determined (RFC 5646, 4.1).
  private static let undetermined = "und"

  /// Returns a record of the type, `nil` if it is larger than a message may be.
  private class func wellKnown(_ record: NDEFRecord) -> Self? {
    guard record.encodedLength <= NFCNDEFMessage.maximumLength else { return nil }
    return Self(
      format: .nfcWellKnown, type: Data(record.type), identifier: Data(),
      payload: Data(record.payload))
  }

  /// Returns the record of a link from a text, which need not be a valid `URL`. Prefixes that the
  /// type abbreviates, such as `https://www.`, are abbreviated.
  ///
  /// - Returns: `nil` for a link of more than 128 KiB.
  public class func wellKnownTypeURIPayload(string uri: String) -> Self? {
    wellKnown(URIRecord(uri).record)
  }

  /// Returns the record of a link; see ``wellKnownTypeURIPayload(string:)``.
  public class func wellKnownTypeURIPayload(url: URL) -> Self? {
    wellKnownTypeURIPayload(string: url.absoluteString)
  }

  /// Returns the record of a text, in UTF-8.
  ///
  /// - Parameter locale: the locale, of which the record stores the language.
  /// - Returns: `nil` for a text of more than 128 KiB.
  public class func wellKnownTypeTextPayload(string text: String, locale: Locale) -> Self? {
    let language = locale.language.languageCode?.identifier ?? undetermined
    return wellKnown(TextRecord(text, language: language).record)
  }

  /// Returns the record of a text. The misspelled name is Apple's original one; see
  /// ``wellKnownTypeTextPayload(string:locale:)``.
  public class func wellKnowTypeTextPayload(string text: String, locale: Locale) -> Self? {
    wellKnownTypeTextPayload(string: text, locale: locale)
  }

  /// Returns the link of the record, with its prefix expanded; `nil` if the record is not a link.
  public func wellKnownTypeURIPayload() -> URL? {
    (try? URIRecord(native)).flatMap { URL(string: $0.uri) }
  }

  /// Returns the text of the record and its language, both `nil` if the record is not a text.
  public func wellKnownTypeTextPayload() -> (String?, Locale?) {
    // A text without a language is malformed, and a text nevertheless.
    var tolerance = NDEFTolerance.lenient
    guard let record = try? TextRecord(native, tolerance: &tolerance),
      tolerance.firstError.map({ $0.code == .missingField }) ?? true
    else { return (nil, nil) }
    return (record.text, Locale(identifier: record.language))
  }
}
