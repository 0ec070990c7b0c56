import ArgumentParser
import NFC

/// The command `nfc felica write`.
struct FeliCaWriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes a block of a service that needs no key.",
    usage: "nfc felica write --service <hex> <block> <hex> [<options>]",
    discussion: """
      Example:
        nfc felica write --service 0009 5 000102030405060708090A0B0C0D0E0F \\
          --virtual felica-lite-s
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions
  @OptionGroup var service: FeliCaServiceOption
  @OptionGroup var system: FeliCaSystemOption

  @Argument(
    help: "The block's number.",
    transform: { try NumberArgument.integer($0, "The block", in: 0...Int(UInt16.max)) })
  var block: Int

  @Argument(
    help: ArgumentHelp("16 bytes in hexadecimal.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "The data") })
  var data: [UInt8]

  mutating func validate() throws {
    _ = try service.code()
    guard data.count == FeliCaBlock.size else {
      throw ValidationError("A block has \(FeliCaBlock.size) bytes, not \(data.count).")
    }
  }

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectFeliCaCard(for: .changing)
      let card = try await system.card(tag)
      let code = try service.code()
      do {
        try await card.writeWithoutEncryption(
          serviceCodes: [code], blocks: [FeliCaBlock(UInt16(clamping: block))], data: [data])
      } catch let error as NFCError {
        throw FeliCaServiceOption.refusal(error, code, block, tag.name)
      }
      try Output.done(
        options, tag.detected.identifier,
        ["block": .integer(block), "written": .integer(data.count)])
      if !options.json { Output.printNotice("wrote block \(block) of \(tag.name)") }
    }
  }
}
