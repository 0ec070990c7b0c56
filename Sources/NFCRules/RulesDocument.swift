import SwiftNFCJSONText
import Yams

/// A document of YAML as JSON.
///
/// A node is an object with its `line`, counted from 1, and one of `text` (a scalar, as it is written), `list` (of
/// nodes) and `members` (pairs of nodes: key and value). An empty document is `null`. What is not YAML is
/// `{"error":{"line":…,"reason":…}}`, without a line if the whole text is meant.
enum RulesDocument {
  /// The maximum number of nodes. Aliases let a short text stand for a very long one.
  private static let maximumNodes = 100_000
  /// The maximum depth of nodes, which is more than rules have. Deeper nodes have no content.
  private static let maximumDepth = 8

  fileprivate struct Problem: Error {
    let line: Int?
    let reason: String
  }

  static func json(of text: [UInt8]) -> JSONValue {
    do {
      guard let root = try compose(yaml: String(decoding: text, as: UTF8.self)) else {
        return .null
      }
      var count = 0
      return try json(of: root, depth: 0, &count)
    } catch let problem as Problem {
      return json(of: problem)
    } catch let error as YamlError {
      return json(of: Problem(error))
    } catch {
      return json(of: Problem(line: nil, reason: "\(error)"))
    }
  }

  private static func json(of problem: Problem) -> JSONValue {
    .members([
      "error": .members([
        "line": problem.line.map { .integer($0) }, "reason": .string(problem.reason),
      ])
    ])
  }

  private static func json(
    of node: Node, depth: Int, _ count: inout Int
  ) throws(Problem) -> JSONValue {
    count += 1
    let line = node.mark?.line
    guard count <= maximumNodes else {
      throw Problem(line: line, reason: "the file has more than \(maximumNodes) values")
    }
    var value: [JSONValue.Member] =
      line.map { [JSONValue.Member(key: "line", value: .integer($0))] } ?? []
    if depth > maximumDepth {
      return .object(value)
    } else if let scalar = node.scalar {
      value.append(JSONValue.Member(key: "text", value: .string(scalar.string)))
    } else if let sequence = node.sequence {
      var list: [JSONValue] = []
      for entry in sequence { list.append(try json(of: entry, depth: depth + 1, &count)) }
      value.append(JSONValue.Member(key: "list", value: .array(list)))
    } else if let mapping = node.mapping {
      var members: [JSONValue] = []
      for (key, entry) in mapping {
        members.append(
          .array([
            try json(of: key, depth: depth + 1, &count),
            try json(of: entry, depth: depth + 1, &count),
          ]))
      }
      value.append(JSONValue.Member(key: "members", value: .array(members)))
    }
    return .object(value)
  }
}

extension RulesDocument.Problem {
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
