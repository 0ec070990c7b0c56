import SwiftNFCChildProcesses
import SwiftNFCJSONText

/// A value in a file of rules.
struct RulesNode: Sendable {
  /// The line, counted from 1, or `nil` if it is not known.
  let line: Int?
  /// The text of a scalar, as it is written in the file.
  let text: String?
  let list: [RulesNode]?
  let members: [(key: RulesNode, value: RulesNode)]?

  /// The program that reads YAML.
  private static let program = "nfc-rules"
  /// The time that the program has to read a file.
  private static let limit = Duration.seconds(10)

  /// Returns the value that a text in YAML contains, or `nil` for an empty text.
  ///
  /// - Throws: ``TapRulesError`` if the text is not YAML; a ``Failure`` if the program is missing or does not answer.
  static func root(of text: String) async throws -> RulesNode? {
    guard let path = OwnProgram.sibling(program) else {
      throw Failure(
        .noReader, "\(program), which reads rules for nfc, is not installed beside it",
        advice: "build it with: swift build --product \(program)")
    }
    let process: LineProcess
    do {
      process = try LineProcess(program: path)
    } catch {
      throw Failure(.noReader, "cannot start \(path): \(SystemErrorText.of(error.errno))")
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      await process.stop(grace: .zero)
    }
    defer { timer.cancel() }
    process.write(text: text)
    process.closeInput()
    var answer: String?
    for await line in process.lines { answer = line }
    try Task.checkCancellation()
    guard let answer, let value = try? JSONNode(parsing: answer.utf8).value else {
      throw Failure(.lost, "\(program), which reads rules for nfc, does not answer")
    }
    if value == .null { return nil }
    if let error = value["error"] {
      throw TapRulesError(line: error["line"]?.integer, reason: error["reason"]?.string ?? "")
    }
    return RulesNode(value)
  }

  private init(_ value: JSONValue) {
    line = value["line"]?.integer
    text = value["text"]?.string
    list = value["list"]?.list?.map(Self.init)
    members = value["members"]?.list?.compactMap { pair in
      guard let pair = pair.list, pair.count == 2 else { return nil }
      return (Self(pair[0]), Self(pair[1]))
    }
  }
}
