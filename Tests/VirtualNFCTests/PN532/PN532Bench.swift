import SwiftNFCCore

@testable import VirtualNFC

/// A chip with tags in its field, with commands and answers in hexadecimal.
struct PN532Bench {
  var chip: PN532Chip
  let field = VirtualField()
  /// The frames over the air.
  let air = AirLog()

  /// Ends LowVbat mode and sets one attempt per activation, as libnfc does.
  init(_ tags: VirtualTag..., model: VirtualPN532 = VirtualPN532()) {
    chip = PN532Chip(field: field, model: model)
    for tag in tags { field.place(tag) }
    chip.trace = { [air] in air.see($0) }
    _ = send("1401")
    _ = send("3205000102")
    air.clear()
  }

  /// Sends a command; `nil` for the syntax error frame, "pending" for a command that waits.
  mutating func send(_ command: String) -> String? {
    switch chip.execute([UInt8](hexadecimal: command) ?? []) {
    case .reply(let data): data.hexadecimal
    case .syntaxError: nil
    case .pending: "pending"
    }
  }

  /// Sends bytes on the serial line of a chip that may be asleep, and returns the commands that it
  /// receives.
  mutating func hears(_ line: String) -> [PN532FrameReader.Event] {
    var reader = PN532FrameReader()
    return reader.feed(chip.hear([UInt8](hexadecimal: line) ?? []))
  }
}
