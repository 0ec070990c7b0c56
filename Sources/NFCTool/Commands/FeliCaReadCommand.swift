import JSONText
import ArgumentParser
import NFC

/// The command `nfc felica read`.
struct FeliCaReadCommand: AsyncParsableCommand {
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
      all ? try await readAll(tag) : try await readBlocks(tag)
    }
  }

  /// The maximum number of blocks in an answer (FeliCa Card User's Manual, excerpted edition, 4.4.5), and the
  /// maximum that FeliCa Lite and Lite-S accept (FeliCa Lite-S User's Manual, 4.4.4).
  private static let maximumBlocks = 15
  private static let maximumBlocksOfLite = 4

  private func blocksAtOnce(_ tag: SelectedTag<any FeliCaTag>) async throws -> Int {
    let name = try await tag.work { try await tag.kind.product() }?.name
    return name?.hasPrefix("FeliCa Lite") ?? true ? Self.maximumBlocksOfLite : Self.maximumBlocks
  }

  // MARK: Some blocks

  private func readBlocks(_ tag: SelectedTag<any FeliCaTag>) async throws {
    let card = try await system.card(tag)
    let size = try await blocksAtOnce(tag)
    let code = try service.code()
    let numbers = Array(blocks.joined())
    var data: [[UInt8]] = []
    for first in stride(from: 0, to: numbers.count, by: size) {
      let part = numbers[first..<min(first + size, numbers.count)]
      data += try await Self.read(part, of: code, card, tag.name)
    }
    try Output.units(
      zip(numbers, data).map { Output.Unit(number: $0, data: $1) }, "block", json: options.json)
  }

  /// Reads blocks with one exchange. If the card refuses, each block is read individually, to find the one
  /// that fails.
  private static func read(
    _ numbers: ArraySlice<Int>, of code: UInt16, _ card: any FeliCaTag, _ name: String
  ) async throws -> [[UInt8]] {
    do {
      return try await card.readWithoutEncryption(
        serviceCodes: [code], blocks: numbers.map { FeliCaBlock(UInt16(clamping: $0)) })
    } catch let error as NFCError {
      guard error.code == .tagRefused, numbers.count > 1 else {
        throw FeliCaServiceOption.refusal(error, code, numbers.first ?? 0, name)
      }
    }
    var data: [[UInt8]] = []
    for index in numbers.indices {
      data += try await read(numbers[index...index], of: code, card, name)
    }
    return data
  }

  // MARK: All blocks

  private func readAll(_ tag: SelectedTag<any FeliCaTag>) async throws {
    let size = try await blocksAtOnce(tag)
    let found = try await tag.work {
      let found = try await FeliCaCard(tag.kind, try await tag.kind.product()).systems
      // A reader that only reports the card's identifier finds none, and says so here.
      if found.isEmpty { _ = try await tag.kind.systems() }
      return found
    }
    for system in found where self.system.code.map({ $0 == system.system.code }) ?? true {
      let card = tag.kind.inSystem(system.system)
      for service in system.services where !FeliCaServiceKind(code: service).needsKey {
        let data = try await tag.work { try await Self.allBlocks(of: service, card, size) }
        try show(data, service, system.system.code)
      }
    }
  }

  /// Reads all blocks from block 0 until the card has no further blocks.
  static func allBlocks(
    of service: UInt16, _ card: any FeliCaTag, _ size: Int
  ) async throws -> [[UInt8]] {
    var data: [[UInt8]] = []
    var size = size
    while data.count <= Int(UInt16.max) {
      let numbers = data.count..<min(data.count + size, Int(UInt16.max) + 1)
      do {
        data += try await card.readWithoutEncryption(
          serviceCodes: [service], blocks: numbers.map { FeliCaBlock(UInt16(clamping: $0)) })
      } catch let error as NFCError where error.code == .tagRefused {
        guard size > 1 else { return data }
        size /= 2
      }
    }
    return data
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
