import Foundation
import NDEF

/// Links (NFC Forum URI RTD 1.0) and texts (NFC Forum Text RTD 1.0).
extension NFCNDEFPayload {
  /// What BCP 47 calls a language that is not determined (RFC 5646, 4.1).
  private static let undetermined = "und"

  /// A record of the type, `nil` if it is larger than a message may be.
  private class func wellKnown(_ record: NDEFRecord) -> Self? {
    guard record.encodedLength <= NFCNDEFMessage.maximumLength else { return nil }
    return Self(
      format: .nfcWellKnown, type: Data(record.type), identifier: Data(),
      payload: Data(record.payload))
  }

  /// The record of a link, given as text, which may be one that `URL` cannot hold. What the type
  /// abbreviates, `https://www.` for instance, is abbreviated.
  ///
  /// - Returns: `nil` for a link of more than 128 KiB.
  public class func wellKnownTypeURIPayload(string uri: String) -> Self? {
    wellKnown(URIRecord(uri).record)
  }

  /// The record of a link; see ``wellKnownTypeURIPayload(string:)``.
  public class func wellKnownTypeURIPayload(url: URL) -> Self? {
    wellKnownTypeURIPayload(string: url.absoluteString)
  }

  /// The record of a text, in UTF-8.
  ///
  /// - Parameter locale: of what it says, the record keeps the language.
  /// - Returns: `nil` for a text of more than 128 KiB.
  public class func wellKnownTypeTextPayload(string text: String, locale: Locale) -> Self? {
    let language = locale.language.languageCode?.identifier ?? undetermined
    return wellKnown(TextRecord(text, language: language).record)
  }

  /// ``wellKnownTypeTextPayload(string:locale:)`` as Apple misspelt it at first.
  public class func wellKnowTypeTextPayload(string text: String, locale: Locale) -> Self? {
    wellKnownTypeTextPayload(string: text, locale: locale)
  }

  /// The link of the record, what it abbreviates written out; `nil` if the record is not one of a link.
  public func wellKnownTypeURIPayload() -> URL? {
    (try? URIRecord(native)).flatMap { URL(string: $0.uri) }
  }

  /// The text of the record and its language, both `nil` if the record is not one of a text.
  public func wellKnownTypeTextPayload() -> (String?, Locale?) {
    guard let record = try? TextRecord(native) else { return (nil, nil) }
    return (record.text, Locale(identifier: record.language))
  }
}
