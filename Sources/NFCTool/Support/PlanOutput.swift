import SwiftNFCJSONText
import NFC

/// The output of `--plan`, the same for every command.
enum PlanOutput {
  /// Prints a plan: one line per step, one per omission, and one per effect that cannot be undone. With `--json`, each
  /// line is an object.
  static func show(_ plan: ChangePlan, _ options: GlobalOptions) throws {
    let lines = lines(plan, json: options.json)
    for line in lines { try Output.line(line) }
    if lines.isEmpty, !options.json { try Output.line("nothing to be changed") }
  }

  /// Prints what cannot be undone.
  static func showEffects(_ effects: [IrreversibleEffect], _ options: GlobalOptions) throws {
    for effect in effects { try Output.line(line(effect, json: options.json)) }
  }

  static func lines(_ plan: ChangePlan, json: Bool) -> [String] {
    guard json else { return plan.lines }
    return plan.steps.map(\.json.text) + plan.omissions.map(\.json.text)
      + plan.effects.map { line($0, json: true) }
  }

  private static func line(_ effect: IrreversibleEffect, json: Bool) -> String {
    guard json else { return "cannot be undone: \(effect)" }
    return JSONValue.members([
      "effect": .string(effect.rawValue), "cannotBeUndone": .string(effect.description),
    ]).text
  }
}

extension ChangePlan.Step {
  fileprivate var json: JSONValue {
    let rest = JSONValue.members([
      "action": action.map { .string($0) }, "before": before?.json, "after": after?.json,
      "secret": isSecret ? .bool(true) : nil, "mayBeRefused": mayBeRefused ? .bool(true) : nil,
    ])
    return .object((place?.members ?? []) + (rest.members ?? []))
  }
}

extension ChangePlan.Omission {
  fileprivate var json: JSONValue {
    .object(
      place.members + [JSONValue.Member(key: "leftOut", value: .string(reason.description))])
  }
}

extension ChangePlan.Place {
  /// The place and what contains it, each by its kind.
  fileprivate var members: [JSONValue.Member] {
    (containers + [self]).map { place in
      JSONValue.Member(
        key: place.kind.rawValue,
        value: place.number.map { .integer($0) } ?? .string(place.name))
    }
  }
}

extension ChangePlan.Content {
  fileprivate var json: JSONValue {
    switch self {
    case .bytes(let bytes): .bytes(bytes)
    case .words(let words): .string(words)
    }
  }
}
