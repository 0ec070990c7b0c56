import ArgumentParser

/// A command that makes one change which cannot be undone, and only shows it with `--plan`.
protocol PermanentChange: AsyncParsableCommand {
  /// The refusal without `--permanently`: that the change cannot be undone, and how to confirm it.
  static var refusalUnlessConfirmed: String { get }

  /// Whether the change was confirmed.
  var permanently: Bool { get }

  /// Whether the change is only shown.
  var plan: Bool { get }
}

extension PermanentChange {
  /// Checks that the change was confirmed, unless it is only shown.
  mutating func validate() throws {
    guard permanently || plan else { throw ValidationError(Self.refusalUnlessConfirmed) }
  }
}
