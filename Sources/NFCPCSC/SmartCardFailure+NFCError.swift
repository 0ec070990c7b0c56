import SwiftNFCCore

extension SmartCardFailure {
  /// Whether a connection to the service cannot be used after this failure.
  var endsConnection: Bool {
    switch self {
    case .noService, .serviceStopped, .invalidHandle, .communication: true
    default: false
    }
  }

  var cause: NFCError.Cause {
    let meaning: NFCError.DriverFailure.Meaning? =
      switch self {
      case .sharingViolation: .cardInUse
      case .securityViolation: .notPermitted
      default: nil
      }
    return .driver(
      NFCError.DriverFailure(domain: "pcsc", code: code, text: description, meaning: meaning))
  }

  /// Returns the meaning of a failure for the reader and its tag.
  func nfcError(reader: String) -> any Error {
    switch self {
    case .cancelled: CancellationError()
    case .timeout:
      NFCError(
        .tagConnectionLost,
        "the tag has not answered in time and \(reader) still waits for it; remove the tag",
        cause: cause)
    case .removedCard, .noSmartCard, .unpoweredCard, .unresponsiveCard, .notTransacted, .resetCard:
      NFCError(.tagConnectionLost, "the tag has left the field", cause: cause)
    case .protocolMismatch, .unsupportedCard, .insufficientBuffer, .internalError:
      // The reader is none the worse: the next card may do better, or this one after a reset.
      NFCError(.tagResponseError, "\(reader) cannot communicate with the card", cause: cause)
    case .readerUnavailable, .unknownReader, .noReaders:
      NFCError(.readerLost, "\(reader) has gone", cause: cause)
    case .communication:
      NFCError(.readerLost, "the PC/SC service does not answer", cause: cause)
    case .noService, .serviceStopped, .invalidHandle:
      NFCError(.readerLost, "the PC/SC service has gone", cause: cause)
    case .sharingViolation:
      NFCError(.readerUnavailable, "the card on \(reader) is in use", cause: cause)
    case .securityViolation:
      // polkit decides about each connection to a card (pcsc-lite, winscard_svc.c, `SCARD_CONNECT`).
      NFCError(
        .readerUnavailable, "to use the cards on \(reader), allow access_card in polkit",
        cause: cause)
    default:
      NFCError(.readerUnavailable, "\(reader) cannot be used", cause: cause)
    }
  }
}
