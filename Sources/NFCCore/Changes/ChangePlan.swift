/// A change of a tag: everything that will happen, before anything happens.
///
/// Each family of tags makes plans; all of them are looked at and performed in the same way:
///
/// ```swift
/// let plan = try await ultralight.protectionPlan(protection)
/// print(plan)
/// try await tag.perform(plan, accepting: [.forgetsPassword])
/// ```
///
/// Making a plan reads the tag and writes nothing. A plan belongs to the tag that it was made for, over its present
/// connection, and to the state in which the tag was: performing it begins by checking that the tag has not changed.
/// If performing it was interrupted, make the plan again; ``recovery`` says what to do.
///
/// A plan holds the passwords and keys that performing it requires. They appear in no description.
public struct ChangePlan: Sendable {
  /// The result of performing a plan.
  public struct Outcome: Hashable, Sendable {
    /// The steps that the tag has performed, in their order.
    public let steps: [Step]
    /// What the plan leaves out, and what the tag has refused.
    public let omissions: [Omission]

    package init(steps: [Step], omissions: [Omission] = []) {
      self.steps = steps
      self.omissions = omissions
    }
  }

  /// The steps, in the order in which they are performed; none if the tag is as it should be.
  public let steps: [Step]
  /// What was requested and will not be done, with the reason.
  public let omissions: [Omission]
  /// What cannot be undone, each once, in the order of ``IrreversibleEffect``. It has to be accepted by name.
  public let effects: [IrreversibleEffect]
  /// What to do if the tag was removed before the last step, or its answer was lost, as one clause;
  /// ``NFCError/recovery`` of such an error.
  public let recovery: String

  /// Whether the tag, as it was when the plan was made, closes permanently after some wrong passwords or keys, as far as
  /// it shows that.
  package let limitsAttempts: Bool
  /// The tag that the plan was made for.
  let reader: Reader
  let identifier: [UInt8]
  /// Checks that the tag is as it was, and performs the steps.
  let run: @Sendable () async throws -> Outcome?

  /// - Parameter run: checks that the tag is as it was, and performs the steps. It is not called for a plan without
  ///   steps. `nil` stands for every step.
  package init(
    for tag: some ChangeableTag, _ steps: [Step], omissions: [Omission] = [],
    effects: Set<IrreversibleEffect> = [], recovery: String, limitsAttempts: Bool = false,
    run: @escaping @Sendable () async throws -> Outcome?
  ) {
    self.steps = steps
    self.omissions = omissions
    self.effects = IrreversibleEffect.allCases.filter { effects.contains($0) }
    self.recovery = recovery
    self.limitsAttempts = limitsAttempts
    reader = tag.reader
    identifier = tag.identifier
    self.run = run
  }

  /// Creates the plan of a change that is performed completely or not at all.
  package init(
    for tag: some ChangeableTag, _ steps: [Step], effects: Set<IrreversibleEffect> = [],
    recovery: String, limitsAttempts: Bool = false,
    performing: @escaping @Sendable () async throws -> Void
  ) {
    self.init(
      for: tag, steps, effects: effects, recovery: recovery, limitsAttempts: limitsAttempts
    ) {
      try await performing()
      return nil
    }
  }
}

/// A tag, or an interface to the commands of its family: what changes are planned for.
///
/// Do not declare conformances: later versions add requirements.
public protocol ChangeableTag: Sendable {
  /// The UID, IDm, PUPI or serial number, most significant byte first.
  var identifier: [UInt8] { get }
  /// The reader that has found the tag.
  var reader: Reader { get }
}

extension ChangeableTag {
  /// Performs a plan. This is the only way to perform one, whatever the tag.
  ///
  /// What goes over the air is what the plan says, and what checks that the tag is as it was when the plan was made.
  /// Most changes, once begun, are completed even if the task is cancelled.
  ///
  /// - Parameter effects: what cannot be undone and may nevertheless be done. Every effect of the plan has to be among
  ///   them; others do not matter.
  /// - Returns: what was done and what was left out, which are those of the plan unless the tag has refused something.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if an effect was not accepted, if the plan
  ///   was made for another tag, or if the tag has changed since; ``NFCError/Code/authenticationFailed``;
  ///   ``NFCError/Code/tagConnectionLost``, with ``NFCError/recovery`` if the tag may have been changed.
  @discardableResult
  public func perform(
    _ plan: ChangePlan, accepting effects: Set<IrreversibleEffect> = []
  ) async throws -> ChangePlan.Outcome {
    guard plan.reader === reader, plan.identifier == identifier else {
      throw NFCError(.invalidParameter, "the plan was made for another tag")
    }
    try IrreversibleEffect.check(plan.effects, acceptedBy: effects)
    let whole = ChangePlan.Outcome(steps: plan.steps, omissions: plan.omissions)
    guard !plan.steps.isEmpty else { return whole }
    return try await plan.run() ?? whole
  }
}

extension DetectedTag: ChangeableTag {}

extension ChangePlan: CustomStringConvertible, CustomReflectable {
  /// One line per step, one per omission, and one per effect that cannot be undone.
  public var description: String { lines.joined(separator: "\n") }

  /// The lines of ``description``; none for a plan that does nothing.
  public var lines: [String] {
    steps.map(\.description) + omissions.map(\.description)
      + effects.map { "cannot be undone: \($0.description)" }
  }

  public var customMirror: Mirror {
    Mirror(
      self, children: ["steps": steps, "omissions": omissions, "effects": effects])
  }
}

extension NFCError {
  /// A plan that the tag, as it is, no longer fits.
  package static let planIsStale = NFCError(
    .invalidParameter, "the plan was made for another tag, or before a change")
}
