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

  /// What is known beyond the description.
  private var failureReason: String? {
    let reason = userInfo[NSLocalizedFailureReasonErrorKey] as? String
    return reason == localizedDescription ? nil : reason
  }

  /// What the person is told of a session that has ended for this reason; `nil` for the ends that somebody
  /// wanted.
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
