/// An error in reading, writing or finding tags.
///
/// ```swift
/// do {
///   try await tag.writeNDEF(message)
/// } catch NFCError.Group.connection {
///   // the tag or the reader has gone: try again when it is back
/// } catch NFCError.Code.readOnly {
///   print("the tag cannot be written")
/// } catch let error as NFCError {
///   print(error)
/// }
/// ```
///
/// Every call to a reader or a tag throws this type, or Swift's `CancellationError` if its task was
/// cancelled. A call that runs a closure also throws what the closure throws.
public struct NFCError: Error, Hashable, Sendable {
  /// The kind of error, for programs. More may be added.
  public struct Code: Hashable, Sendable {
    private enum Value: String {
      case readerNotFound, readerUnavailable, readerLost, unsupported
      case invalidParameter, commandTooLong
      case noTag, wrongTag, tagNotConnected, tagConnectionLost, tagResponseError, tagRefused
      case authenticationFailed, notAuthenticated
      case notNDEF, malformedContent, capacityExceeded, readOnly
    }

    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// Creates the code with this name; see ``description``.
    package init?(_ name: String) {
      guard let value = Value(rawValue: name) else { return nil }
      self.value = value
    }

    /// There is no reader, or none with this name.
    public static let readerNotFound = Code(.readerNotFound)
    /// The reader is present but cannot be opened: in use, no permission, no answer.
    public static let readerUnavailable = Code(.readerUnavailable)
    /// The reader was removed, no longer answers, or was closed.
    public static let readerLost = Code(.readerLost)
    /// This reader, or this tag, does not support the request.
    public static let unsupported = Code(.unsupported)
    /// An argument is wrong; nothing was sent.
    public static let invalidParameter = Code(.invalidParameter)
    /// The command is longer than the reader or the tag allows; nothing was sent.
    public static let commandTooLong = Code(.commandTooLong)
    /// No tag came in time.
    public static let noTag = Code(.noTag)
    /// The tag is not of the requested kind.
    public static let wrongTag = Code(.wrongTag)
    /// A command was sent before ``Tag/connect()``.
    public static let tagNotConnected = Code(.tagNotConnected)
    /// The tag has left, or polling was restarted since it was found.
    public static let tagConnectionLost = Code(.tagConnectionLost)
    /// The tag is present but has not answered, or its answer makes no sense.
    public static let tagResponseError = Code(.tagResponseError)
    /// The tag has refused: a NAK, a status word, a status flag.
    public static let tagRefused = Code(.tagRefused)
    /// The key or password is wrong.
    public static let authenticationFailed = Code(.authenticationFailed)
    /// The tag requires a key or a password first.
    public static let notAuthenticated = Code(.notAuthenticated)
    /// The tag holds no NDEF structure.
    public static let notNDEF = Code(.notNDEF)
    /// The content of the tag or of a file breaks its format.
    public static let malformedContent = Code(.malformedContent)
    /// The content to write does not fit; nothing was written.
    public static let capacityExceeded = Code(.capacityExceeded)
    /// The tag, or this part of it, cannot be written; nothing was written.
    public static let readOnly = Code(.readOnly)
  }

  /// Codes that a program treats alike; a `catch` can match a group. More may be added.
  public struct Group: Hashable, Sendable {
    private enum Value: String {
      case reader, connection, refusal, content
    }

    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// There is no reader to work with.
    public static let reader = Group(.reader)
    /// The reader or the tag has left, or the connection to it was broken.
    public static let connection = Group(.connection)
    /// The tag has answered with a refusal.
    public static let refusal = Group(.refusal)
    /// The data is wrong.
    public static let content = Group(.content)
  }

  /// A failure in the terms of the library or service that a driver uses.
  public struct DriverFailure: Hashable, Sendable {
    /// What a failure means, whichever driver reports it.
    ///
    /// More may be added: a `switch` needs an `@unknown default`.
    @nonexhaustive
    public enum Meaning: String, Hashable, Sendable, CaseIterable {
      /// The reader, or the connection to it, has failed. This says nothing about the tag.
      case readerFailure
      /// Another program uses the card.
      case cardInUse
      /// The service does not allow this user or program to use its readers.
      case notPermitted
    }

