import Foundation

/// The answer of a card to polling.
public struct NFCFeliCaPollingResponse {
  /// The PMm, eight bytes.
  public var manufactureParameter: Data
  /// The data for the request code; `nil` if the card has not reported it.
  public var requestData: Data?

  /// Creates an answer.
  public init(manufactureParameter: Data, requestData: Data?) {
    self.manufactureParameter = manufactureParameter
    self.requestData = requestData
  }
}
