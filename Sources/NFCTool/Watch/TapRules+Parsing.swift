import NFC
import Yams

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
  init(yaml text: String, permitsPublishing: Bool) throws(TapRulesError) {
    let root: Node?
    do {
      root = try compose(yaml: text)
    } catch let error as YamlError {
      throw TapRulesError(error)
    } catch {
      throw TapRulesError(line: nil, reason: "\(error)")
    }
    guard let root else { throw TapRulesError(line: 1, reason: "there are no rules in the file") }
    guard let list = root.sequence else {
      throw TapRulesError(root, "expected a list of rules, each beginning with \"- match:\"")
    }
    var rules: [TapRule] = []
    for node in list {
      rules.append(try TapRule(node, permitsPublishing: permitsPublishing))
    }
    self.rules = rules
  }
}

extension TapRule {
  fileprivate init(_ node: Node, permitsPublishing: Bool) throws(TapRulesError) {
    guard let members = node.mapping else {
      throw TapRulesError(node, "expected a rule with \"match:\" and \"do:\"")
    }
    var conditions: [Condition] = []
    var actions: [TapAction]?
    for (key, value) in members {
      switch key.text {
      case "match":
        guard let entries = value.mapping else {
          throw TapRulesError(value, "match: takes conditions, for instance \"uri: https://\"")
        }
        for (name, argument) in entries { conditions.append(try Condition(name, argument)) }
      case "do":
        guard let entries = value.mapping, !entries.isEmpty else {
          throw TapRulesError(value, "do: takes actions, for instance \"open: true\"")
        }
        actions = []
        for (name, argument) in entries {
          let action = try TapAction(name, argument, permitsPublishing: permitsPublishing)
          if let action { actions?.append(action) }
        }
      default:
        throw TapRulesError(key, "a rule has no \"\(key.text ?? "")\", only match and do")
      }
    }
    guard let actions else { throw TapRulesError(node, "the rule has no do:") }
    self.init(conditions: conditions, actions: actions)
  }
}

extension TapRule.Condition {
  private static let names = "uid, type, product, uri, mime, external and text"

  fileprivate init(_ key: Node, _ value: Node) throws(TapRulesError) {
    guard let name = key.text, let text = value.text else {
      throw TapRulesError(value, "a condition has one value")
    }
    switch name {
    case "uid":
      guard let bytes = try? Hexadecimal.argument(text, "uid"), !bytes.isEmpty else {
        throw TapRulesError(value, "\"\(text)\" is not a UID, which is written in hexadecimal")
      }
      self = .uid(bytes.hexadecimal)
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
    case "mime": self = .mime(text)
    case "external": self = .external(Glob(text.lowercased()))
    case "text": self = .text(text)
    default:
      throw TapRulesError(key, "there is no condition \"\(name)\", only \(Self.names)")
    }
  }
}

extension TapAction {
  private static let names = "exec, open, notify, publish and app"

  /// Parses an action, or returns `nil` for an action that is switched off.
  fileprivate init?(_ key: Node, _ value: Node, permitsPublishing: Bool) throws(TapRulesError) {
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
    case "app": self = .start(application: try Self.filled(text, value))
    default:
      throw TapRulesError(key, "there is no action \"\(name)\", only \(Self.names)")
    }
  }

  private static func filled(_ text: String, _ node: Node) throws(TapRulesError) -> String {
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw TapRulesError(node, "the value is empty, or has a NUL in it")
    }
    return text
  }
}

extension Node {
  /// The text of a scalar, as it is written in the file.
  fileprivate var text: String? { scalar?.string }
}

extension TapRulesError {
  fileprivate init(_ node: Node, _ reason: String) {
    self.init(line: node.mark?.line, reason: reason)
  }

  fileprivate init(_ error: YamlError) {
    switch error {
    case .scanner(let context, let problem, let mark, let yaml),
      .parser(let context, let problem, let mark, let yaml),
      .composer(let context, let problem, let mark, let yaml):
      // What is not closed is only noticed at the end of the file, which may be far from its beginning.
      let lines = yaml.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      let last = (lines.lastIndex { $0.contains { $0 > 0x20 } } ?? 0) + 1
      let line = mark.line > last ? context?.mark.line ?? last : mark.line
      let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
      self.init(line: min(line, last), reason: reason)
    case .reader(let problem, let offset, _, let yaml):
      // Yams counts characters.
      let line = offset.map { yaml.prefix($0).count { $0.isNewline } + 1 }
      self.init(line: line, reason: problem)
    case .duplicatedKeysInMapping(let keys, let context):
      self.init(
        line: Self.lineOfRepetition(of: keys.first ?? "", context),
        reason: "\(keys.joined(separator: ", ")) occurs twice")
    default:
      self.init(line: nil, reason: "the file is not YAML")
    }
  }

  /// Returns the line of the second of two equal keys: Yams reports the place of the first. The keys of a block
  /// mapping are in the same column (YAML 1.2.2, 8.2.2). In a flow mapping, it is the line of the first one.
  private static func lineOfRepetition(of key: String, _ context: YamlError.Context) -> Int {
    let lines = context.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let indentation = context.mark.column - 1
    for (index, line) in lines.enumerated().dropFirst(context.mark.line) {
      let rest = line.drop { $0 == " " }
      guard let first = rest.first, first != "#" else { continue }
      let depth = line.count - rest.count
      guard depth >= indentation else { break }
      let words = [key, "\"\(key)\"", "'\(key)'"]
      if depth == indentation,
        words.contains(where: { word in
          rest.hasPrefix(word) && rest.dropFirst(word.count).drop { $0 == " " }.first == ":"
        })
      {
        return index + 1
      }
    }
    return context.mark.line
  }
}
