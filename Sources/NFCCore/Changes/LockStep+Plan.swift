extension LockStep {
  /// The step as people see it.
  var planned: ChangePlan.Step {
    switch change {
    case .bytes(let before, let after):
      ChangePlan.Step(
        planPlace, before: .bytes(before), after: .bytes(after), mayBeRefused: mayBeRefused)
    case .accessRights(let before, let after):
      ChangePlan.Step(
        planPlace, "access rights", before: .bytes(before), after: .bytes(after),
        mayBeRefused: mayBeRefused)
    case .lock: ChangePlan.Step(planPlace, "lock", mayBeRefused: mayBeRefused)
    }
  }

  private var planPlace: ChangePlan.Place {
    switch place {
    case .page(let number): .page(number)
    case .block(let number): .block(number)
    case .sector(let number): .sector(number)
    case .file(let identifier): ChangePlan.Place(.file, identifier.bigEndianBytes.hexadecimal)
    case .offset(let number): ChangePlan.Place(.offset, number)
    case .key(let number): ChangePlan.Place(.key, number)
    }
  }
}
