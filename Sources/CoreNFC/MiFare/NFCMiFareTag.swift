import Foundation

/// A MIFARE or NTAG tag, or another tag of ISO/IEC 14443 type A.
public protocol NFCMiFareTag: NFCNDEFTag, __NFCTag {
  /// `unknown` for MIFARE Classic, which an iPhone does not read.
  var mifareFamily: NFCMiFareFamily { get }
  /// The UID.
  var identifier: Data { get }
  /// The historical bytes of the answer to select; `nil` if the tag has none.
  var historicalBytes: Data? { get }

  /// Sends a command of the chip, without its check bytes.
  ///
  /// Ultralight and NTAG: an acknowledge is reported as the single byte `0A`, a refusal as
  /// `readerTransceiveErrorTagResponseError`. DESFire and Plus: the native command and its answer,
  /// one frame of each; the program handles status `AF`, as programs for the iPhone do. For MIFARE
  /// Classic see ``native``. Fails with `readerErrorInvalidParameterLength` for an empty command.
  @preconcurrency func sendMiFareCommand(
    commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  )

  /// Sends a command of ISO/IEC 7816-4 to a Plus or a DESFire, and returns the answer's body and
  /// status word, like ``NFCISO7816Tag/sendCommand(apdu:completionHandler:)``, but without a list
  /// of applications.
  ///
  /// Fails with `readerErrorUnsupportedFeature` on other families (Apple's code for that is not known).
  @preconcurrency func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)

  /// ``sendMiFareISO7816Command(_:completionHandler:)`` as an asynchronous call: the form that is preferred where the type
  /// does not say which is meant. Has a default body.
  ///
  /// - Throws: ``NFCReaderError``.
  nonisolated(nonsending) func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8)
}

extension NFCMiFareTag {
  /// ``sendMiFareCommand(commandPacket:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendMiFareCommand(
    commandPacket command: Data
  ) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      sendMiFareCommand(commandPacket: command) { continuation.resume($0, $1) }
    }
  }

  /// ``sendMiFareISO7816Command(_:completionHandler:)`` as an asynchronous call, with the body, SW1 and SW2.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8) {
    try await withCheckedThrowingContinuation { continuation in
      sendMiFareISO7816Command(apdu) { continuation.resume(($0, $1, $2), $3) }
    }
  }

  /// ``sendMiFareISO7816Command(_:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU
  ) async throws -> NFCISO7816ResponseAPDU {
    let answer: (Data, UInt8, UInt8) = try await sendMiFareISO7816Command(apdu)
    return NFCISO7816ResponseAPDU(answer)
  }

  // MARK: The forms of iOS 14

  /// ``sendMiFareCommand(commandPacket:completionHandler:)`` with one result.
  @preconcurrency public func sendMiFareCommand(
    commandPacket command: Data,
    resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) {
    sendMiFareCommand(commandPacket: command) { resultHandler(Result(answer: $0, error: $1)) }
  }

  /// ``sendMiFareISO7816Command(_:completionHandler:)`` with one result.
  @preconcurrency public func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
  ) {
    sendMiFareISO7816Command(apdu) {
      resultHandler(Result(answer: NFCISO7816ResponseAPDU(($0, $1, $2)), error: $3))
    }
  }
}
