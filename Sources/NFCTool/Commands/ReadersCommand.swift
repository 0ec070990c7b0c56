import ArgumentParser
import NFC

/// `nfc readers`.
struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Lists every reader that can be opened.",
    discussion: """
      A line a reader: connection string, chip, and the protocols that it can poll. A PN532 on a \
      serial port is not found by itself; name it with --reader or NFC_READER.

      Example:
        nfc readers --json
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    Session.setLogLevel(options)
    if options.reader != nil || !options.virtual.isEmpty {
      return try await Session.run(options) { try $0.readers.forEach(print) }
    }
    var names = try await Reader.list()
    if let named = Session.namedReader, !names.contains(named) { names.insert(named, at: 0) }
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
    guard !options.json else {
      return try Output.line(
        JSON.members([
          "connectionString": .string(reader.connectionString), "name": .string(reader.name),
          "chip": reader.chip.map { .string($0) },
          "protocols": .array(protocols.map { .string($0) }),
        ]).text)
    }
    let fields: [String?] = [
      reader.connectionString, reader.chip, protocols.joined(separator: " "),
    ]
    try Output.line(fields.compactMap(\.self).joined(separator: "  "))
  }
}
