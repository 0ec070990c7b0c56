import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagTools

/// The command `nfc felica read`.
struct FeliCaReadCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads blocks of services that need no key.",
    usage:
      "nfc felica read --service <hex> <blocks> ... [<options>]\nnfc felica read --all [<options>]",
    discussion: """
      Prints one line per block: its number and its 16 bytes. --all reads every service of every system \
      that needs no key, each after a line with its codes.

      Examples:
        nfc felica read --service 090F 0-7 --virtual suica
        nfc felica read --all --virtual suica
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions
  @OptionGroup var service: FeliCaServiceOption
  @OptionGroup var system: FeliCaSystemOption

  @Flag(help: "Read every block of every service that needs no key.")
  var all = false

  @Argument(
    help: ArgumentHelp("The blocks: 0, 0-7 or 3,5,9-12.", valueName: "blocks"),
    transform: { try NumberList.argument($0, "The block", upTo: Int(UInt16.max)) })
  var blocks: [[Int]] = []

  mutating func validate() throws {
    guard all else {
      _ = try service.code()
      guard !blocks.isEmpty else {
        throw ValidationError("Missing expected argument '<blocks> ...'")
      }
      return
    }
    guard service.optional == nil, blocks.isEmpty else {
      throw ValidationError("--all reads every service; give it without --service and blocks.")
    }
  }

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectFeliCaCard(for: .reading)
      all ? try await readAll(tag, session) : try await readBlocks(tag)
    }
  }

  // MARK: Some blocks

  private func readBlocks(_ tag: SelectedTag<any FeliCaTag>) async throws {
    let card = try await system.card(tag)
    let code = try service.code()
    let numbers = Array(blocks.joined())
    let data: [[UInt8]]
    do {
      data = try await card.readBlocks(service: code, numbers: numbers)
    } catch let error as NFCError where error.code == .tagRefused || error.code == .notAuthenticated
    {
      let refused = try await Self.refused(error, numbers, of: code, card)
      throw FeliCaServiceOption.refusal(refused.error, code, refused.block, tag.name)
    }
    try Output.units(
      zip(numbers, data).map { Output.Unit(number: $0, data: $1) }, "block", json: options.json)
  }

  /// Returns the block that the card refuses. If its flags do not say which, each is read.
  private static func refused(
    _ error: NFCError, _ numbers: [Int], of code: UInt16, _ card: any FeliCaTag
  ) async throws -> (error: NFCError, block: Int) {
    if case .block(let number) = error.place { return (error, number) }
    for number in numbers {
      do {
        _ = try await card.readBlocks(service: code, numbers: [number])
      } catch let error as NFCError
        where error.code == .tagRefused || error.code == .notAuthenticated
      {
        return (error, number)
      }
    }
    return (error, numbers.first ?? 0)
  }

  // MARK: All blocks

  private func readAll(
    _ tag: SelectedTag<any FeliCaTag>, _ session: Session
  ) async throws {
    let found = try await tag.addingTagName {
      let found = try await FeliCaCard(tag.kind, try await tag.kind.product()).systems
      // A reader that only reports the card's identifier finds none, and says so here.
      if found.isEmpty { _ = try await tag.kind.systems() }
      return found
    }
    for system in found where self.system.code.map({ $0 == system.system.code }) ?? true {
      let card = tag.kind.inSystem(system.system)
      for service in system.services where !FeliCaServiceKind(code: service).needsKey {
        let data = try await tag.addingTagName { try await card.readAllBlocks(service: service) }
        try show(data.blocks, service, system.system.code)
        if !data.isComplete { session.note(FeliCaReading.note(service, data.blocks.count)) }
      }
    }
  }

  private func show(_ data: [[UInt8]], _ service: UInt16, _ system: UInt16) throws {
    let system = system.bigEndianBytes.hexadecimal
    let code = service.bigEndianBytes.hexadecimal
    guard options.json else {
      let kind = FeliCaServiceKind(code: service).description
      try Output.line("system \(system)  service \(code)  \(kind)")
      return try Output.units(
        data.enumerated().map { Output.Unit(number: $0, data: $1) }, "block", json: false)
    }
    for (number, block) in data.enumerated() {
      try Output.line(
        JSONValue.members([
          "system": .string(system), "service": .string(code), "block": .integer(number),
          "data": .bytes(block),
        ]).text)
    }
  }
}
