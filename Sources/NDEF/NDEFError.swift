/// The reason why bytes are not an NDEF message, or a record is not of the type that it claims.
///
/// ```swift
/// do {
///   print(try NDEFMessage(decoding: bytes))
/// } catch NDEFError.Code.truncated {
///   // read more of the tag
/// }
/// ```
public struct NDEFError: Error, Hashable, Sendable {
  /// The kind of error.
  public let code: Code

  /// The position in bytes: in the message if a message was decoded, in the payload if a record
  /// was.
  public let offset: Int

  /// The reason, as one sentence without a full stop.
  public let reason: String

  /// Creates an error.
  public init(_ code: Code, offset: Int, reason: String) {
    self.code = code
    self.offset = offset
    self.reason = reason
  }

  /// Returns the same error with the offset from a place that begins this many bytes earlier.
  func shifted(by distance: Int) -> NDEFError {
    NDEFError(code, offset: offset + distance, reason: reason)
  }
}

extension NDEFError {
  /// Returns the error for a value that a specification reserves.
  ///
  /// - Parameters:
  ///   - field: the field, with its article.
  ///   - value: the value as it is shown.
  static func reserved(_ field: String, _ value: String, offset: Int) -> NDEFError {
    NDEFError(.reservedValue, offset: offset, reason: "\(field) \(value) is reserved")
  }

  /// Returns the error for bits that a specification reserves, or `nil` if none of them is set.
  static func reservedBits(
    _ field: String, _ byte: UInt8, known: UInt8, offset: Int
  ) -> NDEFError? {
    guard byte & ~known != 0 else { return nil }
    return NDEFError(
      .reservedValue, offset: offset,
      reason: "\(field) \([byte].hexadecimal) has bits that are reserved")
  }
}

extension NDEFError: CustomStringConvertible {
  /// The reason and the offset.
  public var description: String { "\(reason) (byte \(offset))" }
}

extension NDEFError {
  /// The kinds of error. New ones may be added; a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: Hashable {
      case truncated, missingMessageBegin, repeatedMessageBegin, missingMessageEnd, trailingData
      case fieldsInEmptyRecord, typeInUnknownRecord, missingType
      case unexpectedChunk, unfinishedChunk, malformedChunk
      case messageTooLong, tooManyRecords, payloadTooLong, typeTooLong, identifierTooLong
      case wrongRecordType, invalidText, invalidValue, reservedValue, missingField, repeatedField
      case unsupportedVersion
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    // MARK: Messages

    /// The bytes end within a record or a field.
    public static let truncated = Code(.truncated)
    /// The first record does not have the MB flag (NDEF 1.0, 3.2.1).
    public static let missingMessageBegin = Code(.missingMessageBegin)
    /// A record other than the first has the MB flag (NDEF 1.0, 3.2.1).
    public static let repeatedMessageBegin = Code(.repeatedMessageBegin)
    /// No record has the ME flag (NDEF 1.0, 3.2.2).
    public static let missingMessageEnd = Code(.missingMessageEnd)
    /// There are bytes after the end of the message.
    public static let trailingData = Code(.trailingData)
    /// An empty record has a type, an identifier or a payload (NDEF 1.0, 3.2.6).
    public static let fieldsInEmptyRecord = Code(.fieldsInEmptyRecord)
    /// A record of the format unknown has a type (NDEF 1.0, 3.2.6).
    public static let typeInUnknownRecord = Code(.typeInUnknownRecord)
    /// A record has no type although its type name format requires one.
    public static let missingType = Code(.missingType)
    /// A record of the format unchanged does not continue a chunked record (NDEF 1.0, 2.3.3).
    public static let unexpectedChunk = Code(.unexpectedChunk)
    /// A chunked record lacks its last chunk (NDEF 1.0, 2.3.3).
    public static let unfinishedChunk = Code(.unfinishedChunk)
    /// A middle or last chunk has a type or an identifier (NDEF 1.0, 2.3.3).
    public static let malformedChunk = Code(.malformedChunk)
    /// The message is longer than ``NDEFMessage/Limits/messageLength``.
    public static let messageTooLong = Code(.messageTooLong)
    /// There are more records than ``NDEFMessage/Limits/recordCount``.
    public static let tooManyRecords = Code(.tooManyRecords)
    /// A payload is longer than ``NDEFMessage/Limits/payloadLength`` or than a record can hold.
    public static let payloadTooLong = Code(.payloadTooLong)
    /// A type is longer than the 255 bytes that a record can hold.
    public static let typeTooLong = Code(.typeTooLong)
    /// An identifier is longer than the 255 bytes that a record can hold.
    public static let identifierTooLong = Code(.identifierTooLong)

    // MARK: Typed records

    /// The record is of another type than the one it is read as.
    public static let wrongRecordType = Code(.wrongRecordType)
    /// A text is not in the required encoding, or contains forbidden characters.
    public static let invalidText = Code(.invalidText)
    /// A field has a value or length that its specification does not allow.
    public static let invalidValue = Code(.invalidValue)
    /// A field has a value that its specification reserves. A lenient reader keeps the field as the specification says.
    public static let reservedValue = Code(.reservedValue)
    /// A required field is missing.
    public static let missingField = Code(.missingField)
    /// A field that may occur once occurs more often.
    public static let repeatedField = Code(.repeatedField)
    /// The record has a version whose form is not known.
    public static let unsupportedVersion = Code(.unsupportedVersion)

    /// The name of the code.
    public var description: String { "\(kind)" }

    /// Allows `catch NDEFError.Code.truncated` to catch the errors with one code.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? NDEFError)?.code == code
    }
  }
}
