/// Counts exchanges and commands and finds the faults that are due.
struct FaultState {
  var faults: [Fault] = [] {
    didSet {
      exchanges = 0
      commands = 0
      repetitions = [:]
      isSilent = false
    }
  }
  /// The number of frames that the reader has sent over the air.
  private(set) var exchanges = 0
  /// The number of commands that the host has sent.
  private(set) var commands = 0
  /// The number of commands that have begun with the bytes of a moment.
  private var repetitions: [[UInt8]: Int] = [:]
  /// Whether the chip has stopped answering.
  private(set) var isSilent = false

  /// Returns the effects that are due for the next frame.
  mutating func nextExchange() -> [Fault.Effect] {
    defer { exchanges += 1 }
    let count = exchanges
    return due { moment in
      switch moment {
      case .exchange(let number): number == count
      case .everyExchange(let number): Self.isTurn(count, ofEvery: number)
      case .command, .everyCommand, .commandBeginning: false
      }
    }
  }

  private func due(_ isNow: (Fault.Moment) -> Bool) -> [Fault.Effect] {
    faults.compactMap { isNow($0.moment) ? $0.effect : nil }
  }

  private static func isTurn(_ count: Int, ofEvery number: Int) -> Bool {
    number > 0 && count % number == number - 1
  }

  /// Returns the effects that are due for the command that has just been received.
  mutating func nextCommand(_ command: [UInt8]) -> [Fault.Effect] {
    defer { commands += 1 }
    let count = commands
    var turns: [[UInt8]: Int] = [:]
    for fault in faults {
      guard case .commandBeginning(let bytes, _) = fault.moment, command.starts(with: bytes),
        turns[bytes] == nil
      else { continue }
      turns[bytes] = repetitions[bytes, default: 0]
      repetitions[bytes, default: 0] += 1
    }
    let due = due { moment in
      switch moment {
      case .command(let number): number == count
      case .everyCommand(let number): Self.isTurn(count, ofEvery: number)
      case .commandBeginning(let bytes, let number): turns[bytes] == number
      case .exchange, .everyExchange: false
      }
    }
    for case .chipFallsSilent in due { isSilent = true }
    return due
  }
}
