import CoreNFC

/// Handles the activity that opens an app after a tag was read in the background.
public enum LinkHandler {
  /// Returns the links on the tag. Returns none for an activity that does not come from a tag.
  public static func links(of activity: NSUserActivity) -> [URL] {
    guard activity.activityType == NSUserActivityTypeBrowsingWeb else { return [] }
    let message = activity.ndefMessagePayload
    guard let first = message.records.first, first.typeNameFormat != .empty else { return [] }
    return message.records.compactMap { $0.wellKnownTypeURIPayload() }
  }
}
