import Foundation
import NDEF
import TagImages
import Testing
import VirtualNFC

/// Tests of `nfc copy` and `nfc restore` with cards that have files or services instead of a memory.
@Suite struct CopyFilesTests {
  /// Runs `body` with two tags in one field. Commands select a tag with `--uid`.
  private static func with(
    _ first: VirtualTag, _ second: VirtualTag,
    _ body: (_ nfc: @escaping ([String]) async throws -> Tool.Result) async throws -> Void
  ) async throws {
    let field = VirtualField()
    for tag in [first, second] { field.place(tag) }
    let virtual = try VirtualReader(field)
    let reader = virtual.connectionString
    try await body { try await Tool.run($0 + ["--reader", reader]) }
    virtual.close()
  }

  /// The content of a DESFire: a standard, a backup, a value and a record file that everybody may change, and
  /// a file that requires a key.
  private static func desfire(
    uid: String, standard: String, backup: String, value: String, without file: Int? = nil,
    records: String = "AA BB", cyclic: String = "11", recordRights: String = "EE EE"
  ) -> String {
    func count(_ text: String, of size: Int) -> Int { text.split(separator: " ").count / size }
    let files = [
      (0, "00", "EE EE", "Size: 4", standard), (1, "01", "EE EE", "Size: 4", backup),
      (
        2, "02", "EE EE",
        "Hi Limit: 1000\nPREFIX Lo Limit: 0\nPREFIX Limited Credit Value: 0\n"
          + "PREFIX Limited Credit Enabled: false", value
      ),
      (
        3, "03", recordRights, "Size: 2\nPREFIX Max: 4\nPREFIX Cur: \(count(records, of: 2))",
        records
      ),
      (4, "00", "00 00", "Size: 4", ""),
      (
        5, "04", recordRights, "Size: 1\nPREFIX Max: 4\nPREFIX Cur: \(count(cyclic, of: 1))", cyclic
      ),
    ].filter { $0.0 != file }
    return """
      Filetype: Flipper NFC device
      Version: 4
      Device type: Mifare DESFire
      UID: \(uid)
      ATQA: 03 44
      SAK: 20
      ATS: 06 75 77 81 02 80
      PICC Version: 04 01 01 01 00 18 05 04 01 01 01 04 18 05 04 27 4B 52 1A 6E 80 BA 54 2A 4A 10 20 12
      PICC Free Memory: 1024
      Application Count: 1
      Application IDs: 56 34 12
      Application 563412 File IDs: \(files.map { "0\($0.0)" }.joined(separator: " "))

      """
        + files.map { number, type, rights, settings, data in
          let prefix = "Application 563412 File \(number)"
          return """
            \(prefix) Type: \(type)
            \(prefix) Communication Settings: 00
            \(prefix) Access Rights: \(rights)
            \(prefix) \(settings.replacing("PREFIX", with: prefix))
            \(data.isEmpty ? "#" : "\(prefix): \(data)")

            """
        }.joined()
  }

  private static func tag(_ text: String) throws -> VirtualTag {
    try .image(ImageFormat.flipper.decode(Array(text.utf8)))
  }

  /// The UID of the card that is copied.
  private static let firstUID = "04 11 11 11 11 11 80"
  private static let secondUID = "04 22 22 22 22 22 80"

  private static func original(
    records: String = "AA BB", cyclic: String = "11"
  ) throws -> VirtualTag {
    try tag(
      desfire(
        uid: firstUID, standard: "01 02 03 04", backup: "05 06 07 08", value: "64 00 00 00",
        records: records, cyclic: cyclic))
  }

