import Foundation

/// Is told of a reader's field while a window scene is in front. Never happens here.
public protocol NFCWindowSceneDelegate {
  func windowScene(
    _ windowScene: UIWindowScene, didReceiveNFCWindowSceneEvent event: NFCWindowSceneEvent)
}

/// What a window scene is told.
public enum NFCWindowSceneEvent: Hashable, Codable, CustomStringConvertible {
  case readerDetected
  /// The person has asked for it.
  case presentation

  public var description: String {
    switch self {
    case .readerDetected: "readerDetected"
    case .presentation: "presentation"
    }
  }
}

extension UIScene.ConnectionOptions {
  /// `nil`, always.
  public var nfcEvent: NFCWindowSceneEvent? { nil }
}

/// As much of UIKit, which Linux has not, as the declarations above need.
open class UIScene: NSObject {
  open class ConnectionOptions: NSObject {}
}

/// As much of UIKit, which Linux has not, as the declarations above need.
open class UIWindowScene: UIScene {}
