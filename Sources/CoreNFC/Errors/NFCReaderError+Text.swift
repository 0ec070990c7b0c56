extension NFCReaderError.Code {
  /// The text for ``readerTransceiveErrorTagResponseError`` if the tag has not answered at all, since
  /// iOS 16. Programs compare it, as NFCPassportReader does before it opens a document again.
  static let textWithoutResponse = "Tag response error / no response"

  /// The text of `localizedDescription`: Apple's if it is known from public logs, otherwise our
  /// own.
  var text: String {
    switch self {
    case .readerErrorUnsupportedFeature: "Feature not supported"
    case .readerErrorSecurityViolation: "Missing required entitlement"
    case .readerErrorInvalidParameter: "Invalid parameter"
    case .readerErrorInvalidParameterLength: "Invalid parameter length"
    case .readerErrorParameterOutOfBound: "Parameter out of bounds"
    case .readerErrorRadioDisabled: "NFC radio is disabled"
    case .readerErrorIneligible: "Not eligible"
    case .readerErrorAccessNotAccepted: "Access not accepted"
    case .readerTransceiveErrorTagConnectionLost: "Tag connection lost"
    case .readerTransceiveErrorRetryExceeded: "Too many retries"
    case .readerTransceiveErrorTagResponseError: "Tag response error"
    case .readerTransceiveErrorSessionInvalidated: "Session invalidated"
    case .readerTransceiveErrorTagNotConnected: "Tag is not connected"
    case .readerTransceiveErrorPacketTooLong: "Packet is too long"
    case .readerSessionInvalidationErrorUserCanceled: "Session invalidated by user"
    case .readerSessionInvalidationErrorSessionTimeout: "Session timeout"
    case .readerSessionInvalidationErrorSessionTerminatedUnexpectedly:
      "Session invalidated unexpectedly"
    case .readerSessionInvalidationErrorSystemIsBusy: "System resource unavailable"
    case .readerSessionInvalidationErrorFirstNDEFTagRead: "First NDEF tag has been read"
    case .tagCommandConfigurationErrorInvalidParameters: "Invalid command configuration"
    case .ndefReaderSessionErrorTagNotWritable: "NDEF tag is not writable"
    case .ndefReaderSessionErrorTagUpdateFailure: "Stack Error"
    case .ndefReaderSessionErrorTagSizeTooSmall: "NDEF message is too large for the tag"
    case .ndefReaderSessionErrorZeroLengthMessage: "NDEF tag does not contain any NDEF message"
    }
  }
}
