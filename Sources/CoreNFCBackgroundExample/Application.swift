import CoreNFC

/// A program as it is written for an iPhone: it is handed the tags with links of its domains, also when no
/// session of its own runs.
final class ApplicationDelegate {
  /// Returns what UIKit calls when a person has tapped a tag.
  func application(continue userActivity: NSUserActivity) -> Bool {
    guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
    // Confirm that the activity comes from a tag: one that does not has a message with one empty record.
    let message = userActivity.ndefMessagePayload
    guard let first = message.records.first, first.typeNameFormat != .empty else { return false }
    print("opened \(userActivity.webpageURL?.absoluteString ?? "nothing")")
    for record in message.records {
      if let (text, _) = record.optionalText { print("text \(text)") }
      if let url = record.wellKnownTypeURIPayload() { print("link \(url.absoluteString)") }
    }
    return true
  }
}

extension NFCNDEFPayload {
  /// The text and its language, of a text record.
  fileprivate var optionalText: (String, Locale)? {
    let (text, locale) = wellKnownTypeTextPayload()
    guard let text, let locale else { return nil }
    return (text, locale)
  }
}
