import NFC
import TagImages

/// Restores an image to an Ultralight or NTAG.
struct UltralightRestoration: MemoryRestoration {
  private let commands: UltralightCommands
  private let key: UltralightKey?
  private let restorePlan: UltralightRestorePlan

  init(
    _ commands: UltralightCommands, _ image: TagImage, key: UltralightKey?,
    extras: UltralightRestorePlan.Extras
  ) async throws {
    self.commands = commands
    self.key = key
    if key?.password == nil { try await commands.open(with: key) }
    restorePlan = try await commands.restorePlan(
      image.memory.bytes, known: image.memory.isKnown, extras: extras, password: key?.password)
  }

  var plan: [RestoredPart] {
    parts(Array(restorePlan.changedPages), restorePlan.omissions)
  }

  func run() async throws -> [RestoredPart] {
    // Reading may have ended the authentication: at a page that cannot be read, for instance.
    if key?.password == nil { try await commands.open(with: key) }
    let report = try await commands.restore(restorePlan, password: key?.password)
    return parts(report.written, report.omissions)
  }

  private func parts(
    _ written: [Int], _ omissions: [UltralightRestorePlan.Omission]
  ) -> [RestoredPart] {
    let parts =
      written.map { RestoredPart(kind: "page", number: $0, written: [$0], omissions: []) }
      + omissions.map { omission in
        RestoredPart(
          kind: "page", number: omission.page, written: [],
          omissions: [
            RestoredPart.Omission(
              text: text(omission), isFailure: omission.reason == .refused,
              isNotRequested: omission.reason == .notRequested,
              remedy: omission.reason == .refused ? .key : nil)
          ])
      }
    return parts.sorted { $0.number < $1.number }
  }

  /// Returns the description of an omission. For a part that is written only on request, it includes the
  /// option that requests it.
  private func text(_ omission: UltralightRestorePlan.Omission) -> String {
    guard omission.reason == .notRequested else { return omission.reason.description }
    let area = restorePlan.areas.first { $0.pages.contains(omission.page) }
    let option =
      switch area?.use {
      case .identifierAndLocks, .locks: "--include-locks"
      case .oneTime: "--include-capability-container"
      case .secret: "--include-password"
      default: "--include-configuration"
      }
    return "written only with \(option)"
  }
}
