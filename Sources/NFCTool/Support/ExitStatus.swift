import SwiftNFCJSONText
import NFC

/// The exit status of the process. Values from 64 are the codes of sysexits.h.
enum ExitStatus: Int32, Sendable {
  case done = 0
  /// The command line is wrong.
  case usage = 64
  /// The tag's or file's content is wrong.
  case content = 65
  /// No tag or not the requested kind of tag was found, or a file does not exist.
  case notThere = 66
  /// There is no reader, or the reader cannot do what was requested.
  case noReader = 69
  /// A program that this one depends on has failed.
  case program = 70
  /// The tag or the reader was lost during the operation.
  case lost = 74
  /// The tag is read-only or locked, or authentication failed.
  case notAllowed = 77
  /// SIGINT. For another signal, the status is 128 plus its number (``Interruption/status``).
  case interrupted = 130

  /// Creates the code for an error of the library.
  init(_ code: NFCError.Code) {
    switch code {
    case .invalidParameter, .commandTooLong: self = .usage
    case .malformedContent, .capacityExceeded: self = .content
    case .noTag, .wrongTag, .notNDEF: self = .notThere
    case .readerNotFound, .readerUnavailable, .unsupported: self = .noReader
    case .authenticationFailed, .notAuthenticated, .readOnly: self = .notAllowed
    default: self = .lost
    }
  }
}

/// The reason why a command has not done what was requested, as one line.
struct Failure: Error, Hashable, Sendable {
  var status: ExitStatus
  /// A description of what happened.
  var reason: String
  /// The tag that is affected.
  var tag: String?
  /// A suggestion of what to do.
  var advice: String?

  init(_ status: ExitStatus, _ reason: String, tag: String? = nil, advice: String? = nil) {
    self.status = status
    self.reason = reason
    self.tag = tag
    self.advice = advice
  }

  /// Creates a failure from an error of the library.
  ///
  /// - Parameter tag: the tag that is affected. An operation that a tag does not support makes it the wrong
  ///   tag. An operation that a reader does not support makes it the wrong reader.
  init(_ error: NFCError, tag: String? = nil) {
    let isTags = tag != nil && error.code == .unsupported && error.cause != .unsupportedByReader
    // A reader that refuses this user again and again counts as lost, but plugging it in again does not help.
    let code = isTags ? .wrongTag : error.isNotPermitted ? .readerUnavailable : error.code
    // The error of a change that is in doubt says itself what to do.
    self.init(
      ExitStatus(code), error.description, tag: tag,
      advice: error.recovery == nil ? Self.advice(code) : nil)
    if isTags, error.cause == .foreignContent { advice = Self.insistence }
  }

  /// Only `nfc format` overwrites what is there, if it is told to.
  private static let insistence = "use another tag, or insist with nfc format --force"

  private static func advice(_ code: NFCError.Code) -> String? {
    switch code {
    case .readerNotFound:
      "nfc doctor says what to do; --virtual demo needs none"
    case .readerUnavailable: "nfc doctor says more"
    case .readerLost: "plug the reader in again; nfc doctor says more"
    case .unsupported: "use another reader"
    case .wrongTag: "use another tag"
    case .noTag: "hold a tag to the reader, or wait longer with --timeout"
    case .tagConnectionLost, .tagResponseError: "hold the tag still and try again"
    case .tagRefused: "check the command, and whether the tag is locked or protected"
    case .authenticationFailed, .notAuthenticated: "another key or password is needed"
    case .readOnly: "use another tag"
    case .notNDEF: "nfc format makes a blank tag an NDEF tag"
    case .malformedContent: "nfc write or nfc erase replaces it"
    case .capacityExceeded: "nothing was written; use a shorter message or a larger tag"
    default: nil
    }
  }

  /// The line for standard error.
  var line: String {
    var text = "nfc: " + reason
    if let tag { text += " (\(tag))" }
    if let advice { text += "; " + advice }
    return ArgumentText.shown(text).onOneLine
  }
}

extension NFCError {
  /// Whether a service does not allow this user to use the reader.
  fileprivate var isNotPermitted: Bool {
    if case .driver(let failure)? = cause { failure.meaning == .notPermitted } else { false }
  }
}

extension String {
  /// The text in a form that a shell takes for one word.
  var shellWord: String {
    let isPlain =
      !isEmpty
      && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+.,/:@%=".contains($0)) }
    return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
