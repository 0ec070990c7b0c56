import Foundation

/// Replaces UIKit's class, which does not exist on Linux, in the signatures that name it.
open class UIScene: NSObject {
  /// The options for opening a scene.
  open class ConnectionOptions: NSObject {}
}

/// Replaces UIKit's class, which does not exist on Linux, in the signatures that name it.
open class UIWindowScene: UIScene {}

/// The interface for scenes that open because of NFC. Never used here: there are no scenes.
public protocol NFCWindowSceneDelegate {
  /// An event of NFC has opened the scene. Never called here.
  func windowScene(
    _ windowScene: UIWindowScene, didReceiveNFCWindowSceneEvent event: NFCWindowSceneEvent)
}

/// The reason for a scene.
public enum NFCWindowSceneEvent: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The field of a reader was detected.
  case readerDetected
  /// The person wants to present a card.
  case presentation

  /// The name of the event.
  public var description: String {
    switch self {
    case .readerDetected: "readerDetected"
    case .presentation: "presentation"
    }
  }
}

extension UIScene.ConnectionOptions {
  /// The event that the scene is opened for: none.
  public var nfcEvent: NFCWindowSceneEvent? { nil }
}
