import Foundation
import NFC
import TagImages
import Testing
import VirtualNFC

/// Tests of first experiences: new tags, the examples of the README, and typing mistakes.
@Suite struct NewcomerTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func readme() throws -> String {
    try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
  }

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  // MARK: Examples of the README

  /// Returns the error in the loop of the README's first and last program, or `nil` if the first tag was
  /// read.
  private func readingFails(
    on virtual: VirtualReader, polling options: PollingOptions
  ) async throws -> NFCError? {
    let reader = try await Reader.open(virtual.connectionString)
    do {
      for try await tag in reader.tags(polling: options) {
        try await tag.connect()
        _ = try await tag.ndef?.readNDEF()
        return nil
      }
    } catch let error as NFCError {
      return error
    }
    return nil
  }

  /// The white card in the box of a PN532 does not contain NDEF. The program reports that and continues.
  @Test(.timeLimit(.minutes(1))) func aWhiteCardIsNotAnEndOfTheFirstProgram() async throws {
    let field = VirtualField()
    field.place(.classic1K(formatted: false))
    let virtual = try VirtualReader(field)
    let error = try await readingFails(on: virtual, polling: .all)
    #expect(error?.code == .notNDEF)
    #expect(try Self.readme().contains("catch let error as NFCError where error.code == .notNDEF"))
    virtual.close()
  }

  /// A tag that is removed at the exchange that the README names is lost while it is read.
  @Test(.timeLimit(.minutes(1))) func theFaultOfTheReadmeHappens() async throws {
    let text = try Self.readme()
    let match = try #require(text.firstMatch(of: /Fault\(\.tagLeaves, at: \.exchange\((\d+)\)\)/))
    let number = try #require(Int(match.output.1))
    let rest = text[match.range.upperBound...]
    let loop = try #require(rest.split(separator: "```").first)
    #expect(loop.contains("try await tag.connect()"))

    let field = VirtualField()
    let virtual = try VirtualReader(field)
    field.place(try .ntag215(ndef: NDEFMessage(.uri("https://swift.org"))))
    virtual.setFaults([Fault(.tagLeaves, at: .exchange(number))])
    let error = try await readingFails(on: virtual, polling: .iso14443)
    #expect(error?.group == NFCError.Group.connection)
    virtual.close()
  }

  /// `nfc apdu` also ends with 0 if the status word is an error.
  @Test func theReadmesCommandsForSmartCardsAreAnswered() async throws {
    let lines = try Self.readme().split(separator: "\n").filter { $0.hasPrefix("nfc apdu ") }
    #expect(!lines.isEmpty)
    for line in lines {
      let result = try await Tool.shell("\"$NFC\" " + line.dropFirst("nfc ".count))
      #expect(result.status == 0)
      #expect(result.lines.count > 1)
      for answer in result.lines { #expect(answer.hasSuffix("9000"), "\(line)") }
    }
  }

  /// A user who is not root installs below the home directory, and gets an immediate error if that is not
  /// possible.
  @Test func isInstalledBelowTheHomeOfAUser() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let script = #"""
        printf '#!/bin/sh\necho 1000\n' >"$D/id"; chmod +x "$D/id"
        HOME=/proc/nowhere PATH="$D:$PATH" "$ROOT/Scripts/install" --tool "$NFC"
        """#
      let result = try await Tool.shell(
        script, environment: ["D": directory.path, "ROOT": Self.root.path])
      #expect(result.status == 1)
      #expect(result.output == "")
      #expect(result.errors.contains("you may not write to /proc/nowhere/.local/bin"))
    }
  }

  // MARK: Tags

  /// A chip that does not answer optional commands has none of the requested features.
  @Test(arguments: ["ultralight", "blank-ultralight"])
  func aTagThatDoesNotAnswerAnOptionalQuestion(_ name: String) async throws {
    let result = try await Tool.run("info", "--json", "--virtual", name)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.contains(#""product":"MIFARE Ultralight""#))
    #expect(!result.output.contains(#""signature""#))
  }

  /// All commands accept the password that a protected tag requires.
  @Test(.asking(.lockBits, .oneTimeBits)) func aProtectedTagIsOpenedForEachCommand() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      let password = ["--password", "11223344"]
      #expect(try await nfc(["protect", "--read"] + password).status == 0)
      for command in [["format"], ["write", "text", "a"], ["lock", "--permanently"]] {
        let refused = try await nfc(command)
        #expect(refused.status == 77)
        #expect(refused.errors.contains("--password"))
        #expect(try await nfc(command + password).status == 0)
      }
      #expect(try await nfc(["read"] + password).output == "a (en)\n")
    }
  }

  /// MIRROR, ACCESS and CFGLCK (NTAG213/215/216 data sheet, 8.5.7): both values are mirrored from byte 1 of
  /// page 27 on, the pages from 16 on are protected, the counter is on, three attempts are permitted, and the
  /// configuration is permanently locked.
  @Test func theConfigurationIsReportedInWords() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.eml").path
      #expect(try await Tool.run("dump", file, "--virtual", "ntag213").status == 0)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let changed = text.replacing("\n040000FF\n00050000\n", with: "\nD4001B10\n53000000\n")
      #expect(changed != text)
      try Data(changed.utf8).write(to: URL(filePath: file))
      let result = try await Tool.run("info", "--virtual", file)
      #expect(result.status == 0)
      for words in [
        "needed to write from page 16 on, 3 wrong attempts at most, cannot be changed any more",
        "UID and counter, from byte 1 of page 27 on", "counts each reading",
      ] {
        #expect(result.output.contains(words), "\(result.output)")
      }
    }
  }

  /// An NTAG210 has no MIRROR_CONF: it shows its UID as soon as a page is set (NTAG210/212 data sheet, 8.5.7 and
  /// 8.6). The bits of MIRROR_CONF are reserved.
  @Test(arguments: [
    ("14000AFF", "UID, from byte 1 of page 10 on"), ("040003FF", "off"), ("C40000FF", "off"),
  ])
  func theMirrorOfASmallNTAGIsReported(_ page: String, _ words: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.eml").path
      #expect(try await Tool.run("dump", file, "--virtual", "ntag210").status == 0)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let changed = text.replacing("\n040000FF\n", with: "\n\(page)\n")
      #expect(changed != text)
      try Data(changed.utf8).write(to: URL(filePath: file))
      let result = try await Tool.run("info", "--virtual", file)
      #expect(result.lines.contains { $0.hasPrefix("mirror ") && $0.hasSuffix(" " + words) })
      #expect(!result.output.contains("NFC counter"))
    }
  }

  /// NT3H2111/2211 and NT3H1101/1201 data sheets, tables of the configuration: there is no MIRROR byte.
  @Test(arguments: [
    "ntag-i2c-plus-1k", "ntag-i2c-plus-2k", "ntag-i2c-1k", "ntag203", "ultralight-ev1",
  ])
  func noMirrorIsReportedForAChipWithoutOne(_ name: String) async throws {
    let result = try await Tool.run("info", "--virtual", name)
    #expect(result.status == 0)
    #expect(!result.lines.contains { $0.hasPrefix("mirror") || $0.hasPrefix("NFC counter") })
  }

  /// Every row has a value, and all values begin in the same column.
  @Test(arguments: ["icode-slix2", "type4", "type4b", "classic-1k", "felica-lite-s"])
  func rowsAreCompleteAndAligned(_ name: String) async throws {
    let result = try await Tool.run("info", "--virtual", name)
    #expect(result.status == 0)
    let labels = result.lines.filter { !$0.hasPrefix(" ") }
      .map { $0.prefixMatch(of: /\S+(?: \S+)*  +(?=\S)/).map { String($0.output) } ?? "" }
    #expect(!labels.contains(""), "\(result.output)")
    #expect(Set(labels.map(\.count)).count == 1, "\(result.output)")
    // Labels are words for people, not the names of members.
    for label in labels { #expect(!label.contains(/[a-z][A-Z]/), "\(label)") }
  }

  /// `info` has every label that the protocol's own `info` has.
  @Test func oneThingHasOneName() async throws {
    func labels(_ command: String) async throws -> Set<String> {
      let result = try await Tool.run(Self.words(command) + ["--virtual", "icode-slix2"])
      #expect(result.status == 0)
      let matches = result.lines.compactMap { $0.prefixMatch(of: /\S+(?: \S+)*(?=  )/) }
      return Set(matches.map { String($0.output) })
    }
    let own = try await labels("iso15693 info")
    let all = try await labels("info")
    #expect(own.count > 5)
    #expect(own.isSubset(of: all))
  }

  /// `info` has all rows of the commands for a technology, with the same names.
  @Test(arguments: ["iso15693 info --virtual icode-slix2", "felica info --virtual suica"])
  func infoHasAllRows(_ line: String) async throws {
    func rows(_ line: String) async throws -> Set<String> {
      let result = try await Tool.run(Self.words(line))
      #expect(result.status == 0)
      return Set(result.lines.map { $0.replacing(/\s+/, with: " ") })
    }
    let own = try await rows(line)
    #expect(own.count > 5)
    let all = try await rows(line.split(separator: " ").dropFirst().joined(separator: " "))
    #expect(own.subtracting(all) == [])
  }

  @Test func readersAndDoctorNameAReaderAlike() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      for command in [["readers", "--json"], ["doctor", "--json"]] {
        let result = try await nfc(command)
        #expect(result.status == 0)
        #expect(result.output.contains(#""connectionString":"pn532_uart:"#))
        #expect(result.output.contains(#""name":"#))
        #expect(!result.output.contains(#""reader":"#))
      }
    }
  }

  // MARK: Changes

  /// If the payload and the decoded field differ, nothing is written.
  @Test func anEditedRecordIsNotWrittenAsItWas() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "message.json")
      try await Tool.with("ntag213") { nfc async throws in
        #expect(try await nfc(["write", "uri", "https://swift.org"]).status == 0)
        let json = try await nfc(["read", "--json"]).output
        for content in [
          json.replacing(#""uri":"https://swift.org""#, with: #""uri":"https://changed.org""#),
          #"{"uri":"https://changed.org","text":"both"}"#,
        ] {
          #expect(content != json)
          try Data(content.utf8).write(to: file)
          let result = try await nfc(["write", "json", file.path])
          #expect(result.status == 65)
          #expect(result.errorLines.count == 1)
          #expect(try await nfc(["read"]).output == "https://swift.org\n")
        }
      }
    }
  }

  /// Scripts can read what was changed, and on which tag.
  @Test(arguments: [
    (
      "iso15693 write 4 11223344 --json --virtual icode-slix2",
      #"{"uid":"E00401082AD28E83","block":4,"written":4}"#
    ),
    (
      "iso15693 lock 4 --permanently --json --virtual icode-slix2",
      #"{"uid":"E00401082AD28E83","block":4,"locked":true}"#
    ),
    (
      "felica write --service 0009 5 000102030405060708090A0B0C0D0E0F --json --virtual felica-lite-s",
      #"{"uid":"012E4CD86A1F9305","block":5,"written":16}"#
    ),
  ])
  func saysWhatItChanged(_ line: String, _ object: String) async throws {
    let result = try await Tool.run(Self.words(line))
    #expect(result.status == 0)
    #expect(result.output == object + "\n")
  }

  /// At 9600 baud, the text takes seconds. Its first page is on the tag when the signal arrives.
  @Test func anInterruptedWriteSaysWhatTheTagHolds() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let trace = directory.appending(path: "trace")
      let virtual = try RunningTool([
        "virtual", "ntag216", "--trace", trace.path, "--baud", "9600", "--real-time",
      ])
      let reader = try #require(try await virtual.waitForLines(1).first)
      let long = String(repeating: "x", count: 700)
      let write = try RunningTool(["write", "text", long, "--reader", reader])
      // The WRITE command (NTAG213/215/216 data sheet, 10.4).
      func hasBegun() -> Bool {
        ((try? String(contentsOf: trace, encoding: .utf8)) ?? "").contains("radio > A2")
      }
      let deadline = ContinuousClock.now + .seconds(20)
      while ContinuousClock.now < deadline, !hasBegun() {
        try await Task.sleep(for: .milliseconds(20))
      }
      try #require(hasBegun())
      write.interrupt()
      let result = try await write.end()
      #expect(result.status == 130)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("interrupted; the tag holds"))
      #expect(result.errors.contains("04A78B62C21B90"))
      virtual.interrupt()
      _ = try await virtual.end()
    }
  }

  /// The output names the option for each omitted part.
  @Test func whatIsLeftOutNamesItsOption() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.eml").path
      try await Tool.with("ntag213") { nfc async throws in
        #expect(try await nfc(["dump", file]).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let changed = text.replacing("\n040000FF\n", with: "\n04000010\n")
        #expect(changed != text)
        try Data(changed.utf8).write(to: URL(filePath: file))
        let reason = "written only with --include-configuration"
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(plan.lines == ["page 41: leave out, \(reason)"])
        let restore = try await nfc(["restore", file])
        #expect(restore.status == 0)
        #expect(restore.errors == "nfc: left out page 41: \(reason)\n")
      }
    }
  }

  // MARK: The command line

  @Test(arguments: [
    ("poll --timeout -1", 64, #"--timeout is a number of seconds, 0 or more, not "-1""#),
    ("felica read --service 090F -1 --virtual suica", 64, #"The block "-1" is not like 0"#),
    ("version", 64, "it is nfc --version"), ("-V", 64, "-V"),
    (
      "felica send 0C --virtual suica", 74,
      "it lacks the card's IDm, 01010612B41C7D2A: write {idm} after its code"
    ),
    (
      "felica send 0C01020304AABBCCDD --virtual suica", 74,
      "not for this card's IDm, 01010612B41C7D2A: write {idm} instead of 01020304AABBCCDD"
    ),
    (
      "felica send FE{idm} --virtual suica", 74,
      "the card does not know the command, or it has left"
    ),
    ("felica send {idm}0 --virtual suica", 64, "Command 1 is not hexadecimal"),
    (
      "protect --password 11223344 --virtual classic-1k", 66,
      "the tag is not a tag with a password but a MIFARE Classic"
    ),
    (
      "read --reader pn532_uart:/dev/ttyUSB0:115200:115200", 69,
      "has more than one speed; write pn532_uart:/dev/ttyUSB0:115200"
    ),
    (
      "read --reader pn532_uart:/dev/serial/by-path/pci-0000:00:14.0", 69,
      "/dev/serial/by-id"
    ),
    (
      "read --reader pn532_uart:/dev/nowhere", 69,
      "nfc doctor --reader pn532_uart:/dev/nowhere says more"
    ),
    (
      "write contact Ada --virtual ntag213", 66,
      "cannot read Ada: No such file or directory; check the name of the file, or give a person's name as --name Ada"
    ),
    ("dump /sys/nowhere.bin --virtual ntag213", 77, "choose a directory that you may write to"),
  ])
  func saysWhatIsWrong(_ line: String, _ status: Int32, _ text: String) async throws {
    let result = try await Tool.run(Self.words(line))
    #expect(result.status == status)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("nfc: "))
    #expect(result.errors.contains(text), "\(result.errors)")
    #expect(!result.errors.contains("hold the tag still"))
  }

  /// A key is tried in addition to the well-known keys. With `mifare read --no-default-keys`, only the
  /// specified keys are tried.
  @Test func aKeyIsAddedToTheKnownOnes() async throws {
    let line = "mifare read 1 --virtual classic-1k --key A1B2C3D4E5F6"
    let result = try await Tool.run(Self.words(line))
    #expect(result.status == 0)
    #expect(result.lines.count == 4)
    #expect(try await Tool.run(Self.words(line) + ["--no-default-keys"]).status == 77)
  }

  /// A MIFARE Classic has no password that the option for one could give.
  @Test func aClassicWithItsOwnKeys() async throws {
    let trailer = "112233445566 FF078069 112233445566"
    let sector = [UInt8](repeating: 0, count: 48) + (try #require([UInt8](hexadecimal: trailer)))
    // The first block: UID, its check byte, SAK and ATQA.
    let first = try #require([UInt8](hexadecimal: "DEADBEEF 22 08 0400"))
    let image = first + Array(repeating: sector, count: 16).flatMap { $0 }.dropFirst(first.count)
    // On a reader, where the command does not have the keys.
    let tag = try VirtualTag.image(ImageFormat.binary.decode(image))
    try await Tool.with([tag]) { nfc async throws in
      let result = try await nfc(["format"])
      #expect(result.status == 77)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("give the card's key with --key"), "\(result.errors)")
      #expect(!result.errors.contains("--password"))
    }
  }

  @Test func aLinkIsUTF8() async throws {
    let result = try await Tool.shell(
      #""$NFC" write uri "$(printf 'https://a.example/\377')" --virtual ntag213"#)
    #expect(result.status == 64)
    #expect(result.errors.contains(#"the link "https://a.example/\xFF" is not UTF-8"#))
  }

  @Test(arguments: [
    ("[\n{\"uri\":\"https://a.example\"},\n{\"text\":5}\n]", "line 3: [1].text"),
    ("{\n\"text\":}", "line 2: "), ("nonsense", "line 1: "), ("5", "line 1: "),
    // The network would be open.
    (#"{"wifi":{"ssid":"Home","password":"correct horse"}}"#, "wifi.password"),
  ])
  func wrongJSONIsFound(_ content: String, _ place: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "message.json")
      try Data(content.utf8).write(to: file)
      let result = try await Tool.run("write", "json", file.path, "--virtual", "ntag213")
      #expect(result.status == 65)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains(place), "\(result.errors)")
      #expect(!result.errors.contains("Dictionary"))
    }
  }

  /// Decoded fields are sufficient for every kind of record.
  @Test func jsonHasShortForms() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "message.json")
      let content = """
        [{"uri":"https://a.example"},{"wifi":{"ssid":"Guests"}},
        {"smartPoster":{"uri":"https://b.example","titles":[{"text":"B"}]}},
        {"tnf":"media","type":"text/plain","content":"x"}]
        """
      try Data(content.utf8).write(to: file)
      let message = directory.appending(path: "message.ndef").path
      let encode = try await Tool.run("encode", "json", file.path, "--output", message)
      #expect(encode.status == 0)
      #expect(
        try await Tool.run("decode", message).lines == [
          "https://a.example", "Wi-Fi Guests (open, none)", "https://b.example: B (en)",
          "x (text/plain)",
        ])
    }
  }

  @Test func messagesGoThroughPipes() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      try await Tool.with("ntag213") { nfc async throws in
        #expect(try await nfc(["write", "text", "hi"]).status == 0)
        #expect(try await nfc(["dump", file]).status == 0)
      }
      let read = try await Tool.shell(
        #""$NFC" read --raw - --virtual "$FILE" | "$NFC" decode -"#, environment: ["FILE": file])
      #expect(read.output == "hi (en)\n")
      let write = try await Tool.shell(
        #"echo '{"text":"hi"}' | "$NFC" write json - --json --virtual ntag213"#)
      #expect(write.status == 0)
      #expect(write.output.contains(#""written":9,"#))
    }
  }

  /// The output is more than a pipe can hold, and no program reads it. The first signal ends the command
  /// nevertheless. SIGPIPE would end it only when the other side is closed.
  @Test func aFullPipeIsNotAReasonToStay() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let script = #"""
        mkfifo "$D/pipe"; sleep 30 <"$D/pipe" & other=$!
        "$NFC" iso15693 read --json --security --virtual st25dv >"$D/pipe" & tool=$!
        sleep 1; kill -TERM $tool; wait $tool; echo $?; kill $other
        """#
      let result = try await Tool.shell(script, environment: ["D": directory.path])
      #expect(result.output == "143\n")
    }
  }

  /// In each help page, the options of all commands follow the command's own options.
  @Test func sharedOptionsAreTheLastOfEveryHelp() throws {
    let file = Self.root.appending(path: "Tests/NFCToolTests/Snapshots/help.txt")
    let pages = try String(contentsOf: file, encoding: .utf8).split(separator: "=== ")
    var count = 0
    for page in pages {
      guard let shared = page.firstRange(of: "\nREADER AND OUTPUT:") else { continue }
      count += 1
      #expect(!page[shared.upperBound...].contains(/\n[A-Z][A-Z ]*:\n/), "\(page.prefix(40))")
    }
    #expect(count > 40)
  }
}
