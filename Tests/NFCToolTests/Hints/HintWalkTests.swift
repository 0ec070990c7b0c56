import ArgumentParser
import Testing

@testable import SwiftNFCTool
@testable import TagTools

/// Walks through all texts of the sources that say what to do. Each is performed by a situation of ``HintSituation``, or
/// listed in ``UnperformedHint`` with the reason.
@Suite struct HintWalkTests {
  /// Modules without errors that people of the `nfc` command read.
  private static let others: Set = [
    "VirtualNFC", "NFCBenchmark", "CoreNFCExamples", "NFCExample", "CoreNFCBackgroundExample",
    "DriverConformance", "SeededRandom", "AppleCoreNFC",
  ]

  /// What precedes a text that only a help shows.
  private static let helps = ["help: ", "abstract: ", "discussion: ", "usage: "]

  /// Files that only have scripts for shells, and texts of the help.
  private static let otherFiles: Set = [
    "CompletionBeforeCommands.swift", "HelpText.swift", "HelpTopic.swift",
  ]

  private struct Found: Sendable {
    let hint: HintClause
    let place: String
  }

  /// The hints of all sources.
  private static let found = Result {
    let help = try SourceTexts.onOneLine("Tests/NFCToolTests/Snapshots/help.txt")
    /// Whether the help has this text, whatever is put in.
    func isHelp(_ text: String) -> Bool {
      let parts = text.split(separator: "…").map {
        $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }.filter { $0.count > 3 }
      return text.count > 20 && parts.allSatisfy(help.contains)
    }
    return try SourceTexts.modules().filter { !others.contains($0) }.flatMap { module in
      try SourceTexts.texts(of: module).flatMap { text -> [Found] in
        guard !otherFiles.contains(where: text.file.hasSuffix),
          !helps.contains(where: text.before.hasSuffix), text.text.contains(" ")
        else {
          return []
        }
        let hints = HintClause.hints(in: text.text).filter { !isHelp($0.text) }
        guard !hints.isEmpty, !isHelp(text.text) else { return [] }
        return hints.map { Found(hint: $0, place: "\(text.file):\(text.line)") }
      }
    }
  }

  @Test func everyHintIsPerformed() throws {
    let found = try Self.found.get()
    #expect(found.count > 300)
    let performed = HintSituation.all.filter { !$0.leads.isEmpty }.map {
      $0.hint.replacing("{reader}", with: "pn532_uart:/dev/pts/0")
    }
    let listed = Set(UnperformedHint.all.flatMap(\.texts))
    let missing = found.filter { found in
      !listed.contains(found.hint.text) && !performed.contains(where: found.hint.isPart)
    }
    for one in missing {
      Issue.record("\(one.place): no situation performs \"\(one.hint.text)\"")
    }
  }

  /// What is listed as not performed is still there, and nothing is listed that a situation performs.
  @Test func theListIsCurrent() throws {
    let found = Set(try Self.found.get().map(\.hint.text))
    let listed = UnperformedHint.all.flatMap(\.texts)
    #expect(Set(listed).count == listed.count)
    for text in listed where !found.contains(text) {
      Issue.record("no source has \"\(text)\"")
    }
  }

  /// A command that a text names exists, and has the options that follow its name; any other option is one of some
  /// command.
  @Test func whatTextsNameExists() throws {
    let help = try SourceTexts.onOneLine("Tests/NFCToolTests/Snapshots/help.txt")
    for found in try Self.found.get() where !Self.ofOtherPrograms.contains(found.hint.text) {
      let words = found.hint.text.split(separator: " ").map {
        String($0.drop { $0 == "(" }.prefix { $0 != "," })
      }
      var options: String?
      for (index, word) in words.enumerated() {
        if word == "nfc" { options = try Self.options(of: words[(index + 1)...], found) }
        let name = word.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
        guard name.hasPrefix("--"), name.count > 2 else { continue }
        let isKnown =
          GlobalOptions.namesBeforeSubcommand.contains(String(name)) || name == "--help"
          || (options ?? help).contains(name + " ") || (options ?? help).contains(name + ",")
        #expect(isKnown, "\(found.place): there is no \(name) in \"\(found.hint.text)\"")
      }
    }
  }

  /// Texts with options of other programs.
  private static let ofOtherPrograms: Set = [
    "usbipd list, usbipd bind --busid ID, usbipd attach --wsl --busid ID",
    "start the container with --device …", "sudo systemctl disable --now serial-getty@…",
    "sudo udevadm control --reload, then …, and plug the reader in again",
    "sudo modprobe -r pn533_usb pn533 nfc",
    "sudo systemctl enable --now pcscd.socket", "sudo systemctl enable --now nfc-watch",
    "systemctl --user enable --now nfc-watch", "swift build --product …",
    "sudo udevadm control --reload, and plug it in again (or sudo udevadm trigger --action=add)",
    "sudo groupadd --system …, which … requires",
    "sudo apt install --reinstall …, whose udev rules are missing",
    "start the container with -v /dev/bus/usb:/dev/bus/usb --device-cgroup-rule='c 189:* rmw'",
  ]

  /// Returns the help of the command that words name.
  private static func options(of words: ArraySlice<String>, _ found: Found) throws -> String {
    var command: any ParsableCommand.Type = NFCTool.self
    for word in words {
      let names = command.configuration.subcommands
      guard let next = names.first(where: { $0.configuration.commandName == word }) else { break }
      command = next
    }
    let isNamed = command != NFCTool.self || words.first?.hasPrefix("--") == true
    #expect(
      isNamed || words.first?.hasPrefix("…") == true,
      "\(found.place): there is no command in \"\(found.hint.text)\"")
    return NFCTool.helpMessage(for: command, includeHidden: true, columns: 200)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ") + " "
  }

  /// The tests that perform a hint on a system of their own exist.
  @Test func theOtherTestsExist() throws {
    let tests = try SourceTexts.tests()
    for case .test(let name) in UnperformedHint.all.map(\.reason) {
      #expect(tests.contains("func \(name)("), "\(name)")
    }
  }
}
