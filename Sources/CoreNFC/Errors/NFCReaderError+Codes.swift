/// Lets `catch NFCReaderError.readerErrorRadioDisabled` match.
extension NFCReaderError {
  /// ``Code/readerErrorUnsupportedFeature``.
  public static var readerErrorUnsupportedFeature: Code { .readerErrorUnsupportedFeature }
  /// ``Code/readerErrorSecurityViolation``.
  public static var readerErrorSecurityViolation: Code { .readerErrorSecurityViolation }
  /// ``Code/readerErrorInvalidParameter``.
  public static var readerErrorInvalidParameter: Code { .readerErrorInvalidParameter }
  /// ``Code/readerErrorInvalidParameterLength``.
  public static var readerErrorInvalidParameterLength: Code { .readerErrorInvalidParameterLength }
  /// ``Code/readerErrorParameterOutOfBound``.
  public static var readerErrorParameterOutOfBound: Code { .readerErrorParameterOutOfBound }
  /// ``Code/readerErrorRadioDisabled``.
  public static var readerErrorRadioDisabled: Code { .readerErrorRadioDisabled }
  /// ``Code/readerErrorIneligible``.
  public static var readerErrorIneligible: Code { .readerErrorIneligible }
  /// ``Code/readerErrorAccessNotAccepted``.
  public static var readerErrorAccessNotAccepted: Code { .readerErrorAccessNotAccepted }
  /// ``Code/readerTransceiveErrorTagConnectionLost``.
  public static var readerTransceiveErrorTagConnectionLost: Code {
    .readerTransceiveErrorTagConnectionLost
  }
  /// ``Code/readerTransceiveErrorRetryExceeded``.
  public static var readerTransceiveErrorRetryExceeded: Code { .readerTransceiveErrorRetryExceeded }
  /// ``Code/readerTransceiveErrorTagResponseError``.
  public static var readerTransceiveErrorTagResponseError: Code {
    .readerTransceiveErrorTagResponseError
  }
  /// ``Code/readerTransceiveErrorSessionInvalidated``.
  public static var readerTransceiveErrorSessionInvalidated: Code {
    .readerTransceiveErrorSessionInvalidated
  }
  /// ``Code/readerTransceiveErrorTagNotConnected``.
  public static var readerTransceiveErrorTagNotConnected: Code {
    .readerTransceiveErrorTagNotConnected
  }
  /// ``Code/readerTransceiveErrorPacketTooLong``.
  public static var readerTransceiveErrorPacketTooLong: Code { .readerTransceiveErrorPacketTooLong }
  /// ``Code/readerSessionInvalidationErrorUserCanceled``.
  public static var readerSessionInvalidationErrorUserCanceled: Code {
    .readerSessionInvalidationErrorUserCanceled
  }
  /// ``Code/readerSessionInvalidationErrorSessionTimeout``.
  public static var readerSessionInvalidationErrorSessionTimeout: Code {
    .readerSessionInvalidationErrorSessionTimeout
  }
  /// ``Code/readerSessionInvalidationErrorSessionTerminatedUnexpectedly``.
  public static var readerSessionInvalidationErrorSessionTerminatedUnexpectedly: Code {
    .readerSessionInvalidationErrorSessionTerminatedUnexpectedly
  }
  /// ``Code/readerSessionInvalidationErrorSystemIsBusy``.
  public static var readerSessionInvalidationErrorSystemIsBusy: Code {
    .readerSessionInvalidationErrorSystemIsBusy
  }
  /// ``Code/readerSessionInvalidationErrorFirstNDEFTagRead``.
  public static var readerSessionInvalidationErrorFirstNDEFTagRead: Code {
    .readerSessionInvalidationErrorFirstNDEFTagRead
  }
  /// ``Code/tagCommandConfigurationErrorInvalidParameters``.
  public static var tagCommandConfigurationErrorInvalidParameters: Code {
    .tagCommandConfigurationErrorInvalidParameters
  }
  /// ``Code/ndefReaderSessionErrorTagNotWritable``.
  public static var ndefReaderSessionErrorTagNotWritable: Code {
    .ndefReaderSessionErrorTagNotWritable
  }
  /// ``Code/ndefReaderSessionErrorTagUpdateFailure``.
  public static var ndefReaderSessionErrorTagUpdateFailure: Code {
    .ndefReaderSessionErrorTagUpdateFailure
  }
  /// ``Code/ndefReaderSessionErrorTagSizeTooSmall``.
  public static var ndefReaderSessionErrorTagSizeTooSmall: Code {
    .ndefReaderSessionErrorTagSizeTooSmall
  }
  /// ``Code/ndefReaderSessionErrorZeroLengthMessage``.
  public static var ndefReaderSessionErrorZeroLengthMessage: Code {
    .ndefReaderSessionErrorZeroLengthMessage
  }
}
