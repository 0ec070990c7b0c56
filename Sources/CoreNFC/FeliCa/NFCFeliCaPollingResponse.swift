import Foundation

/// What a card answers to polling.
public struct NFCFeliCaPollingResponse {
  /// PMm, eight bytes.
  public var manufactureParameter: Data
  /// What the request code has asked for; `nil` if the card has not reported it.
  public var requestData: Data?

  public init(manufactureParameter: Data, requestData: Data?) {
    self.manufactureParameter = manufactureParameter
    self.requestData = requestData
  }
}
