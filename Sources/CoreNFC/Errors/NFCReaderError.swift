import Foundation

/// An error that ends a session, or that a command fails with.
///
/// Errors from sessions and completion handlers always have this type, so that `error as?
/// NFCReaderError` succeeds. ``userInfo`` contains the native error under `NSUnderlyingErrorKey`,
/// if there is one.
public struct NFCReaderError: _BridgedStoredNSError {
  public let _nsError: NSError

  public init(_nsError: NSError) {
    self._nsError = _nsError
  }

  /// Creates an error with a code and further information.
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

  /// The text for people.
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

  /// The codes, with Apple's numbers.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    public typealias _ErrorType = NFCReaderError

    /// There is no reader, or it does not support what the session requires.
    case readerErrorUnsupportedFeature = 1
    /// A key of Info.plist is missing, or the request is not in its list.
    case readerErrorSecurityViolation = 2
    /// A value that no command allows, or a tag of another session.
    case readerErrorInvalidParameter = 3
    /// A value or a list whose length the command does not allow.
    case readerErrorInvalidParameterLength = 4
    /// A number that does not fit into the command.
    case readerErrorParameterOutOfBound = 5
    /// Never used here: no reader reports that somebody has switched off its field.
    case readerErrorRadioDisabled = 6
    /// Never used here: a device or an account may not use a service of Apple. Since iOS 26.
    case readerErrorIneligible = 7
    /// Never used here: somebody has not agreed to the conditions of a service of Apple. Since iOS 26.
    case readerErrorAccessNotAccepted = 8
    /// The tag has left the field, or was found before polling was restarted. A tag that leaves while its message is
    /// written is ``ndefReaderSessionErrorTagUpdateFailure``.
    case readerTransceiveErrorTagConnectionLost = 100
    /// Used only by the two methods that can repeat a command (``NFCTagCommandConfiguration``).
    case readerTransceiveErrorRetryExceeded = 101
    /// The tag has refused, its answer makes no sense, or it has not answered while it was present.
    case readerTransceiveErrorTagResponseError = 102
    /// The session has ended, possibly in the middle of the command.
    case readerTransceiveErrorSessionInvalidated = 103
    /// The session is not connected to the tag.
    case readerTransceiveErrorTagNotConnected = 104
    /// The command does not fit into a frame of the tag or of the reader.
    case readerTransceiveErrorPacketTooLong = 105
    /// The session was ended by the person, or by the program with `invalidate()`.
    case readerSessionInvalidationErrorUserCanceled = 200
    /// The time limit ``NFCSessionLimits/sessionDuration`` has passed.
    case readerSessionInvalidationErrorSessionTimeout = 201
    /// The reader was lost.
    case readerSessionInvalidationErrorSessionTerminatedUnexpectedly = 202
    /// Another session, or another program, uses the reader.
    case readerSessionInvalidationErrorSystemIsBusy = 203
    /// The first message was read, and the session was configured to end then. This is not a fault.
    case readerSessionInvalidationErrorFirstNDEFTagRead = 204
    /// An ``NFCTagCommandConfiguration`` with values out of range.
    case tagCommandConfigurationErrorInvalidParameters = 300
    /// The tag is read-only, and cannot be written or locked.
    case ndefReaderSessionErrorTagNotWritable = 400
    /// The message could not be written, or the tag left meanwhile; the content of the tag is now uncertain.
    case ndefReaderSessionErrorTagUpdateFailure = 401
    /// The message exceeds the capacity of the tag; nothing was written.
    case ndefReaderSessionErrorTagSizeTooSmall = 402
    /// The tag is formatted but holds no message.
    case ndefReaderSessionErrorZeroLengthMessage = 403
  }
}
