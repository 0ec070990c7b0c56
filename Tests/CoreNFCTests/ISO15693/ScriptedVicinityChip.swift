import NFC
import VirtualNFC

/// A vicinity chip that answers what a test says, and keeps what it hears.
struct ScriptedVicinityChip: VirtualChip {
  /// Of a maker whose chips have no peculiarities.
  static let uid: [UInt8] = [0xE0, 0x67, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06]

  /// What it has heard, inventories apart, without the check.
  var requests: [[UInt8]] = []
  /// What it answers next, without the check; silence when there is nothing left.
  var answers: [[UInt8]] = []

  var name: String { "scripted" }
  var identifier: [UInt8] { Self.uid }
  var modulation: RadioFrame.Modulation { .iso15693 }
  var memory: [UInt8] = []

  mutating func powerOff() {}

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard let request = frame.checkedPayload, let first = request.first else { return nil }
    if ISO15693RequestFlags(rawValue: first).contains(.inventory) {
      return .iso15693([0x00, 0x00] + Self.uid.reversed())
    }
    requests.append(request)
    return answers.isEmpty ? nil : .iso15693(answers.removeFirst())
  }
}

extension VirtualTag {
  static func scriptedVicinity() -> VirtualTag { VirtualTag(ScriptedVicinityChip()) }

  /// Sets what a scripted chip answers, and forgets what it has heard.
  func script(_ answers: [String]) {
    withChip(ScriptedVicinityChip.self) {
      $0.requests = []
      $0.answers = answers.compactMap { [UInt8](hexadecimal: $0) }
    }
  }

  /// What a scripted chip has heard, the UID as `U`.
  var heard: [String] {
    let uid = ScriptedVicinityChip.uid.reversed().hexadecimal
    return withChip(ScriptedVicinityChip.self) { chip in
      chip.requests.map { $0.hexadecimal.replacingOccurrences(of: uid, with: " U ") }
    } ?? []
  }
}
