import Foundation
import NFC

extension NFCReaderError {
  /// Why a session ends that its reader, or the lack of one, has brought to its end.
  init(sessionEnd error: any Error) {
    switch error {
    case let error as NFCReaderError:
      self = error
    case let error as NFCError:
      let code: Code =
        switch error.code {
        case .readerNotFound, .unsupported, .invalidParameter: .readerErrorUnsupportedFeature
        case .readerUnavailable: .readerSessionInvalidationErrorSystemIsBusy
        default: .readerSessionInvalidationErrorSessionTerminatedUnexpectedly
        }
      self.init(
        code,
        userInfo: [
          NSUnderlyingErrorKey: error, NSLocalizedFailureReasonErrorKey: error.description,
        ])
    default:
      self.init(
        .readerSessionInvalidationErrorSessionTerminatedUnexpectedly,
        userInfo: [NSUnderlyingErrorKey: error])
    }
  }

  /// The details beyond the description.
  private var failureReason: String? {
    let reason = userInfo[NSLocalizedFailureReasonErrorKey] as? String
    return reason == localizedDescription ? nil : reason
  }

  /// The text that informs the person that a session has ended for this reason; `nil` for ends that
  /// somebody wanted.
  var userFacingReason: String? {
    switch code {
    case .readerSessionInvalidationErrorUserCanceled,
      .readerSessionInvalidationErrorFirstNDEFTagRead:
      nil
    default:
      [localizedDescription, failureReason].compactMap(\.self).joined(separator: ": ")
    }
  }
}
