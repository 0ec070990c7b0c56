import Foundation

/// What a ``NFCVASReaderSession`` asks for: one GET VAS DATA.
open class NFCVASCommandConfiguration: NSObject, NSCopying {
  /// How the pass is asked for.
  public enum Mode: Int, Sendable {
    /// Reserved.
    case urlOnly = 0
    case normal = 1

    /// The names of before iOS 14; deprecated by Apple.
    public static var VASModeURLOnly: Mode { .urlOnly }
    public static var VASModeNormal: Mode { .normal }
  }

  open var mode: Mode
  /// The pass type, whose hash is the merchant's identifier.
  open var passTypeIdentifier: String
  /// At most 64 characters; `nil` for none.
  open var url: URL?

  public init(vasMode mode: Mode, passTypeIdentifier: String, url: URL?) {
    self.mode = mode
    self.passTypeIdentifier = passTypeIdentifier
    self.url = url
  }

  open func copy(with zone: NSZone? = nil) -> Any {
    NFCVASCommandConfiguration(vasMode: mode, passTypeIdentifier: passTypeIdentifier, url: url)
  }
}

/// The name of before iOS 14; deprecated by Apple.
public typealias VASMode = NFCVASCommandConfiguration.Mode
