import SwiftNFCCore

/// A PC/SC service with one reader and one card, and an answer for each command that it knows.
final class ScriptedService: SmartCardService {
  let name: String
  let atr: [UInt8]
  let answers: [[UInt8]: [UInt8]]
  /// Comes before ``answers``.
  var script: ([UInt8]) throws(SmartCardFailure) -> [UInt8]? = { _ in nil }
  var connectFailure: SmartCardFailure?
  private(set) var commands: [[UInt8]] = []

  init(_ name: String = "Some Reader 00 00", atr: String, _ answers: [String: String]) {
    self.name = name
    self.atr = Self.bytes(atr)
    self.answers = Dictionary(
      uniqueKeysWithValues: answers.map { (Self.bytes($0.key), Self.bytes($0.value)) })
  }

  static func bytes(_ text: String) -> [UInt8] {
    [UInt8](hexadecimal: text.filter { $0 != " " }) ?? []
  }

  func readers() -> [String] { ["Other SAM 00 00", name] }
  func status(of reader: String) -> SmartCardStatus {
    SmartCardStatus(isCardPresent: true, eventCount: 1, atr: atr)
  }
  func waitForReaders(atMost timeout: Duration) {}
  func wait(forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration) {}
  let cancel: @Sendable () -> Void = {}
  func connect(to reader: String) throws(SmartCardFailure) {
    if let connectFailure { throw connectFailure }
  }
  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    commands.append(command)
    if let answer = try script(command) { return answer }
    return answers[command] ?? [0x6A, 0x81]
  }
  func reset() {}
  func disconnect() {}
  func close() {}
}
