import Foundation
import NDEF

/// The type of an activity that opens a link.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// Something that a person does, handed to a program: here, that a tag with a link has been held to the
/// reader while no session ran.
///
/// Foundation has this type only on Apple's platforms. This one has what programs look at when they are
/// handed an activity.
open class NSUserActivity: NSObject {
  /// The type of the activity, for instance ``NSUserActivityTypeBrowsingWeb``.
  public let activityType: String
  /// A title for people.
  open var title: String?
  /// Further information about the activity.
  open var userInfo: [AnyHashable: Any]?
  /// The link that is opened.
  open var webpageURL: URL?
  fileprivate let message: NFCNDEFMessage?

  /// Creates an activity that is unrelated to a tag.
  public init(activityType: String) {
    self.activityType = activityType
    message = nil
    super.init()
  }

  /// Creates an activity that delivers a message which was read while no session was running.
  ///
  /// - Returns: `nil` for a message without a link: those are not delivered.
  package init?(delivering message: NFCNDEFMessage) {
    let links = message.records.lazy.compactMap { $0.wellKnownTypeURIPayload() }
    guard let link = links.first else { return nil }
    activityType = NSUserActivityTypeBrowsingWeb
    self.message = message
    super.init()
    webpageURL = link
  }
}

extension NSUserActivity {
  /// The message that the activity was created for; one with an empty record if it did not come
  /// from a tag.
  public var ndefMessagePayload: NFCNDEFMessage { message ?? NFCNDEFMessage(.ofEmptyRecord) }
}
