import Foundation

/// A custom command for ``NFCISO15693Tag/sendCustomCommand(commandConfiguration:completionHandler:)``.
open class NFCISO15693CustomCommandConfiguration: NFCTagCommandConfiguration {
  /// The code of the chip's maker (ISO/IEC 7816-6), 0 to 255.
  open var manufacturerCode: Int
  /// The command code, A0 to DF.
  open var customCommandCode: Int
  /// The bytes after the maker's code; empty for none.
  open var requestParameters: Data {
    didSet { requestParameters = requestParameters.countedFromZero }
  }

  /// Creates a command that is not repeated.
  public convenience init(
    manufacturerCode: Int, customCommandCode: Int, requestParameters: Data?
  ) {
    self.init(
      manufacturerCode: manufacturerCode, customCommandCode: customCommandCode,
      requestParameters: requestParameters, maximumRetries: 0, retryInterval: 0)
  }

  /// - Parameters:
  ///   - maximumRetries: 0 to 256.
  ///   - retryInterval: the interval in seconds.
  public init(
    manufacturerCode: Int, customCommandCode: Int, requestParameters: Data?, maximumRetries: Int,
    retryInterval: TimeInterval
  ) {
    self.manufacturerCode = manufacturerCode
    self.customCommandCode = customCommandCode
    self.requestParameters = requestParameters?.countedFromZero ?? Data()
    super.init(maximumRetries: maximumRetries, retryInterval: retryInterval)
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    NFCISO15693CustomCommandConfiguration(
      manufacturerCode: manufacturerCode, customCommandCode: customCommandCode,
      requestParameters: requestParameters, maximumRetries: maximumRetries,
      retryInterval: retryInterval)
  }
}
