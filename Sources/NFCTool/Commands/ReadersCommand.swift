import SwiftNFCJSONText
import ArgumentParser
import NFC

/// The command `nfc readers`.
struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Lists every reader.",
    usage: "nfc readers [<options>]",
    discussion: """
      Prints one line per reader: the connection string that --reader takes, the chip, and the protocols that the \
      reader can poll; for a USB reader also its maker and product, and the connection strings that stay \
      the same when it is plugged in again. A reader that cannot be opened is listed with the reason. Under a PC/SC \
      reader, indented lines show how commands can reach a tag, best way first, and what each way supports \
      for each protocol. A PN532 on a serial port, I2C or SPI is not found automatically; name it with \
      --reader or NFC_READER.

      Example:
        nfc readers --json
      """)

  @OptionGroup(title: HelpText.shared) var options: ReaderOptions
  @OptionGroup private var ignored: IgnoredTagOptions

  func run() async throws {
    Session.setLogLevel(isVerbose: options.verbose)
    if !options.readers.isEmpty || options.hasOwnReaders {
      return try await Session.run(options) { try $0.readers.forEach { try print($0, nil) } }
    }
    try await ExchangeFiles.keep(options.recording) { _ in try await showAll() }
  }

  private func showAll() async throws {
    let attempts = try await ReaderSearch.open(
      naming: [Reader.nameInEnvironment].compactMap(\.self))
    do {
      for attempt in attempts { try print(attempt) }
    } catch {
      await close(attempts)
      throw error
    }
    await close(attempts)
    guard !attempts.contains(where: { $0.reader != nil }) else { return }
    guard let problem = attempts.compactMap(\.problem).first else {
      // The failure reports obstacles, such as a PC/SC service that does not answer.
      throw Failure(try await ReaderSearch.noReaderFound())
    }
    guard attempts.count > 1 else { throw Failure(problem) }
    throw Failure(
      .noReader, "none of \(attempts.count) readers can be opened", advice: "nfc doctor says more")
  }

  private func close(_ attempts: [ReaderSearch.Attempt]) async {
    for attempt in attempts { await attempt.reader?.close() }
  }

  private func print(_ attempt: ReaderSearch.Attempt) throws {
    switch attempt.result {
    case .success(let reader): try print(reader, attempt.found)
    case .failure(let problem): try print(problem, attempt.found)
    }
  }

  /// Prints a reader that cannot be opened, and the reason.
  private func print(_ problem: NFCError, _ found: FoundReader) throws {
    guard !options.json else {
      return try Output.line(
        JSONValue.members([
          "connectionString": .string(found.address.description),
          "name": found.name.map { .string($0) }, "addresses": found.aliasesJSON,
          "problem": .string(problem.description),
        ]).text)
    }
    let fields = [found.address.description, found.name].compactMap(\.self)
    try Output.line(
      (fields.joined(separator: "  ") + "  cannot be opened: \(problem.description)").onOneLine)
  }

  private func print(_ reader: Reader, _ found: FoundReader?) throws {
    let protocols = TagTechnology.allCases.filter(reader.capabilities.technologies.contains)
      .map(\.rawValue)
    let paths = reader.capabilities.commandPaths
    guard !options.json else {
      return try Output.line(
        JSONValue.members([
          "connectionString": .string(reader.connectionString), "name": .string(reader.name),
          "product": found?.name.map { .string($0) }, "addresses": found?.aliasesJSON,
          "serialNumber": found?.serialNumber.map { .string($0) },
          "chip": reader.chip.map { .string($0) },
          "protocols": .array(protocols.map { .string($0) }),
          "emulates": reader.capabilities.emulation.map { _ in .array([.string("type4")]) },
          "commandPaths": paths.isEmpty ? nil : .array(paths.map(\.json)),
        ]).text)
    }
    let aliases = found?.aliases ?? []
    let fields: [String?] = [
      reader.connectionString, aliases.isEmpty ? nil : found?.name,
      aliases.isEmpty ? nil : aliases.map(\.description).joined(separator: " "), reader.chip,
      protocols.joined(separator: " "),
    ]
    try Output.line(fields.compactMap(\.self).joined(separator: "  ").onOneLine)
    if let emulation = reader.capabilities.emulation {
      try Output.line(
        "  can act as a tag: nfc emulate" + (emulation.isExperimental ? " (experimental)" : ""))
    }
    for path in paths { try Output.line("  \(path)".onOneLine) }
  }
}

extension FoundReader {
  fileprivate var aliasesJSON: JSONValue? {
    aliases.isEmpty ? nil : .array(aliases.map { .string($0.description) })
  }
}

extension CommandPath {
  /// The reader's name, its capabilities for each protocol, and further data.
  fileprivate var json: JSONValue {
    let means = TagTechnology.allCases.compactMap { technology in
      self.capabilities[technology].map { means in
        let names = Capability.allCases.filter(means.contains).map { JSONValue.string($0.rawValue) }
        return JSONValue.Member(key: technology.rawValue, value: .array(names))
      }
    }
    return .members([
      "name": .string(name), "means": .object(means),
      "note": note.isEmpty ? nil : .string(note),
    ])
  }
}
