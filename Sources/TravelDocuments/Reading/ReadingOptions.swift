/// What to read of a document.
public struct ReadingOptions: Sendable {
  /// The data groups; `nil` for all that the document has, except 3 and 4, which are never read.
  public var groups: Set<DataGroup>?
  /// Whether the chip has to prove its key: chip authentication, and active authentication. Data groups 14 and 15 are
  /// read for it.
  public var provesChip: Bool

  /// Creates options.
  public init(groups: Set<DataGroup>? = nil, provesChip: Bool = true) {
    self.groups = groups
    self.provesChip = provesChip
  }
}

/// How far a reading has come. It contains nothing of what is read.
public struct ReadingProgress: Hashable, Sendable {
  /// A step of a reading.
  ///
  /// More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// The chip says how it is opened.
    case identification
    /// The chip is opened, which may take seconds, and longer after wrong passwords.
    case access
    /// Files are read.
    case files
    /// The chip proves its key.
    case proof
  }

  /// The step.
  public let step: Step
  /// The number of bytes of files that were read.
  public let bytesRead: Int
  /// The number of bytes of the files whose sizes are known.
  public let bytesExpected: Int
  /// The number of exchanges.
  public let exchangeCount: Int
}
