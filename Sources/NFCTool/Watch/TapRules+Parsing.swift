import SwiftNFCJSONText
import NFC

/// An error in a file of rules.
struct TapRulesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, counted from 1, or `nil` if the whole file cannot be parsed as YAML.
  let line: Int?
  let reason: String

  var description: String { line.map { "line \($0): \(reason)" } ?? reason }
}

extension TapRules {
  /// Parses rules: a list whose entries have `match:` and `do:`. Scalars are used as text, whichever type
  /// they have in YAML.
  ///
  /// - Parameter permitsPublishing: whether there is a broker for `publish:`.
  /// - Throws: ``TapRulesError``; a ``Failure`` if the program that reads YAML is missing or does not answer.
  ///
  /// - Parameter badges: returns the UIDs of the file that `uid-file:` names.
  init(
    yaml text: String, permitsPublishing: Bool,
    badges: @escaping (String) throws -> Set<String> = { _ in [] }
  ) async throws {
    guard let root = try await RulesNode.root(of: text) else {
      throw TapRulesError(line: 1, reason: "there are no rules in the file")
    }
    try self.init(root, TapRuleContext(permitsPublishing: permitsPublishing, badges: badges))
  }

  private init(_ root: RulesNode, _ context: TapRuleContext) throws {
    guard let list = root.list else {
      throw TapRulesError(root, "expected a list of rules, each beginning with \"- match:\"")
    }
    var rules: [TapRule] = []
    for node in list {
      rules.append(try TapRule(node, context))
    }
    self.rules = rules
  }
}

/// What rules may refer to.
private struct TapRuleContext {
  let permitsPublishing: Bool
  /// Returns the UIDs of a file.
  let badges: (String) throws -> Set<String>
}

extension TapRule {
  fileprivate init(_ node: RulesNode, _ context: TapRuleContext) throws {
    guard let members = node.members else {
      throw TapRulesError(node, "expected a rule with \"match:\" and \"do:\"")
    }
    var conditions: [Condition] = []
    var actions: [TapAction]?
    var event = TapEvent.tap
    for (key, value) in members {
      switch key.text {
      case "match":
        guard let entries = value.members else {
          throw TapRulesError(value, "match: takes conditions, for instance \"uri: https://\"")
        }
        for (name, argument) in entries {
          conditions.append(try Condition(name, argument, context))
        }
      case "on":
        guard let named = value.text.flatMap(TapEvent.init(rawValue:)) else {
          throw TapRulesError(value, "on: takes tap or left")
        }
        event = named
      case "do":
        guard let entries = value.members, !entries.isEmpty else {
          throw TapRulesError(value, "do: takes actions, for instance \"open: true\"")
        }
        actions = []
        for (name, argument) in entries {
          let action = try TapAction(
            name, argument, permitsPublishing: context.permitsPublishing)
          if let action { actions?.append(action) }
        }
      default:
        throw TapRulesError(key, "a rule has no \"\(key.text ?? "")\", only match, on and do")
      }
    }
    guard let actions else { throw TapRulesError(node, "the rule has no do:") }
    self.init(line: node.line, event: event, conditions: conditions, actions: actions)
  }
}

extension TapRule.Condition {
  private static let names =
    "uid, uid-file, uidKind, type, product, uri, mime, external, text and initial"

  /// A list is any of its values.
  fileprivate init(_ key: RulesNode, _ value: RulesNode, _ context: TapRuleContext) throws {
    guard let name = key.text else { throw TapRulesError(key, "a condition has a name") }
    guard let list = value.list else {
      self = try Self(name, key, value, context)
      return
    }
    guard !list.isEmpty else { throw TapRulesError(value, "the list has no value") }
    self = .any(try list.map { try Self(name, key, $0, context) })
  }

  private init(
    _ name: String, _ key: RulesNode, _ value: RulesNode, _ context: TapRuleContext
  ) throws {
    guard let text = value.text else {
      throw TapRulesError(value, "a condition has one value, or a list of values")
    }
    switch name {
    case "uid":
      guard let bytes = try? Hexadecimal.argument(text, "uid"), !bytes.isEmpty else {
        throw TapRulesError(value, "\"\(text)\" is not a UID, which is written in hexadecimal")
      }
      self = .uid([bytes.hexadecimal])
    case "uid-file":
      do {
        self = .uid(try context.badges(text))
      } catch let failure as Failure {
        throw TapRulesError(value, failure.reason)
      }
    case "uidKind", "uid-kind":
      guard ["random", "fixed"].contains(text) else {
        throw TapRulesError(value, "uidKind: takes random or fixed, not \"\(text)\"")
      }
      self = .uidKind(isRandom: text == "random")
    case "initial":
      guard ["true", "false"].contains(text) else {
        throw TapRulesError(value, "initial: takes true or false, not \"\(text)\"")
      }
      self = .initial(text == "true")
    case "type":
      guard
        let type = DetectedTag.typeNames.first(where: {
          Spelling.folded($0) == Spelling.folded(text)
        })
      else {
        let names = DetectedTag.typeNames.joined(separator: ", ")
        throw TapRulesError(value, "there is no type \"\(text)\", only \(names)")
      }
      self = .type(type)
    case "product": self = .product(text)
    case "uri": self = .uri(Glob(text))
    case "mime": self = .mime(Glob(text.lowercased(), isWhole: true))
    case "external": self = .external(Glob(text.lowercased()))
    case "text": self = .text(Glob(text, isWhole: true))
    default:
      throw TapRulesError(key, "there is no condition \"\(name)\", only \(Self.names)")
    }
  }
}

extension TapAction {
  private static let names = "exec, open, notify, publish, signal and app"

  /// Parses an action, or returns `nil` for an action that is switched off.
  fileprivate init?(_ key: RulesNode, _ value: RulesNode, permitsPublishing: Bool)
    throws(TapRulesError)
  {
    guard let name = key.text, let text = value.text else {
      throw TapRulesError(value, "an action has one value")
    }
    switch name {
    case "exec": self = .execute(try Self.filled(text, value))
    case "open" where text == "false": return nil
    case "open" where text == "true": self = .open(nil)
    case "open":
      guard LinkPolicy.scheme(of: text) != nil else {
        throw TapRulesError(value, "open: takes true or a URL, not \"\(text)\"")
      }
      self = .open(text)
    case "notify" where text == "false": return nil
    case "notify": self = .notify(text == "true" ? nil : try Self.filled(text, value))
    case "publish":
      guard permitsPublishing else {
        throw TapRulesError(value, "publish: needs a broker; name one with --mqtt")
      }
      guard MQTTTopic.isValidForPublishing(text) else {
        throw TapRulesError(value, "\"\(text)\" is not a topic that can be published to")
      }
      self = .publish(text)
    case "signal":
      guard let signal = ReaderSignal(rawValue: text) else {
        let names = ReaderSignal.allCases.map(\.rawValue).joined(separator: " or ")
        throw TapRulesError(value, "signal: takes \(names), not \"\(text)\"")
      }
      self = .signal(signal)
    case "app": self = .start(application: try Self.filled(text, value))
    default:
      throw TapRulesError(key, "there is no action \"\(name)\", only \(Self.names)")
    }
  }

  private static func filled(_ text: String, _ node: RulesNode) throws(TapRulesError) -> String {
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw TapRulesError(node, "the value is empty, or has a NUL in it")
    }
    return text
  }
}

extension TapRulesError {
  fileprivate init(_ node: RulesNode, _ reason: String) {
    self.init(line: node.line, reason: reason)
  }
}
