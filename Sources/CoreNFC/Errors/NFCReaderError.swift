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
    let description = userInfo[NSLocalizedDescriptionKey] ?? code.text
    userInfo[NSLocalizedDescriptionKey] = description
    // The only text that Foundation prints on Linux.
    if userInfo[NSLocalizedFailureReasonErrorKey] == nil {
      userInfo[NSLocalizedFailureReasonErrorKey] = description
    }
    self.init(_nsError: NSError(domain: NFCErrorDomain, code: code.rawValue, userInfo: userInfo))
  }

  public static var errorDomain: String { NFCErrorDomain }
  public static var _nsErrorDomain: String { NFCErrorDomain }

  public var localizedDescription: String { _nsError.localizedDescription }

  /// Foundation's own overflows the stack on Linux.
  public var hashValue: Int {
    var hasher = Hasher()
    hash(into: &hasher)
    return hasher.finalize()
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(_nsError.domain)
    hasher.combine(_nsError.code)
  }

  /// The reasons, by the numbers that Apple gives them.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    public typealias _ErrorType = NFCReaderError

    /// There is no reader, or it cannot do what the session is for.
    case readerErrorUnsupportedFeature = 1
    /// A key of Info.plist is missing, or what was asked for is not in its list.
    case readerErrorSecurityViolation = 2
    /// A value that no command can have, or a tag of another session.
    case readerErrorInvalidParameter = 3
    /// A value of a size, or a list of a length, that the command cannot have.
    case readerErrorInvalidParameterLength = 4
    /// A number that the command has no room for.
    case readerErrorParameterOutOfBound = 5
    /// Never given here: no reader says that its field has been switched off by somebody.
    case readerErrorRadioDisabled = 6
    /// The tag has left the field, or was found before polling started again.
    case readerTransceiveErrorTagConnectionLost = 100
    /// Given only by the two methods that can be told to repeat a command
    /// (``NFCTagCommandConfiguration``).
    case readerTransceiveErrorRetryExceeded = 101
    /// The tag has refused, has answered what makes no sense, or has not answered while it was
    /// there.
    case readerTransceiveErrorTagResponseError = 102
    /// The session has ended, maybe in the middle of the command.
    case readerTransceiveErrorSessionInvalidated = 103
    /// The session is not connected to the tag.
    case readerTransceiveErrorTagNotConnected = 104
    /// The command does not fit into a frame of the tag or of the reader.
    case readerTransceiveErrorPacketTooLong = 105
    /// Somebody has ended the session: the person, or the program by `invalidate()`.
    case readerSessionInvalidationErrorUserCanceled = 200
    /// The time of ``NFCSessionLimits/sessionDuration`` is up.
    case readerSessionInvalidationErrorSessionTimeout = 201
    /// The reader has gone.
    case readerSessionInvalidationErrorSessionTerminatedUnexpectedly = 202
    /// Another session, or another program, has the reader.
    case readerSessionInvalidationErrorSystemIsBusy = 203
    /// The first message has been read, and the session was to end then. No fault.
    case readerSessionInvalidationErrorFirstNDEFTagRead = 204
    /// An ``NFCTagCommandConfiguration`` with values out of range.
    case tagCommandConfigurationErrorInvalidParameters = 300
    /// The tag is read-only, and was to be written or locked.
    case ndefReaderSessionErrorTagNotWritable = 400
    /// The message could not be written; what the tag holds now is not certain.
    case ndefReaderSessionErrorTagUpdateFailure = 401
    /// The message is larger than what the tag has room for; nothing was written.
    case ndefReaderSessionErrorTagSizeTooSmall = 402
    /// The tag has room for a message and holds none.
    case ndefReaderSessionErrorZeroLengthMessage = 403
  }
}
