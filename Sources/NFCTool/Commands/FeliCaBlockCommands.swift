import ArgumentParser
import NFC

/// The service whose blocks are meant.
struct FeliCaServiceOption: ParsableArguments {
  @Option(
    name: .customLong("service"),
    help: ArgumentHelp("The service's code, as its number is written.", valueName: "hex"),
    transform: Self.code)
  var code: UInt16

  private static func code(_ text: String) throws -> UInt16 {
    let bytes = try Hexadecimal.argument(text, "--service")
    guard bytes.count == 2 else {
      throw ValidationError("--service takes four digits such as 090F, not \"\(text)\".")
    }
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  var text: String { code.bigEndianBytes.hexadecimal }

  /// What the card's refusal of a block means.
  func refusal(_ error: NFCError, _ block: Int, _ tag: String) -> Failure {
    guard error.code == .tagRefused else { return Failure(error, tag: tag) }
    let cause = error.cause.map { ": \($0)" } ?? ""
    return Failure(
      .content, "the card refuses block \(block) of service \(text)\(cause)", tag: tag,
      advice: "check the service, the block, and whether a key is needed")
  }
}

/// `nfc felica read`.
struct FeliCaReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads blocks of a service that needs no key.",
    discussion: """
      A line a block: its number and its 16 bytes.

      Example:
        nfc felica read --service 090F 0-7
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var service: FeliCaServiceOption

  @Argument(
    help: ArgumentHelp("The blocks: 0, 0-7 or 3,5,9-12.", valueName: "blocks"),
    transform: { try NumberList.argument($0, "The block", upTo: Int(UInt16.max)) })
  var blocks: [[Int]]

  /// What fits an answer (FeliCa Card User's Manual, excerpted edition, 4.4.5), and what FeliCa Lite
  /// and Lite-S take (FeliCa Lite-S User's Manual, 4.4.4).
  private static let maximumBlocks = 15
  private static let maximumBlocksOfLite = 4

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectFeliCaCard()
      let isLite =
        try await tag.work { try await tag.kind.product() }?.name.hasPrefix("FeliCa Lite") ?? true
      let size = isLite ? Self.maximumBlocksOfLite : Self.maximumBlocks
      let numbers = Array(blocks.joined())
      var data: [[UInt8]] = []
      for first in stride(from: 0, to: numbers.count, by: size) {
        data += try await read(numbers[first..<min(first + size, numbers.count)], tag)
      }
      for (number, block) in zip(numbers, data) {
        try Output.line(
          options.json
            ? JSON.members(["block": .integer(number), "data": .bytes(block)]).text
            : "\(number) \(block.hexadecimal)")
      }
    }
  }

  /// Blocks in one exchange; a card that refuses them is asked for each, which tells the one.
  private func read(
    _ numbers: ArraySlice<Int>, _ tag: SelectedTag<any FeliCaTag>
  ) async throws -> [[UInt8]] {
    do {
      return try await tag.kind.readWithoutEncryption(
        serviceCodes: [service.code],
        blocks: numbers.map { FeliCaBlock(UInt16(clamping: $0)) })
    } catch let error as NFCError {
      guard error.code == .tagRefused, numbers.count > 1 else {
        throw service.refusal(error, numbers.first ?? 0, tag.name)
      }
    }
    var data: [[UInt8]] = []
    for index in numbers.indices { data += try await read(numbers[index...index], tag) }
    return data
  }
}

/// `nfc felica write`.
struct FeliCaWriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes a block of a service that needs no key.",
    discussion: """
      Example:
        nfc felica write --service 0009 5 000102030405060708090A0B0C0D0E0F
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var service: FeliCaServiceOption

  @Argument(help: "The block's number.") var block: UInt16

  @Argument(
    help: ArgumentHelp("16 bytes in hexadecimal.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "The data") })
  var data: [UInt8]

  mutating func validate() throws {
    guard data.count == FeliCaBlock.size else {
      throw ValidationError("A block has \(FeliCaBlock.size) bytes, not \(data.count).")
    }
  }

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectFeliCaCard()
      do {
        try await tag.kind.writeWithoutEncryption(
          serviceCodes: [service.code], blocks: [FeliCaBlock(block)], data: [data])
      } catch let error as NFCError {
        throw service.refusal(error, Int(block), tag.name)
      }
      Output.remark("wrote block \(block) of \(tag.name)")
    }
  }
}