    /// The library or service that the code belongs to: `libnfc` (codes `NFC_E…` in `nfc/nfc.h`), `pcsc`
    /// (`SCARD_…` in pcsclite.h), or that of another driver.
    public let domain: String
    /// The code.
    public let code: Int64
    /// The meaning of the code, in words.
    public let text: String
    /// The meaning for the program; `nil` if the error's ``NFCError/code`` says everything.
    public let meaning: Meaning?

    /// Creates a failure from its parts.
    public init(domain: String, code: some BinaryInteger, text: String, meaning: Meaning? = nil) {
      self.domain = domain
      self.code = Int64(clamping: code)
      self.text = text
      self.meaning = meaning
    }
  }

  /// The underlying cause.
  ///
  /// More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Cause: Hashable, Sendable {
    /// A failure that the reader's driver reports with a code of its own.
    case driver(DriverFailure)
    /// The errno of a system call, with its meaning.
    case system(errno: Int32, text: String)
    /// The number of the signal that ended the process which drives the reader, with its name and
    /// the last report of the process.
    case signal(number: Int32, text: String)
    /// The 4-bit code of a negative acknowledge of a type A tag.
    case negativeAcknowledge(UInt8)
    /// The two status bytes of ISO/IEC 7816-4, 5.6.
    case statusWord(UInt16)
    /// FeliCa's status flags 1 and 2 (JIS X 6319-4; FeliCa Card User's Manual, 4.5).
    case statusFlags(flag1: UInt8, flag2: UInt8)
    /// The status code of a MIFARE DESFire command.
    case desfireStatus(UInt8)
    /// The error code of ISO/IEC 15693-3, 7.4.2.
    case iso15693(UInt8)
    /// The error code of the reader's chip (PN532 user manual, UM0701-02, 7.1, table 15), with its
    /// meaning.
    case chip(code: UInt8, text: String)
    /// The reader cannot send it; another one might.
    case unsupportedByReader
    /// No answer came within the time limit.
    case noAnswer
    /// The check bytes of the answer are wrong.
    case checksum
    /// The tag holds something that the change would overwrite; the call that makes it can be told to.
    case foreignContent
  }

  /// A place on the tag. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Place: Hashable, Sendable {
    /// A page of an Ultralight or NTAG tag, counted through all sectors.
    case page(Int)
    /// A block, by its number.
    case block(Int)
    /// A sector, by its number.
    case sector(Int)
    /// A file of a smart card, by its identifier.
    case file(UInt16)
    /// A byte of the message or file, counted from 0.
    case offset(Int)
    /// A key of the selected application, by its number.
    case key(Int)
  }

  /// What a tag reports about its limit of wrong keys and passwords.
  ///
  /// More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Attempts: Hashable, Sendable {
    /// The number of further attempts; 0 for none.
    case left(Int)
    /// The maximum number of wrong attempts; the tag does not report how many there were. After
    /// that, it permanently accepts no key.
    case limit(Int)
    /// It accepts no key for some time, after too many wrong ones.
    case delayed
  }

  /// The kind of error, for programs.
  public var code: Code
  /// One clause for people, without a full stop: what happened and, if it helps, what to do.
  public var reason: String
  /// The underlying cause, as the tag, the driver or the system reported it; `nil` if there is
  /// none.
  public var cause: Cause?
  /// The place on the tag; `nil` if it is not a single place.
  public var place: Place?
  /// For a wrong key or password: what the tag reports about further attempts; `nil` if it reports
  /// nothing.
  public var attempts: Attempts?
  /// For a change that the tag may have made although the call failed, such as a key whose
  /// acknowledgement was lost: how to find out and to go on, as one clause. `nil` for every other
  /// error.
  public var recovery: String?

  /// Creates an error, for drivers.
  public init(
    _ code: Code, _ reason: String, cause: Cause? = nil, place: Place? = nil,
    attempts: Attempts? = nil
  ) {
    self.code = code
    self.reason = reason
    self.cause = cause
    self.place = place
    self.attempts = attempts
  }

  /// The group of the code; `nil` for a code that belongs to none.
  public var group: Group? {
    switch code {
    case .readerNotFound, .readerUnavailable: .reader
    case .readerLost, .tagConnectionLost, .tagResponseError: .connection
    case .tagRefused, .authenticationFailed, .notAuthenticated, .readOnly: .refusal
    case .malformedContent, .capacityExceeded, .notNDEF: .content
    default: nil
    }
  }
}

