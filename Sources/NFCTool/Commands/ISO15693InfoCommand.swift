import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagTools

/// The command `nfc iso15693 info`.
struct ISO15693InfoCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows what a tag reports about itself.",
    usage: "nfc iso15693 info [<options>]",
    discussion: "Example:\n  nfc iso15693 info --json --virtual icode-slix2")

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: .reading)
      let (product, information) = try await tag.addingTagName {
        (try await tag.kind.product(), try await tag.detected.vicinityInformation())
      }
      let more: [(String, JSONValue?)] = [
        ("maker", product.map { .string($0.maker) }),
        ("memorySize", product?.memorySize.map { .integer($0) }),
        ("icReference", information?.icReference.map { .bytes([$0]) }),
      ]
      let facts =
        tag.detected.facts(product, information)
        + more.compactMap { key, value in value.map { JSONValue.Member(key: key, value: $0) } }
      guard !options.json else { return try Output.line(JSONValue.object(facts).text) }
      var table = FactTable()
      table.add(facts)
      try table.print()
    }
  }
}
