import ArgumentParser
import NFC

/// `nfc readers`.
struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Lists every reader that can be opened.",
    discussion: """
      A line a reader: connection string, chip, and the protocols that it can poll. Below a PC/SC \
      reader, indented, the ways in which commands get to a tag, best first, each with what gets \
      through by protocol: what is not named is lost. A PN532 on a serial port is not found by \
      itself; name it with --reader or NFC_READER.

      Example:
        nfc readers --json
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    Session.setLogLevel(isVerbose: options.verbose)
    if options.reader != nil || !options.virtual.isEmpty {
      return try await Session.run(options) { try $0.readers.forEach(print) }
    }
    var names = try await Reader.list()
    if let named = Reader.nameInEnvironment, !names.contains(named) { names.insert(named, at: 0) }
    var count = 0
    var problem: Failure?
    for name in names {
      try Task.checkCancellation()
      do {
        let reader = try await Reader.open(name)
        count += 1
        do { try print(reader) } catch {
          await reader.close()
          throw error
        }
        await reader.close()
      } catch let error as NFCError {
        problem = Failure(error)
      }
    }
    guard count == 0 else { return }
    throw problem
      ?? Failure(NFCError(.readerNotFound, "no reader found"))
  }

  private func print(_ reader: Reader) throws {
    let protocols = TagTechnology.allCases.filter(reader.capabilities.technologies.contains)
      .map(\.rawValue)
    let paths = reader.capabilities.commandPaths
    guard !options.json else {
      return try Output.line(
        JSON.members([
          "connectionString": .string(reader.connectionString), "name": .string(reader.name),
          "chip": reader.chip.map { .string($0) },
          "protocols": .array(protocols.map { .string($0) }),
          "commandPaths": paths.isEmpty ? nil : .array(paths.map(\.json)),
        ]).text)
    }
    let fields: [String?] = [
      reader.connectionString, reader.chip, protocols.joined(separator: " "),
    ]
    try Output.line(fields.compactMap(\.self).joined(separator: "  "))
    for path in paths { try Output.line("  \(path)") }
  }
}

extension CommandPath {
  /// Its name, what gets through by protocol, and what else is known of it.
  fileprivate var json: JSON {
    let means = TagTechnology.allCases.compactMap { technology in
      self.means[technology].map { means in
        let names = Means.allCases.filter(means.contains).map { JSON.string($0.rawValue) }
        return JSON.Member(key: technology.rawValue, value: .array(names))
      }
    }
    return .members([
      "name": .string(name), "means": .object(means),
      "note": note.isEmpty ? nil : .string(note),
    ])
  }
}

extension Reader {
  /// The chip, as far as its name or driver tells.
  fileprivate nonisolated var chip: String? {
    let chips = ["PN531", "PN532", "PN533", "RC-S360"]
    let text = (name + " " + connectionString).uppercased()
    if let chip = chips.first(where: { text.contains($0) }) { return chip }
    // ACR122 and the boards of Arygon have a PN532 inside.
    return ["ACR122", "ARYGON"].contains { text.contains($0) } ? "PN532" : nil
  }
}