  @Test func copiesFilesOfADESFire() async throws {
    let first = try Self.original()
    let second = try Self.tag(
      Self.desfire(
        uid: Self.secondUID, standard: "00 02 03 00", backup: "00 00 00 00",
        value: "C8 00 00 00"))
    try await Self.with(first, second) { nfc async throws in
      let plan = try await nfc(["copy", "--plan", "--uid", "04111111111180"])
      #expect(plan.status == 0)
      #expect(
        plan.lines == [
          "application 123456 file 0 from byte 0: 00020300 → 01020304",
          "application 123456 file 1 from byte 0: 00000000 → 05060708",
          "application 123456 file 2 from byte 0: C8 → 64",
        ])
      let before = second.image
      #expect(second.image == before)
      let result = try await nfc(["copy", "--json", "--uid", "04111111111180"])
      #expect(result.status == 0)
      #expect(result.output.contains(#""copied":"the memory","written":3,"#))
      #expect(result.output.contains("file 4 of application 123456 needs a key"))
      let files = try #require(second.image?.desfire?.applications.first?.files)
      #expect(
        files.prefix(3).map(\.data) == [[1, 2, 3, 4], [5, 6, 7, 8], [0x64, 0x00, 0x00, 0x00]])
      let again = try await nfc(["copy", "--json", "--uid", "04111111111180"])
      #expect(again.output.contains(#""written":0,"#))
    }
  }

  /// Records are replaced by those of the other card. Some are added, and others are deleted and written
  /// again, each in its own transaction.
  @Test func copiesRecordsOfADESFire() async throws {
    let first = try Self.original(records: "01 02 03 04 05 06", cyclic: "0A 0B 0C")
    func target(_ records: String, _ cyclic: String, rights: String = "EE EE") throws -> VirtualTag
    {
      try Self.tag(
        Self.desfire(
          uid: Self.secondUID, standard: "01 02 03 04", backup: "05 06 07 08", value: "64 00 00 00",
          records: records, cyclic: cyclic, recordRights: rights))
    }
    func records(_ tag: VirtualTag) -> [[UInt8]?] {
      let files = tag.image?.desfire?.applications.first?.files ?? []
      return files.filter { [3, 5].contains($0.number) }.map(\.data)
    }
    let wanted: [[UInt8]?] = [[1, 2, 3, 4, 5, 6], [0x0A, 0x0B, 0x0C]]
    let continued = try target("01 02", "0A 0B")
    try await Self.with(first, continued) { nfc async throws in
      let plan = try await nfc(["copy", "--plan", "--uid", "04111111111180"])
      #expect(
        plan.lines == [
          "application 123456 file 3 from byte 2: nothing → 03040506",
          "application 123456 file 5 from byte 2: nothing → 0C",
        ])
      #expect(records(continued) == [[1, 2], [0x0A, 0x0B]])
      #expect(try await nfc(["copy", "--uid", "04111111111180"]).status == 0)
      #expect(records(continued) == wanted)
    }
    let other = try target("01 02 09 09 09 09 09 09", "0F")
    try await Self.with(first, other) { nfc async throws in
      let plan = try await nfc(["copy", "--plan", "--uid", "04111111111180"])
      #expect(
        plan.lines == [
          "application 123456 file 3 from byte 2: 090909090909 → 03040506",
          "application 123456 file 5 from byte 0: 0F → 0A0B0C",
        ])
      #expect(try await nfc(["copy", "--uid", "04111111111180"]).status == 0)
      #expect(records(other) == wanted)
    }
    // A file without records is also content.
    let empty = try Self.original(records: "", cyclic: "0A 0B 0C")
    let full = try target("01 02", "0A 0B 0C")
    try await Self.with(empty, full) { nfc async throws in
      let plan = try await nfc(["copy", "--plan", "--uid", "04111111111180"])
      #expect(plan.lines == ["application 123456 file 3 from byte 0: 0102 → nothing"])
      #expect(try await nfc(["copy", "--uid", "04111111111180"]).status == 0)
      #expect(records(full) == [[], [0x0A, 0x0B, 0x0C]])
    }
    // Without the right to delete, records can only be added.
    let closed = try target("01 02", "0F", rights: "0E EE")
    try await Self.with(first, closed) { nfc async throws in
      let result = try await nfc(["copy", "--json", "--uid", "04111111111180"])
      #expect(result.status == 0)
      #expect(result.output.contains("file 5: its records cannot be deleted without a key"))
      #expect(records(closed) == [[1, 2, 3, 4, 5, 6], [0x0F]])
    }
  }

  /// Files that do not fit are named, and nothing is written.
  @Test(arguments: [
    ("Max: 4", "Max: 3", "it has room for 3 records, not for 4"),
    ("Size: 2\nApplication 563412 File 3", "Size: 4\nApplication 563412 File 3", "another size"),
  ])
  func recordsThatDoNotFit(_ old: String, _ new: String, _ reason: String) async throws {
    let text = Self.desfire(
      uid: Self.secondUID, standard: "01 02 03 04", backup: "05 06 07 08", value: "64 00 00 00",
      records: "09 09 09 09", cyclic: "0A")
    let first = try Self.original(records: "01 02 03 04 05 06 07 08", cyclic: "0A")
    let second = try Self.tag(text.replacing(old, with: new))
    let before = second.image
    try await Self.with(first, second) { nfc async throws in
      let result = try await nfc(["copy", "--uid", "04111111111180"])
      #expect(result.status == 66)
      #expect(result.errors.contains(reason))
    }
    #expect(second.image == before)
  }

  /// Files are not created, and those that do not fit are named.
  @Test func createsNoFileOfADESFire() async throws {
    let first = try Self.original()
    let second = try Self.tag(
      Self.desfire(
        uid: Self.secondUID, standard: "01 02 03 04", backup: "00 00 00 00",
        value: "64 00 00 00", without: 1))
    let other = try Self.tag(
      Self.desfire(
        uid: Self.secondUID, standard: "01 02 03 04", backup: "00 00 00 00",
        value: "64 00 00 00"
      ).replacing("56 34 12", with: "57 34 12").replacing("563412", with: "573412"))
    for (target, reason) in [
      (second, "application 123456 file 1: it is not there"),
      (other, "the application is not there"),
    ] {
      let before = target.image
      try await Self.with(first, target) { nfc async throws in
        let result = try await nfc(["copy", "--uid", "04111111111180"])
        #expect(result.status == 66)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(reason))
      }
      #expect(target.image == before)
    }
  }

  @Test func copiesServicesOfAFeliCa() async throws {
    // These are two cards of one kind, each with its own message.
    let first = VirtualTag.type3()
    let second = VirtualTag(Type3Tag(idm: [0x02, 0xFE, 1, 2, 3, 4, 5, 6], dataBlocks: 32))
    try await Self.with(first, second) { nfc async throws in
      let uid = ["--uid", first.identifier.map { Self.hexadecimal($0) }.joined()]
      let other = ["--uid", second.identifier.map { Self.hexadecimal($0) }.joined()]
      #expect(try await nfc(["write", "text", "the first card's"] + uid).status == 0)
      #expect(
        try await nfc(["write", "text", "another message, and a longer one"] + other).status == 0)
      let attributes = Array(second.memory.prefix(11))
      let result = try await nfc(["copy", "--json"] + uid)
      #expect(result.status == 0)
      #expect(result.output.contains(#""copied":"the memory""#))
      // The card has fewer blocks.
      #expect(result.output.contains("service 0009 block 64: it is not there"))
      #expect(try await nfc(["read"] + other).output == "the first card's (en)\n")
      #expect(Array(second.memory.prefix(11)) == attributes)
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }

  @Test func copiesFilesOfAType4Tag() async throws {
    var large = Type4Application.Configuration()
    large.proprietaryFiles = [
      .init(identifier: 0xE105, content: [1, 2, 3]), .init(identifier: 0xE106, content: [4, 5]),
      .init(identifier: 0xE107, content: [6], readAccess: 0x80, writeAccess: 0x80),
    ]
    var small = large
    small.fileSize = 64
    small.maximumUpdateLength = 16
    small.proprietaryFiles = [
      .init(identifier: 0xE105, content: [0, 0, 0]),
      .init(identifier: 0xE106, content: [0, 0], writeAccess: 0xFF),
    ]
    let first = VirtualTag.type4(uid: [4, 1, 1, 1, 1, 1, 1], configuration: large)
    let second = VirtualTag.type4(uid: [4, 2, 2, 2, 2, 2, 2], configuration: small)
    try await Self.with(first, second) { nfc async throws in
      let uid = ["--uid", "04010101010101"]
      let other = ["--uid", "04020202020202"]
      #expect(
        try await nfc(["write", "text", "a message of more than 16 bytes"] + uid).status == 0)
      let result = try await nfc(["copy", "--json"] + uid)
      #expect(result.status == 0)
      #expect(result.output.contains("file E106: it is not open for writing"))
      #expect(result.output.contains("file E107 needs a key"))
      #expect(
        try await nfc(["read"] + other).output == "a message of more than 16 bytes (en)\n")
      let files = second.image?.smartCard?.applications.first
      #expect(files?.content(ofFile: 0xE105) == [1, 2, 3])
      #expect(files?.content(ofFile: 0xE106) == [0, 0])
      // The message is too long for the other card. No part of it is written.
      let long = String(repeating: "longer ", count: 12)
      #expect(try await nfc(["write", "text", long] + uid).status == 0)
      let plan = try await nfc(["copy", "--plan"] + uid)
      #expect(plan.status == 0)
      let refused = try await nfc(["copy", "--json"] + uid)
      #expect(refused.status == 65)
      #expect(refused.errorLines.count == 1)
      #expect(
        try await nfc(["read"] + other).output == "a message of more than 16 bytes (en)\n")
    }
  }

  /// The next tag is found in the first round after the first one was read. The command is also tested with
  /// optimization, where a round that had found both tags once returned none.
  @Test func findsTheNextTagInOneRound() async throws {
    let field = VirtualField()
    let tags = [
      VirtualTag.type4(uid: [4, 1, 1, 1, 1, 1, 1]), VirtualTag.type4(uid: [4, 2, 2, 2, 2, 2, 2]),
    ]
    for tag in tags { field.place(tag) }
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    var commands: [Int] = []
    for _ in 0..<10 {
      let before = virtual.statistics.commands
      let result = try await Tool.run(
        ["copy", "--plan", "--uid", "04010101010101", "--reader", virtual.connectionString])
      #expect(result.status == 0)
      commands.append(virtual.statistics.commands - before)
    }
    #expect(Set(commands).count == 1, "\(commands)")
  }

  /// With two tags on the reader, chance would decide which is overwritten; the same with two candidates for the next.
  @Test func doesNotChooseBetweenTags() async throws {
    let field = VirtualField()
    let tags = [1, 2, 3].map { VirtualTag.ntag213(uid: [4, $0, $0, $0, $0, $0, $0]) }
    for tag in tags.prefix(2) { field.place(tag) }
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let before = tags.map(\.memory)
    let copy = ["copy", "--reader", virtual.connectionString]
    let two = try await Tool.run(copy)
    #expect(two.status == 66 && two.errors.contains("two tags are in the field"), "\(two.errors)")
    field.place(tags[2])
    let three = try await Tool.run(copy + ["--uid", "04010101010101"])
    #expect(three.status == 66 && three.errors.contains("two tags came"), "\(three.errors)")
    #expect(tags.map(\.memory) == before)
  }

  /// A Type 4 tag can be saved, changed, compared and restored.
  @Test func restoresAType4Tag() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.nfc").path
      try await Tool.with("type4") { nfc async throws in
        #expect(try await nfc(["write", "text", "first"]).status == 0)
        #expect(try await nfc(["dump", file]).status == 0)
        #expect(try await nfc(["write", "text", "second, which is longer"]).status == 0)
        let difference = try await nfc(["diff", file, "-"])
        #expect(difference.status == 1)
        #expect(difference.output.hasPrefix("application D2760000850101 file E104: 000CD1"))
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(
          plan.output.hasPrefix("application D2760000850101 file E104 from byte 1: 1ED1011A54"))
        let json = try await nfc(["restore", file, "--plan", "--json"])
        #expect(
          json.output.hasPrefix(
            #"{"application":"D2760000850101","file":"E104","write":[57604],"changes":[{"file""#))
        #expect(try await nfc(["restore", file]).status == 0)
        #expect(try await nfc(["read"]).output == "first (en)\n")
        #expect(try await nfc(["diff", file, "-"]).status == 0)
      }
      // The container is that of another tag, with a file that the tag does not have.
      let changed = try String(contentsOfFile: file, encoding: .utf8)
        .replacing("File E103: 00 0F 20", with: "File E103: 00 0F 10")
        .replacing("E1 03 E1 04", with: "E1 03 E1 04 E1 09")
      try Data((changed + "Application 0 File E109: 01\n").utf8).write(to: URL(filePath: file))
      let refused = try await Tool.run("restore", file, "--virtual", "type4")
      #expect(refused.status == 77)
      #expect(refused.errors.contains("file E109: it is not there"))
    }
  }

  @Test func saysWhatNeedsAKey() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.nfc").path
      let refused = try await Tool.run("dump", file, "--virtual", "ntag424")
      #expect(refused.status == 77)
      #expect(refused.errors.contains("file E105 needs a key"))
      #expect(!FileManager.default.fileExists(atPath: file))
      #expect(try await Tool.run("dump", file, "--partial", "--virtual", "ntag424").status == 0)
      #expect(try await Tool.run("diff", file, file).status == 0)
    }
  }

  // MARK: Nothing to copy

  /// What always differs between two tags, such as the UID, is not a reason to copy the message instead.
  @Test(arguments: ["ntag213", "classic-1k", "icode-slix2", "type4", "desfire"])
  func aTagThatAlreadyHasTheMemory(_ name: String) async throws {
    let tags = ["--virtual", name, "--virtual", name]
    let result = try await RunningTool(["copy"] + tags).end()
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.wholeMatch(
        of: /nfc: nothing was to be copied: \w+ already has the memory of \w+; left behind: UID.*\n/
      )
        != nil, "\(result.errors)")
    #expect(!result.errors.contains("other memory"))
    let json = try await RunningTool(["copy", "--json"] + tags).end()
    #expect(json.status == 0)
    #expect(json.output.contains(#""copied":"the memory","written":0,"leftBehind":["UID""#))
  }

  @Test func aTagThatAlreadyHasTheMessage() async throws {
    let ndef = NDEFMessage(.uri("https://a.example"))
    try await Self.with(.ntag213(ndef: ndef), .ntag215(ndef: ndef)) { nfc async throws in
      let first = ["--uid", "04E10CDA993C80"]
      let result = try await nfc(["copy"] + first)
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.errors.contains(
          "nothing was to be copied: 04DB0BDA993C80 already has the NDEF message of 04E10CDA993C80;"
        ))
      #expect(try await nfc(["copy", "--plan"] + first).output == "")
    }
    try await Self.with(.ntag213(ndef: ndef), .ntag215()) { nfc async throws in
      let result = try await nfc(["copy", "--uid", "04E10CDA993C80", "--json"])
      #expect(result.output.contains(#""copied":"the NDEF message","written":14,"#))
      #expect(try await nfc(["read", "--uid", "04DB0BDA993C80"]).output == "https://a.example\n")
    }
  }
}
