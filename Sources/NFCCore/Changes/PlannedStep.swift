/// A step of a plan with what performs it.
package struct PlannedStep<Commands>: Sendable {
  /// The step as people see it.
  package let step: ChangePlan.Step
  /// - Parameter hasChanged: set when the tag has performed the step, or a part of it.
  package let run: @Sendable (_ commands: Commands, _ hasChanged: inout Bool) throws -> Void

  /// Creates a step that is marked as performed when `run` returns.
  package init(
    _ step: ChangePlan.Step, _ run: @escaping @Sendable (Commands) throws -> Void
  ) {
    self.step = step
    self.run = { commands, hasChanged in
      try run(commands)
      hasChanged = true
    }
  }

  /// Creates a step of several exchanges, which marks itself as performed.
  package init(
    _ step: ChangePlan.Step,
    marking run: @escaping @Sendable (Commands, inout Bool) throws -> Void
  ) {
    self.step = step
    self.run = run
  }
}

extension TagLink {
  /// Performs the steps of a plan without interruption. An error after the first step that has changed the tag, or of the
  /// connection, says what to do.
  package func perform<Commands>(
    _ steps: some Sequence<PlannedStep<Commands>>, _ commands: Commands, recovery: String
  ) throws {
    try uninterrupted(recovery: recovery) { hasChanged in
      for step in steps { try step.run(commands, &hasChanged) }
    }
  }
}
