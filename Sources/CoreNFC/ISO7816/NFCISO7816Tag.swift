import Foundation

/// A smart card: ISO/IEC 14443-4 with the commands of ISO/IEC 7816-4.
public protocol NFCISO7816Tag: NFCNDEFTag, __NFCTag {
  /// The application that was selected when the card was found, which is the first one of
  /// Info.plist that answered, in upper-case hexadecimal; empty if there was none.
  var initialSelectedAID: String { get }
  /// The UID of a type A card, the PUPI of a type B card.
  var identifier: Data { get }
  /// The historical bytes of a type A card's answer to select; `nil` if it has none.
  var historicalBytes: Data? { get }
  /// The four bytes of application data in a type B card's answer to request; `nil` for type A.
  var applicationData: Data? { get }
  /// Whether ``applicationData`` has the maker's own coding instead of that in ISO/IEC 14443-3,
  /// 7.9.3.
  var proprietaryApplicationDataCoding: Bool { get }
  /// Whether the card offers PACE; always `false` if the session does not poll for
  /// ``NFCTagReaderSession/PollingOption/pace``. Has a default body, for stand-ins. Since iOS 26.4.
  var supportsPACE: Bool { get }

  /// Sends a command, and returns the answer's body, which may be empty, and its status word,
  /// whatever it is.
  ///
  /// SELECT of an application by a name that Info.plist does not list fails with
  /// `readerErrorSecurityViolation`, and nothing is sent. With secure messaging, the name cannot be
  /// read, and SELECT is sent. As on an iPhone, the program handles 61xx and 6Cxx. If the reader
  /// cannot send a command or answer with extended length fields as a whole, it is sent in parts
  /// with command chaining and GET RESPONSE (ISO/IEC 7816-4, 5.3.3 and 5.3.4); an iPhone sends it as
  /// a whole.
  ///
  /// Errors: `readerErrorInvalidParameterLength`, `readerErrorParameterOutOfBound`,
  /// `readerTransceiveErrorPacketTooLong` before anything is sent.
  @preconcurrency func sendCommand(
    apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)

  /// ``sendCommand(apdu:completionHandler:)`` as an asynchronous call: the form that is preferred where the type does not
  /// say which is meant. Has a default body.
  ///
  /// - Throws: ``NFCReaderError``.
  nonisolated(nonsending) func sendCommand(
    apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8)
}

extension NFCISO7816Tag {
  /// `false`.
  public var supportsPACE: Bool { false }

  /// ``sendCommand(apdu:completionHandler:)`` as an asynchronous call, with the body, SW1 and SW2.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendCommand(
    apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8) {
    try await withCheckedThrowingContinuation { continuation in
      sendCommand(apdu: apdu) { continuation.resume(($0, $1, $2), $3) }
    }
  }

  /// ``sendCommand(apdu:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendCommand(
    apdu: NFCISO7816APDU
  ) async throws -> NFCISO7816ResponseAPDU {
    let answer: (Data, UInt8, UInt8) = try await sendCommand(apdu: apdu)
    return NFCISO7816ResponseAPDU(answer)
  }

  /// ``sendCommand(apdu:completionHandler:)`` with one result.
  @preconcurrency public func sendCommand(
    apdu: NFCISO7816APDU,
    resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
  ) {
    sendCommand(apdu: apdu) {
      resultHandler(Result(answer: NFCISO7816ResponseAPDU(($0, $1, $2)), error: $3))
    }
  }
}
