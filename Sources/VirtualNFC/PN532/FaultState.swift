/// Counts exchanges and commands and finds the faults that are due.
struct FaultState {
  var faults: [Fault] = [] {
    didSet {
      exchanges = 0
      commands = 0
      isSilent = false
    }
  }
  /// Frames that the reader has sent over the air.
  private(set) var exchanges = 0
  /// Commands that the host has sent.
  private(set) var commands = 0
  /// The chip answers nothing any more.
  private(set) var isSilent = false

  /// The effects that are due on the frame that is about to be sent.
  mutating func nextExchange() -> [Fault.Effect] {
    defer { exchanges += 1 }
    return faults.compactMap { $0.moment == .exchange(exchanges) ? $0.effect : nil }
  }

  /// The effects that are due on the command that has come.
  mutating func nextCommand() -> [Fault.Effect] {
    defer { commands += 1 }
    let due = faults.compactMap { $0.moment == .command(commands) ? $0.effect : nil }
    for case .chipFallsSilent in due { isSilent = true }
    return due
  }
}
