import Foundation

/// A smart card: ISO/IEC 14443-4 with the commands of ISO/IEC 7816-4.
///
/// Info.plist lists the applications that it may have. It is given out with the first of them selected
/// that answers; SELECT by name of one that is not listed fails with `readerErrorSecurityViolation`, and
/// nothing is sent.
public protocol NFCISO7816Tag: NFCNDEFTag, __NFCTag {
  /// In hexadecimal: the application that was selected when the card was found; empty if none was.
  var initialSelectedAID: String { get }
  /// UID of a card of type A, PUPI of one of type B.
  var identifier: Data { get }
  /// Type A: what the answer to select says of the card; `nil` if nothing.
  var historicalBytes: Data? { get }
  /// Type B: four bytes of the answer to request; `nil` for type A.
  var applicationData: Data? { get }
  /// Type B: whether ``applicationData`` has a form of the card's own, not that of ISO/IEC 14443-3,
  /// 7.9.3.
  var proprietaryApplicationDataCoding: Bool { get }

  /// Sends a command. Any status word is a success; data may be empty.
  ///
  /// A short command is one exchange. An extended one, which a PN53x cannot carry, goes in parts, and its
  /// answer is gathered.
  @preconcurrency func sendCommand(
    apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)

  /// Data, and the two bytes of the status word.
  nonisolated(nonsending) func sendCommand(
    apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8)
}

extension NFCISO7816Tag {
  public nonisolated(nonsending) func sendCommand(
    apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8) {
    try await withCheckedThrowingContinuation { continuation in
      sendCommand(apdu: apdu) { data, sw1, sw2, error in
        continuation.resume((data, sw1, sw2), error)
      }
    }
  }

  public nonisolated(nonsending) func sendCommand(
    apdu: NFCISO7816APDU
  ) async throws -> NFCISO7816ResponseAPDU {
    let (data, sw1, sw2): (Data, UInt8, UInt8) = try await sendCommand(apdu: apdu)
    return NFCISO7816ResponseAPDU(data, sw1, sw2)
  }

  @preconcurrency public func sendCommand(
    apdu: NFCISO7816APDU,
    resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
  ) {
    sendCommand(apdu: apdu) { data, sw1, sw2, error in
      resultHandler(Result(answer: NFCISO7816ResponseAPDU(data, sw1, sw2), error: error))
    }
  }
}
