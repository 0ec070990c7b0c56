import ArgumentParser
import NFC

/// `nfc mifare dump`.
struct MiFareDumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Saves a tag's memory in a file.",
    discussion: """
      The bytes as they are, or, if the file's name ends in .eml, a line of hexadecimal a block or \
      page. Of a MIFARE Classic the key that was used stands in place of each that cannot be read; \
      passwords and keys of an Ultralight or NTAG are zeros. What no key opens ends with exit \
      code 77 and no file, or is zeros with --partial. The file can be used as --virtual FILE.

      Example:
        nfc mifare dump card.mfd --key A0A1A2A3A4A5 --key FFFFFFFFFFFF
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var keys: TagKeys

  @Flag(help: "Save what can be read, with zeros for the rest.")
  var partial = false

  @Argument(help: "The file.") var file: String

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectMemoryTag()
      let (bytes, missing) = try await tag.work {
        switch tag.kind {
        case .classic(let commands):
          let dump = try await commands.dump(keys: try keys.classic, findsBothKeys: true)
          return (dump.bytes, dump.missing)
        case .ultralight(let commands, let tag):
          let dump = try await commands.dump(with: try keys.ultralight(try await tag.product()))
          return (dump.bytes, dump.missing)
        }
      }
      if let missing {
        guard partial else {
          throw Failure(
            .notAllowed, "not all of the tag was read: \(missing)", tag: tag.name,
            advice: "nothing was saved; give another --key, or --partial for the rest")
        }
        session.note("zeros were saved for what was not read: \(missing)")
      }
      try MemoryFile.write(bytes, unitSize: tag.kind.unitSize, to: file)
      Output.remark("saved \(bytes.count) bytes of \(tag.name)")
    }
  }
}

extension UltralightCommands {
  /// Reads all pages.
  func dump(with key: UltralightKey?) async throws -> UltralightDump {
    if case .tripleDES = key { try await open(with: key) }
    return try await dump(password: key?.password)
  }
}

extension MiFareClassicDump {
  /// What was not read, in words; `nil` if all was.
  fileprivate var missing: String? {
    var groups: [(failure: MiFareClassicSectorDump.Failure, sectors: [Int])] = []
    for sector in sectors {
      guard let failure = sector.failure else { continue }
      if let index = groups.firstIndex(where: { $0.failure == failure }) {
        groups[index].sectors.append(sector.sector)
      } else {
        groups.append((failure, [sector.sector]))
      }
    }
    guard !groups.isEmpty else { return nil }
    return groups.map { group in
      let plural = group.sectors.count > 1 ? "s" : ""
      return "sector\(plural) \(NumberList.text(group.sectors)): \(group.failure)"
    }.joined(separator: "; ")
  }
}

extension UltralightDump {
  fileprivate var missing: String? {
    firstProtectedPage.map { "the pages from \($0) on are protected" }
  }
}
