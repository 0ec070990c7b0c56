import SwiftNFCJSONText
import NFC

/// Reports what happens to a card, counts taps, and decides when a command has seen enough of them.
///
/// A phone deselects a card and comes back several times in one tap: sessions within ``EmulationLog/pauseOfTap`` are one.
actor EmulationLog {
  /// The interval at which ``tick()`` is to be called.
  static let period = Duration.milliseconds(50)
  /// The pause after which a session belongs to another tap.
  static let pauseOfTap = Duration.seconds(3)
  /// A phone may leave without having read, and come back within this time.
  static let patience = Duration.milliseconds(300)

  private let reader: String
  private let isJSON: Bool
  private let wantedTaps: Int?
  private let reportsCommands: Bool
  private let start = ContinuousClock.now

  /// What was done in the tap that is going on, or whose end is not certain yet.
  private struct Tap {
    let time: Duration
    var deeds: [String] = []
    var commandCount = 0
    var applications: [String] = []
    /// Whether it has done what it came for.
    var isFulfilled = false
  }

  private var tap: Tap?
  private var tapCount = 0
  private var isActive = false
  private var released: ContinuousClock.Instant?
  private(set) var hasBeenActivated = false

  init(reader: String, isJSON: Bool, taps: Int?, reportsCommands: Bool) {
    self.reader = reader
    self.isJSON = isJSON
    wantedTaps = taps
    self.reportsCommands = reportsCommands
  }

  private var time: Duration { .now - start }

  private func print(_ event: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) throws {
    guard isJSON else { return }
    var all = [
      JSONValue.Member(key: "event", value: .string(event)),
      JSONValue.Member(key: "time", value: .seconds(time)),
    ]
    for (key, value) in members {
      if let value { all.append(JSONValue.Member(key: key, value: value)) }
    }
    try Output.line(JSONValue.object(all).text)
  }

  func ready(_ uid: [UInt8]) throws {
    guard isJSON else { return try Output.line("ready \(uid.hexadecimal)") }
    try Output.line(
      JSONValue.members([
        "event": .string("ready"), "uid": .bytes(uid), "reader": .string(reader),
      ]).text)
  }

  func activated() throws {
    if let released, tap != nil, .now - released >= Self.pauseOfTap { try endTap() }
    hasBeenActivated = true
    isActive = true
    tap = tap ?? Tap(time: time)
    try print("activated")
  }

  func read(_ count: Int) throws {
    note("read \(count) bytes")
    try print("read", ["bytes": .integer(count)])
  }

  func written(_ bytes: [UInt8], uid: [UInt8], capacity: Int, save: String?) throws {
    let message = try? NDEFMessage(decoding: bytes)
    var text = "wrote \(bytes.count) bytes"
    if let message {
      if let save { try File.replace(bytes, at: save) }
      text += ": " + message.records.map(\.description).joined(separator: ", ")
    } else {
      text += ", which are not an NDEF message"
      if save != nil {
        Output.printError("nfc: the other side wrote what is not an NDEF message; it was not saved")
      }
    }
    note(text)
    let content = try message.map { message in
      JSONValue.members([
        "uid": .bytes(uid), "status": .string(NDEFStatus.Access.readWrite.rawValue),
        "capacity": .integer(capacity), "length": .integer(bytes.count),
        "records": .array(try message.records.map { try JSONValue(encoding: $0) }),
      ])
    }
    try print("written", ["bytes": .integer(bytes.count), "ndef": content])
  }

  private func note(_ deed: String) {
    if tap?.deeds.last != deed { tap?.deeds.append(deed) }
    tap?.isFulfilled = true
  }

  func command(_ command: [UInt8], _ answer: [UInt8]) throws {
    guard reportsCommands else { return }
    try print("command", ["command": .bytes(command), "answer": .bytes(answer)])
  }

  /// A program has answered a command.
  func served(_ command: [UInt8], _ answer: [UInt8]) throws {
    tap?.commandCount += 1
    tap?.isFulfilled = true
    if let command = APDU(command), command.instructionCode == 0xA4, command.p1 == 0x04,
      answer.suffix(2) == [0x90, 0x00]
    {
      let name = command.data.hexadecimal
      if tap?.applications.contains(name) == false { tap?.applications.append(name) }
    }
    try self.command(command, answer)
  }

  func released(_ release: EmulationRelease, after time: Duration) throws {
    isActive = false
    released = .now
    try print(
      "released",
      [
        "reason": .string(release.rawValue),
        "milliseconds": .integer(Int(time / .milliseconds(1))),
      ])
  }

  /// Ends taps whose time is over. Returns whether there were enough.
  func tick() throws -> Bool {
    guard !isActive, let released, let tap else { return false }
    let pause = ContinuousClock.now - released
    if let wantedTaps, tapCount + 1 >= wantedTaps, tap.isFulfilled || pause >= Self.patience {
      try endTap()
      return true
    }
    if pause >= Self.pauseOfTap { try endTap() }
    return false
  }

  /// Reports the tap that is going on.
  func close() throws { try endTap() }

  private func endTap() throws {
    guard let tap else { return }
    self.tap = nil
    tapCount += 1
    guard !isJSON else { return }
    var parts =
      tap.applications.isEmpty ? [] : ["selected " + tap.applications.joined(separator: ", ")]
    if tap.commandCount > 0 { parts.append("\(tap.commandCount) commands") }
    parts += tap.deeds
    if parts.isEmpty { parts = ["left"] }
    try Output.line("\(tap.time.secondsText) s  \(parts.joined(separator: ", "))".onOneLine)
  }
}
