/// The outcome of restoring an image, as far as it has come.
struct PartialOutcome {
  /// The steps that the tag has performed, and that were not taken back.
  var steps: [ChangePlan.Step] = []
  private(set) var omissions: [ChangePlan.Omission]
  /// The places that the whole plan changes.
  private let changed: Set<ChangePlan.Place>

  init(omissions: [ChangePlan.Omission], changed: Set<ChangePlan.Place>) {
    self.omissions = omissions
    self.changed = changed
  }

  /// Notes that a place does not have its new content.
  mutating func leaveOut(_ place: ChangePlan.Place, _ reason: ChangePlan.Omission.Reason) {
    steps.removeAll { $0.place == place }
    // A place that would only have been emptied meanwhile is as it was.
    guard reason != .keepsMessage || changed.contains(place) else { return }
    guard !omissions.contains(where: { $0.place == place }) else { return }
    omissions.append(ChangePlan.Omission(place, reason))
  }
}
