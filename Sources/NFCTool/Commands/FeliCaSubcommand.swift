import ArgumentParser
import NFC

/// The command `nfc felica`.
struct FeliCaSubcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "felica", abstract: "Works with FeliCa cards.",
    discussion: "Example:\n  nfc felica read --service 090F 0-7 --virtual suica",
    subcommands: [
      FeliCaInfoCommand.self, FeliCaReadCommand.self, FeliCaWriteCommand.self,
      FeliCaSendCommand.self,
    ])
}

extension Session {
  func selectFeliCaCard(for use: TagUse) async throws -> SelectedTag<any FeliCaTag> {
    try await selectTag("a FeliCa card", polling: .feliCa, for: use) { tag in
      if case .feliCa(let tag) = tag { tag } else { nil }
    }
  }
}
