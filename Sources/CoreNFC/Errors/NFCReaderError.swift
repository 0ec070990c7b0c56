import Foundation

/// What a session ends with, or a command fails with.
///
/// What sessions and completion handlers give out is always a value of this type, so that
/// `error as? NFCReaderError` succeeds. ``userInfo`` has the native error under `NSUnderlyingErrorKey`
/// where there is one.
public struct NFCReaderError: _BridgedStoredNSError {
  public let _nsError: NSError

  public init(_nsError: NSError) {
    self._nsError = _nsError
  }

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    var userInfo = userInfo
    if userInfo[NSLocalizedDescriptionKey] == nil {
      userInfo[NSLocalizedDescriptionKey] = code.text
    }
    self.init(_nsError: NSError(domain: NFCErrorDomain, code: code.rawValue, userInfo: userInfo))
  }

  public static var errorDomain: String { NFCErrorDomain }
  public static var _nsErrorDomain: String { NFCErrorDomain }

  public var localizedDescription: String { _nsError.localizedDescription }

  /// The reasons, by the numbers that Apple gives them.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    public typealias _ErrorType = NFCReaderError

    /// There is no reader, or it cannot do what the session is for.
    case readerErrorUnsupportedFeature = 1
    /// A key of Info.plist is missing, or what was asked for is not in its list.
    case readerErrorSecurityViolation = 2
    case readerErrorInvalidParameter = 3
    case readerErrorInvalidParameterLength = 4
    case readerErrorParameterOutOfBound = 5
    /// Never given here: no reader says that its field has been switched off by somebody.
    case readerErrorRadioDisabled = 6
    case readerTransceiveErrorTagConnectionLost = 100
    /// Given by the two methods alone that can be told to repeat a command
    /// (``NFCTagCommandConfiguration``).
    case readerTransceiveErrorRetryExceeded = 101
    case readerTransceiveErrorTagResponseError = 102
    case readerTransceiveErrorSessionInvalidated = 103
    case readerTransceiveErrorTagNotConnected = 104
    case readerTransceiveErrorPacketTooLong = 105
    /// Somebody has ended the session: the person, or the program by `invalidate()`.
    case readerSessionInvalidationErrorUserCanceled = 200
    case readerSessionInvalidationErrorSessionTimeout = 201
    /// The reader has gone.
    case readerSessionInvalidationErrorSessionTerminatedUnexpectedly = 202
    /// Another session, or another program, has the reader.
    case readerSessionInvalidationErrorSystemIsBusy = 203
    case readerSessionInvalidationErrorFirstNDEFTagRead = 204
    case tagCommandConfigurationErrorInvalidParameters = 300
    case ndefReaderSessionErrorTagNotWritable = 400
    case ndefReaderSessionErrorTagUpdateFailure = 401
    case ndefReaderSessionErrorTagSizeTooSmall = 402
    case ndefReaderSessionErrorZeroLengthMessage = 403
  }
}