extension NFCError {
  /// Runs a change. An error that leaves in doubt whether the tag has made it reports how to find
  /// out.
  package static func inDoubt<Result>(
    _ recovery: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch var error as NFCError where error.group == .connection {
      error.recovery = error.recovery ?? recovery
      throw error
    }
  }

  /// Whether a `tagResponseError` is about an answer that makes no sense. For a missing answer, a
  /// driver specifies the cause.
  var hasAnswer: Bool {
    switch cause {
    case nil, .statusWord, .statusFlags, .desfireStatus, .iso15693: true
    default: false
    }
  }
}

extension NFCError.Group {
  /// Allows `catch NFCError.Group.connection` to match every error of the group.
  @_disfavoredOverload
  public static func ~= (group: NFCError.Group, error: any Error) -> Bool {
    (error as? NFCError)?.group == group
  }
}

extension NFCError.Code {
  /// Lets `catch NFCError.Code.readOnly` match every error with that code.
  // Another error's own pattern with the same name takes precedence.
  @_disfavoredOverload
  public static func ~= (code: NFCError.Code, error: any Error) -> Bool {
    (error as? NFCError)?.code == code
  }
}

extension NFCError.Group: CustomStringConvertible {
  public var description: String { value.rawValue }
}

extension NFCError.Code: CustomStringConvertible {
  public var description: String { value.rawValue }
}

extension NFCError: CustomStringConvertible {
  public var description: String {
    var text = reason
    if let attempts { text += ", \(attempts)" }
    // The reason may say these already.
    if let place, !"\(reason) ".contains("\(place) ") { text += " (\(place))" }
    if let cause, cause.explainsReason, !reason.contains("\(cause)") { text += ": \(cause)" }
    if let recovery { text += "; \(recovery)" }
    return text
  }
}

extension NFCError.Attempts: CustomStringConvertible {
  /// The limit as a clause for people.
  public var description: String {
    switch self {
    case .left(0): "no attempt is left"
    case .left(1): "1 attempt is left"
    case .left(let count): "\(count) attempts are left"
    case .limit(1): "the tag is permanently closed after 1 wrong attempt"
    case .limit(let count): "the tag is permanently closed after \(count) wrong attempts"
    case .delayed: "the tag accepts no attempt for some time"
    }
  }
}

extension NFCError {
  /// Whether another program uses the card on a PC/SC reader, or the reader still waits for the answer to a command of
  /// this or an earlier program. The reader works again when the card is free or removed.
  public var isCardInUse: Bool {
    if case .driver(let failure) = cause { failure.meaning == .cardInUse } else { false }
  }
}

extension NFCError.Place: CustomStringConvertible {
  public var description: String {
    switch self {
    case .page(let number): "page \(number)"
    case .block(let number): "block \(number)"
    case .sector(let number): "sector \(number)"
    case .file(let number): "file \(number.bigEndianBytes.hexadecimal)"
    case .offset(let number): "byte \(number)"
    case .key(let number): "key \(number)"
    }
  }
}

extension NFCError.Cause {
  /// Whether people learn more from the cause than from the reason. A reason always says that an answer is missing or
  /// broken, or what follows from that.
  fileprivate var explainsReason: Bool {
    switch self {
    case .unsupportedByReader, .noAnswer, .checksum, .foreignContent: false
    default: true
    }
  }
}

extension NFCError.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .driver(let failure): failure.text
    case .system(_, let text): text
    case .signal(_, let text): text
    case .negativeAcknowledge(let code): "NAK \([code].hexadecimal.dropFirst())"
    case .statusWord(let word): "status word \(StatusWord(rawValue: word))"
    case .statusFlags(let first, let second): "status flags \([first, second].hexadecimal)"
    case .desfireStatus(let status): "status \([status].hexadecimal)"
    case .iso15693(let code): "error \([code].hexadecimal)"
    case .chip(let code, let text): "\(text) (chip error \([code].hexadecimal))"
    case .unsupportedByReader: "not supported by the reader"
    case .noAnswer: "no answer"
    case .checksum: "wrong checksum"
    case .foreignContent: "other content"
    }
  }
}
