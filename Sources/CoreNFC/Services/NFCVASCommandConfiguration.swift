import Foundation

/// The pass that a ``NFCVASReaderSession`` requests.
open class NFCVASCommandConfiguration: NSObject, NSCopying {
  /// What is requested.
  public enum Mode: Int, Sendable {
    /// Reserved.
    case urlOnly = 0
    /// The data of a pass.
    case normal = 1
  }

  /// The mode of the request.
  open var mode: Mode
  /// The identifier of the type of pass.
  open var passTypeIdentifier: String
  /// At most 64 characters; `nil` for none.
  open var url: URL?

  /// Creates a request for a pass.
  public init(vasMode mode: Mode, passTypeIdentifier: String, url: URL?) {
    self.mode = mode
    self.passTypeIdentifier = passTypeIdentifier
    self.url = url
  }

  /// Returns a copy of the configuration.
  open func copy(with zone: NSZone? = nil) -> Any {
    NFCVASCommandConfiguration(vasMode: mode, passTypeIdentifier: passTypeIdentifier, url: url)
  }
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCVASCommandConfiguration.Mode {
  /// ``urlOnly``
  public static var VASModeURLOnly: Self { .urlOnly }
  /// ``normal``
  public static var VASModeNormal: Self { .normal }
}

/// The name of iOS 13.
public typealias VASMode = NFCVASCommandConfiguration.Mode
