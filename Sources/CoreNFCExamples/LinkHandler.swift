import CoreNFC

/// Takes the activity with which an app is opened when a tag has been read in the background.
public enum LinkHandler {
  /// Returns the links on the tag; none for an activity that did not come from one.
  public static func links(of activity: NSUserActivity) -> [URL] {
    guard activity.activityType == NSUserActivityTypeBrowsingWeb else { return [] }
    let message = activity.ndefMessagePayload
    guard let first = message.records.first, first.typeNameFormat != .empty else { return [] }
    return message.records.compactMap { $0.wellKnownTypeURIPayload() }
  }
}
