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

  func run() async throws -> [RestoredPart] {
    // Reading may have ended the authentication: at a page that cannot be read, for instance.
    if key?.password == nil { try await commands.open(with: key) }
    // What cannot be undone is in the plan only if an option of the command named it.
    let done = try await commands.perform(restorePlan, accepting: Set(restorePlan.effects))
    return parts(done.changedPlaces.compactMap(\.number), done.omissions)
  }

  private func parts(
    _ written: [Int], _ omissions: [ChangePlan.Omission]
  ) -> [RestoredPart] {
    let parts =
      written.map { RestoredPart(kind: "page", number: $0, written: [$0], omissions: []) }
      + omissions.map { omission in
        RestoredPart(
          kind: "page", number: omission.place.number ?? 0, written: [],
          omissions: [Self.omission(omission.reason)])
      }
    return parts.sorted { $0.number < $1.number }
  }

  /// Describes an omission. For a part that is written only on request, the text includes the option that requests it.
  private static func omission(_ reason: ChangePlan.Omission.Reason) -> RestoredPart.Omission {
    guard case .notRequested(let request) = reason else {
      return RestoredPart.Omission(
        text: reason.description, isFailure: reason == .refused, isNotRequested: false,
        remedy: reason == .refused ? .key : nil)
    }
    let option =
      switch request {
      case .locks: "--include-locks"
      case .capabilityContainer: "--include-capability-container"
      case .password: "--include-password"
      default: "--include-configuration"
      }
    return RestoredPart.Omission(
      text: "written only with \(option)", isFailure: false, isNotRequested: true)
  }
}
