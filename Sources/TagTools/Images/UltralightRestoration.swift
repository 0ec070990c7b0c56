import NFC
import TagImages

/// Restores an image to an Ultralight or NTAG.
struct UltralightRestoration: MemoryRestoration {
  private let commands: UltralightCommands
  private let key: UltralightKey?
  private let restorePlan: ChangePlan

  init(
    _ commands: UltralightCommands, _ image: TagImage, key: UltralightKey?,
    extras: UltralightRestoreExtras
  ) async throws {
    self.commands = commands
    self.key = key
    if key?.password == nil { try await commands.open(with: key) }
    restorePlan = try await commands.restorePlan(
      image.memory.bytes, known: image.memory.isKnown, extras: extras, password: key?.password)
  }

  var effects: [IrreversibleEffect] { restorePlan.effects }

  var plan: [RestoredPart] {
    parts(restorePlan.changedPlaces.compactMap(\.number), restorePlan.omissions)
  }

  var changeSteps: [ChangePlan.Step] { restorePlan.steps }
  var plannedOmissions: [ChangePlan.Omission] { restorePlan.omissions }
  var recovery: String { restorePlan.recovery }

  func run() async throws -> [RestoredPart] { parts(of: try await perform()) }

  func perform() async throws -> ChangePlan.Outcome {
    // Reading may have ended the authentication: at a page that cannot be read, for instance.
    if key?.password == nil { try await commands.open(with: key) }
    // What cannot be undone is in the plan only if it was requested.
    return try await commands.perform(restorePlan, accepting: Set(restorePlan.effects))
  }

  func parts(of outcome: ChangePlan.Outcome) -> [RestoredPart] {
    parts(outcome.changedPlaces.compactMap(\.number), outcome.omissions)
  }

  private func parts(
    _ written: [Int], _ omissions: [ChangePlan.Omission]
  ) -> [RestoredPart] {
    let parts =
      written.map { RestoredPart(kind: "page", number: $0, written: [$0], omissions: []) }
      + omissions.map { omission in
        RestoredPart(
          kind: "page", number: omission.place.number ?? 0, written: [],
          omissions: [
            RestoredPart.Omission(
              omission.reason, isFailure: omission.isFailure,
              isNotRequested: omission.isNotRequested)
          ])
      }
    return parts.sorted { $0.number < $1.number }
  }
}

extension ChangePlan.Omission {
  fileprivate var isFailure: Bool {
    switch reason {
    case .refused, .impossible: true
    default: false
    }
  }

  fileprivate var isNotRequested: Bool {
    switch reason {
    case .notRequested, .kept: true
    default: false
    }
  }
}
