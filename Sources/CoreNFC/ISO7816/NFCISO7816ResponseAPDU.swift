import Foundation
import NFC

/// The answer to a command of ISO/IEC 7816-4.
public struct NFCISO7816ResponseAPDU {
  public var statusWord1: UInt8
  public var statusWord2: UInt8
  /// `nil` if the answer has no data.
  public var payload: Data?

  public init(statusWord1: UInt8, statusWord2: UInt8, payload: Data?) {
    self.statusWord1 = statusWord1
    self.statusWord2 = statusWord2
    self.payload = payload
  }

  /// The label as Apple has misspelt it.
  public init(statusWord1: UInt8, statusWord2: UInt8, paylaod payload: Data?) {
    self.init(statusWord1: statusWord1, statusWord2: statusWord2, payload: payload)
  }

  /// What a completion handler is given.
  init(_ data: Data, _ sw1: UInt8, _ sw2: UInt8) {
    self.init(statusWord1: sw1, statusWord2: sw2, payload: data.isEmpty ? nil : data)
  }
}
