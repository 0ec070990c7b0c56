import Foundation

/// The answer of a smart card: ISO/IEC 7816-4, 5.1.
public struct NFCISO7816ResponseAPDU {
  /// The first byte of the status word, SW1.
  public var statusWord1: UInt8
  /// The second byte of the status word, SW2.
  public var statusWord2: UInt8
  /// The data; `nil` if there is none.
  public var payload: Data?

  /// Creates an answer.
  public init(statusWord1: UInt8, statusWord2: UInt8, payload: Data?) {
    self.statusWord1 = statusWord1
    self.statusWord2 = statusWord2
    self.payload = payload
  }

  /// Creates an answer. The misspelled label is Apple's.
  public init(statusWord1: UInt8, statusWord2: UInt8, paylaod: Data?) {
    self.init(statusWord1: statusWord1, statusWord2: statusWord2, payload: paylaod)
  }

  /// - Parameter answer: the arguments of a completion handler.
  init(_ answer: (body: Data, sw1: UInt8, sw2: UInt8)) {
    self.init(
      statusWord1: answer.sw1, statusWord2: answer.sw2,
      payload: answer.body.isEmpty ? nil : answer.body)
  }
}
