import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagTools

/// The command `nfc felica info`.
struct FeliCaInfoCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows the systems and services of a FeliCa card.",
    usage: "nfc felica info [--system <hex>] [<options>]",
    discussion: """
      Each service follows its system, with what it can do and whether it needs a key.

      Example:
        nfc felica info --json --virtual suica
      """)

  @Option(
    help: ArgumentHelp("Show only the system with this code.", valueName: "hex"),
    transform: { try FeliCaCode.argument($0, "--system") })
  var system: UInt16?

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectFeliCaCard(for: .reading)
      let (product, systems) = try await tag.addingTagName {
        (try await tag.kind.product(), try await FeliCaCard.systems(of: tag.kind))
      }
      let shown = try system.map { [try FeliCaSystemOption.system($0, of: systems, tag.name)] }
      let card = try await tag.addingTagName {
        try await FeliCaCard(tag.kind, product, systems: shown ?? systems)
      }
      var facts = tag.detected.facts(product)
      facts.append(JSONValue.Member(key: "maker", value: .string(product?.maker ?? "Sony")))
      guard !options.json else {
        return try Output.line(JSONValue.object(facts + card.members(tag.kind)).text)
      }
      var table = FactTable()
      table.add(facts)
      for row in card.rows(tag.kind) { table.add(row.name, row.value) }
      try table.print()
    }
  }
}
