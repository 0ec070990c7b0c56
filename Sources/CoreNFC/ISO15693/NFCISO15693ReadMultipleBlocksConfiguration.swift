import Foundation

/// A read for ``NFCISO15693Tag/readMultipleBlock(readConfiguration:completionHandler:)``.
open class NFCISO15693ReadMultipleBlocksConfiguration: NFCTagCommandConfiguration {
  /// The blocks: numbers 0 to 255, at least one.
  open var range: NSRange
  /// How many blocks one command reads at most: 1 to 256.
  open var chunkSize: Int

  /// Creates a read whose commands are not repeated.
  public convenience init(range: NSRange, chunkSize: Int) {
    self.init(range: range, chunkSize: chunkSize, maximumRetries: 0, retryInterval: 0)
  }

  /// - Parameters:
  ///   - maximumRetries: the number of retries for each command, 0 to 256.
  ///   - retryInterval: the interval in seconds.
  public init(
    range: NSRange, chunkSize: Int, maximumRetries: Int, retryInterval: TimeInterval
  ) {
    self.range = range
    self.chunkSize = chunkSize
    super.init(maximumRetries: maximumRetries, retryInterval: retryInterval)
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    NFCISO15693ReadMultipleBlocksConfiguration(
      range: range, chunkSize: chunkSize, maximumRetries: maximumRetries,
      retryInterval: retryInterval)
  }
}
