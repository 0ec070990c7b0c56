import NFC
import SwiftNFCBackground

/// What happens to a tag on a reader.
enum TapEvent: String, Hashable, Sendable, CaseIterable {
  case tap
  case left
}

/// The actions for certain taps: one entry of a file for `--rules`.
struct TapRule: Hashable, Sendable {
  /// A condition that a tap has to meet.
  enum Condition: Hashable, Sendable {
    /// UIDs in upper-case hexadecimal, as `nfc poll` prints them.
    case uid(Set<String>)
    /// Whether the UID is another one at each tap.
    case uidKind(isRandom: Bool)
    case type(String)
    /// The name of the chip. Case, blanks and punctuation are ignored.
    case product(String)
    /// The first URI of the message.
    case uri(Glob)
    /// A MIME type. Case is ignored, and parameters unless the rule has some (RFC 2045, 5.1).
    case mime(Glob)
    /// The type of an external record. Case is ignored (NFC Forum RTD 1.0, 3.4).
    case external(Glob)
    /// A text: the whole one, or a pattern.
    case text(Glob)
    /// Whether the tag lay on the reader when watching began.
    case initial(Bool)
    /// Any of several conditions.
    indirect case any([Condition])

    func holds(for tap: Tap) -> Bool {
      switch self {
      case .uid(let uids): uids.contains(tap.uid)
      case .uidKind(let isRandom): (tap.uidKind != nil) == isRandom
      case .type(let type): tap.type == type
      case .product(let name):
        tap.product.map { Spelling.folded($0) == Spelling.folded(name) } ?? false
      case .uri(let glob): tap.uri.map(glob.matches) ?? false
      case .mime(let type): tap.mimeTypes.contains { Self.isType($0, type) }
      case .external(let glob):
        tap.externalTypes.contains { glob.matches($0.lowercased()) }
      case .text(let glob): tap.texts.contains(where: glob.matches)
      case .initial(let isInitial): tap.isInitial == isInitial
      case .any(let conditions): conditions.contains { $0.holds(for: tap) }
      }
    }

    private static func isType(_ type: String, _ expected: Glob) -> Bool {
      let type = type.lowercased()
      let essence = type.prefix { $0 != ";" && !$0.isWhitespace }
      return expected.matches(type) || expected.matches(String(essence))
    }
  }

  /// The line on which the rule begins, or `nil` if it is not known.
  var line: Int?
  var event = TapEvent.tap
  let conditions: [Condition]
  let actions: [TapAction]

  /// Returns whether all conditions are met. A rule without conditions matches every tap.
  func matches(_ tap: Tap, _ event: TapEvent = .tap) -> Bool {
    self.event == event && conditions.allSatisfy { $0.holds(for: tap) }
  }
}

/// An action for a tap.
enum TapAction: Hashable, Sendable {
  /// Runs a command with `sh -c`.
  case execute(String)
  /// Opens a link with the desktop's handler; `nil` for the link of the tap.
  case open(String?)
  /// Shows a notification; `nil` for a text that describes the tap.
  case notify(String?)
  /// Publishes the tap on another topic.
  case publish(String)
  /// Shows a signal with the light and buzzer of the tap's reader.
  case signal(ReaderSignal)
  /// Starts a desktop application with the tap's URI.
  case start(application: String)
  /// Delivers the message to a Core NFC program.
  case handOver(RegisteredApplication)
}

/// The rules of a file, in order.
struct TapRules: Hashable, Sendable {
  var rules: [TapRule]

  /// Returns the first rule that matches, or `nil` if none does.
  func rule(for tap: Tap, _ event: TapEvent = .tap) -> TapRule? {
    rules.first { $0.matches(tap, event) }
  }

  /// Returns the actions of the first rule that matches, or `nil` if none does.
  func actions(for tap: Tap, _ event: TapEvent = .tap) -> [TapAction]? {
    rule(for: tap, event)?.actions
  }
}
