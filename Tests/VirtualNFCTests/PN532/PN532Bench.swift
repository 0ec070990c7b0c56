import NFCCore

@testable import VirtualNFC

/// A chip with tags in front of it; commands and answers in hexadecimal.
struct PN532Bench {
  var chip: PN532Chip
  let field = VirtualField()
  /// The frames that have gone over the air.
  let air = AirLog()

  /// Out of LowVbat mode, and with one try for an activation, as libnfc asks.
  init(_ tags: VirtualTag..., model: VirtualPN532 = VirtualPN532()) {
    chip = PN532Chip(field: field, model: model)
    for tag in tags { field.place(tag) }
    chip.trace = { [air] in air.see($0) }
    _ = send("1401")
    _ = send("3205000102")
    air.clear()
  }

  /// `nil` for the syntax error frame, "pending" for a command that waits.
  mutating func send(_ command: String) -> String? {
    switch chip.execute([UInt8](hexadecimal: command) ?? []) {
    case .reply(let data): data.hexadecimal
    case .syntaxError: nil
    case .pending: "pending"
    }
  }

  /// Bytes on the serial line of a chip that may be asleep, and the commands that it hears.
  mutating func hears(_ line: String) -> [PN532FrameReader.Event] {
    var reader = PN532FrameReader()
    return reader.feed(chip.hear([UInt8](hexadecimal: line) ?? []))
  }
}
