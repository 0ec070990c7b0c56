import CoreNFC

/// An app as written for an iPhone: it receives the tags with links to its domains, even while none
/// of its own sessions is running.
final class ApplicationDelegate {
  /// Handles the call that UIKit makes when a person has tapped a tag.
  func application(continue userActivity: NSUserActivity) -> Bool {
    guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
    // Confirm that the activity comes from a tag: otherwise its message has one empty record.
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
  /// The text of a text record, and its language.
  fileprivate var optionalText: (String, Locale)? {
    let (text, locale) = wellKnownTypeTextPayload()
    guard let text, let locale else { return nil }
    return (text, locale)
  }
}
