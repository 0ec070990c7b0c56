import Foundation

/// The number of times that a command of the legacy ISO 15693 session is repeated.
open class NFCTagCommandConfiguration: NSObject, NSCopying {
  /// How often the command is repeated if the tag does not answer, or its answer is broken: 0 to 256.
  open var maximumRetries: Int
  /// Before each repetition, in seconds.
  open var retryInterval: TimeInterval

  public convenience override init() { self.init(maximumRetries: 0, retryInterval: 0) }

  init(maximumRetries: Int, retryInterval: TimeInterval) {
    self.maximumRetries = maximumRetries
    self.retryInterval = retryInterval
    super.init()
  }

  open func copy(with zone: NSZone? = nil) -> Any {
    NFCTagCommandConfiguration(maximumRetries: maximumRetries, retryInterval: retryInterval)
  }
}
