import Foundation

/// A tag of the MIFARE or NTAG families.
public protocol NFCMiFareTag: NFCNDEFTag, __NFCTag {
  var mifareFamily: NFCMiFareFamily { get }
  /// The UID.
  var identifier: Data { get }
  /// What the answer to select says of the card; `nil` if there is none.
  var historicalBytes: Data? { get }

  /// Sends a command of the chip's own, without the check, which is added and taken off.
  ///
  /// The acknowledge of a WRITE is the one byte `0A`; a refusal fails with
  /// `readerTransceiveErrorTagResponseError`.
  @preconcurrency func sendMiFareCommand(
    commandPacket command: Data,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

  /// Sends a command of ISO/IEC 7816-4, for Plus and DESFire; fails on others with
  /// `readerErrorUnsupportedFeature`. Any status word is a success; data may be empty.
  @preconcurrency func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)

  /// Data, and the two bytes of the status word.
  nonisolated(nonsending) func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8)
}

extension NFCMiFareTag {
  public nonisolated(nonsending) func sendMiFareCommand(
    commandPacket command: Data
  ) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      sendMiFareCommand(commandPacket: command) { data, error in
        continuation.resume(data, error)
      }
    }
  }

  @preconcurrency public func sendMiFareCommand(
    commandPacket command: Data,
    resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) {
    sendMiFareCommand(commandPacket: command) { data, error in
      resultHandler(Result(answer: data, error: error))
    }
  }

  public nonisolated(nonsending) func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU
  ) async throws -> (Data, UInt8, UInt8) {
    try await withCheckedThrowingContinuation { continuation in
      sendMiFareISO7816Command(apdu) { data, sw1, sw2, error in
        continuation.resume((data, sw1, sw2), error)
      }
    }
  }

  public nonisolated(nonsending) func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU
  ) async throws -> NFCISO7816ResponseAPDU {
    let (data, sw1, sw2): (Data, UInt8, UInt8) = try await sendMiFareISO7816Command(apdu)
    return NFCISO7816ResponseAPDU(data, sw1, sw2)
  }

  @preconcurrency public func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
  ) {
    sendMiFareISO7816Command(apdu) { data, sw1, sw2, error in
      resultHandler(Result(answer: NFCISO7816ResponseAPDU(data, sw1, sw2), error: error))
    }
  }
}
