import Foundation
import NFC
import TagImages
import Testing

/// Tests what commands report about files that lack something, have more than an image, or contradict themselves.
@Suite struct ImageContentTests {
  private static let uid: [UInt8] = [0x04, 0x85, 0x90, 0x54, 0x12, 0x98, 0x23]

  /// The pages of an NTAG215 with an empty message.
  private static let pages: [UInt8] = {
    let checks = [uid[0..<3].reduce(0x88, ^), uid[3..<7].reduce(0, ^)]
    let first: [UInt8] = Array(uid[0..<3]) + [checks[0]]
    let start: [UInt8] = first + Array(uid[3..<7]) + [checks[1], 0x48, 0, 0]
    let content: [UInt8] = [0xE1, 0x10, 0x3E, 0x00, 0x03, 0x00, 0xFE, 0x00]
    let rest: [UInt8] = Array(repeating: 0, count: 126 * 4 - 4)
    let configuration: [UInt8] = [
      0, 0, 0, 0xBD, 0x04, 0, 0, 0xFF, 0, 0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    return start + content + rest + configuration
  }()

  private static func flipper(uid: String) -> String {
    let lines = (0..<135).map { page in
      "Page \(page): "
        + pages[4 * page..<4 * page + 4].map { String(format: "%02X", $0) }.joined(separator: " ")
    }
    let zeros = { (count: Int) in Array(repeating: "00", count: count).joined(separator: " ") }
    return
      ([
        "Filetype: Flipper NFC device", "Version: 4", "Device type: NTAG/Ultralight", "UID: \(uid)",
        "ATQA: 00 44", "SAK: 00", "Data format version: 2", "NTAG/Ultralight type: NTAG215",
        "Signature: \(zeros(32))", "Mifare version: 00 04 04 02 01 00 11 03", "Pages total: 135",
        "Pages read: 135",
      ] + lines).joined(separator: "\n") + "\n"
  }

  /// Other programs' names for plain bytes are read, and not written.
  @Test func plainBytesMayHaveOtherNames() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let (dump, other) = (directory.appending(path: "a.mfd"), directory.appending(path: "b.DMP"))
      #expect(try await Tool.run("dump", dump.path, "--virtual", "classic-1k").status == 0)
      try Data(contentsOf: dump).write(to: other)
      #expect(try await Tool.run("diff", dump.path, other.path).status == 0)
      #expect(try await Tool.run("info", "--virtual", other.path).status == 0)
      let keys = directory.appending(path: "c.mct").path
      #expect(try await Tool.run("convert", other.path, keys).status == 0)
      #expect(try String(contentsOfFile: keys, encoding: .utf8).hasPrefix("+Sector: 0\n"))
      #expect(try await Tool.run("convert", keys, other.path).status == 64)
    }
  }

  /// Files for game figures have 540 bytes, or more with the signature, or less without passwords or configuration.
  @Test(arguments: [(540, 0), (572, 1), (532, 0), (520, 0)])
  func figuresAreNTAG215(_ size: Int, _ losses: Int) async throws {
    #expect(Self.pages.count == 540)
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "figure.bin")
      let copy = directory.appending(path: "figure.nfc").path
      let signature = (1...32).map { UInt8($0) }
      try Data((Self.pages + signature).prefix(size)).write(to: file)
      let converted = try await Tool.run("convert", file.path, copy)
      #expect(converted.status == 0)
      #expect(converted.errors == "")
      let text = try String(contentsOfFile: copy, encoding: .utf8)
      #expect(text.contains("NTAG/Ultralight type: NTAG215\n"))
      #expect(text.contains("Pages total: 135\n"))
      #expect(text.contains("Signature: 01 02 03") == (size == 572))
      let info = try await Tool.run("info", "--json", "--virtual", file.path)
      #expect(info.status == 0, "\(info.errors)")
      #expect(info.output.contains(#""product":"NTAG215""#))
      // Plain bytes have no signature, and no mark for what the file lacks.
      let plain = directory.appending(path: "again.bin").path
      let again = try await Tool.run("convert", file.path, plain)
      #expect(again.status == 0)
      #expect(again.errors.contains("does not hold: signature") == (size == 572))
      #expect(again.errors.contains("does not hold: which bytes are unknown") == (size < 540))
      #expect(try Data(contentsOf: URL(filePath: plain)).count == 540)
    }
  }

  /// A number of pages that no known chip has is no reason to refuse a file.
  @Test(arguments: ["nfc", "bin", "json"])
  func aSizeOfNoChipIsConverted(_ format: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "odd.eml")
      let copy = directory.appending(path: "copy.\(format)").path
      let lines = (0..<134).map { page in
        Self.pages[4 * page..<4 * page + 4].map { String(format: "%02X", $0) }.joined() + "\n"
      }
      try Data(lines.joined().utf8).write(to: file)
      let info = try await Tool.run("info", "--virtual", file.path)
      #expect(info.status == 0, "\(info.errors)")
      let converted = try await Tool.run("convert", file.path, copy)
      #expect(converted.status == 0, "\(converted.errors)")
      #expect(try await Tool.run("diff", file.path, copy).status == 0)
      // All pages are in the copy.
      let again = directory.appending(path: "again.bin").path
      #expect(try await Tool.run("convert", copy, again).status == 0)
      #expect(Array(try Data(contentsOf: URL(filePath: again))) == Array(Self.pages.prefix(536)))
    }
  }

  @Test func whatNoImageHoldsIsNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.nfc")
      let text = """
        Filetype: Flipper NFC device
        Version: 4
        Device type: EMV
        UID: 04 A1 B2 C3
        ATQA: 00 04
        SAK: 20
        T0: 78
        TA(1): 80
        TB(1): 70
        TC(1): 02
        # EMV specific data:
        Application name: Visa
        PAN: 41 11 11 11 11 11 11 11
        """
      try Data(text.utf8).write(to: file)
      let copy = directory.appending(path: "copy.nfc").path
      let result = try await Tool.run("convert", file.path, copy)
      #expect(result.status == 0)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("copy.nfc does not hold: Application name, PAN\n"))
      #expect(try await Tool.run("convert", "--force", copy, copy).errors == "")
    }
  }

  /// The UID of the pages is that of the tag, wherever the file is used.
  @Test func aUIDThatContradictsThePagesIsNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "figure.nfc")
      let copy = directory.appending(path: "copy.json").path
      try Data(Self.flipper(uid: "04 85 90 99 54 12 98").utf8).write(to: file)
      for command in [
        ["convert", file.path, copy], ["poll", "--once", "--virtual", file.path],
        ["diff", file.path, file.path],
      ] {
        let result = try await Tool.run(command)
        #expect(result.status == 0)
        #expect(result.errors.contains("04859054129823, is used"), "\(result.errors)")
        #expect(result.errorLines.count == 1)
        if command[0] == "poll" { #expect(result.output.contains("04859054129823")) }
      }
      let text = try String(contentsOfFile: copy, encoding: .utf8)
      #expect(text.contains("\"UID\": \"04859054129823\""))
    }
  }

  /// A wrong check byte is named, because the size of such a file is that of a tag.
  @Test func wrongCheckBytesAreNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin")
      _ = try await Tool.run("dump", file.path, "--virtual", "ntag213")
      var bytes = try Data(contentsOf: file)
      let right = bytes[3]
      bytes[3] ^= 0xFF
      try bytes.write(to: file)
      let result = try await Tool.run("read", "--virtual", file.path)
      #expect(result.status == 65)
      let values = [right ^ 0xFF, right].map { [$0].hexadecimal }
      #expect(
        result.errors.contains(
          "180 bytes, which is the size of NTAG213, but with wrong check bytes of the UID: byte 3 is "
            + "\(values[0]), not \(values[1]); use a file that names its tag"), "\(result.errors)")
      // Bytes of that size that do not begin as a tag have none.
      try Data(repeating: 0x55, count: 180).write(to: file)
      let other = try await Tool.run("read", "--virtual", file.path)
      #expect(other.errors.contains("the size of no known tag"), "\(other.errors)")
    }
  }

  /// A card answers with the UID of its block 0, unless the check byte there says that it is none.
  @Test(
    arguments: [
      ("UID: 01 02 03 04", nil, "the UID of block 0, UID, is used; the file also has 01020304"),
      ("UID: 01 02 03 04", 0x55, "the UID 01020304 is used; block 0 has UID"),
      ("UID: 08 02 03 04", nil, nil),
    ] as [(String, UInt8?, String?)])
  func aUIDThatContradictsBlock0IsNamed(
    _ line: String, _ check: UInt8?, _ remark: String?
  ) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.nfc")
      _ = try await Tool.run("dump", file.path, "--virtual", "classic-1k")
      var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(
        String.init)
      let block = try #require(lines.firstIndex { $0.hasPrefix("Block 0: ") })
      let uid = try #require(lines.firstIndex { $0.hasPrefix("UID: ") })
      let stored = lines[uid].dropFirst("UID: ".count).filter { $0 != " " }
      try #require(stored.count == 8)
      if let check {
        var words = lines[block].split(separator: " ").map(String.init)
        words[6] = [check].hexadecimal
        lines[block] = words.joined(separator: " ")
      }
      lines[uid] = line
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      let result = try await Tool.run("convert", file.path, directory.path + "/copy.json")
      #expect(result.status == 0)
      if let remark {
        let text = remark.replacing("UID,", with: stored + ",").replacing(
          "has UID", with: "has \(stored)")
        #expect(result.errors.contains(text), "\(result.errors)")
      } else {
        #expect(!result.errors.contains("is used"), "\(result.errors)")
      }
    }
  }

  /// Keys are written with colons, too.
  @Test(arguments: ["AA:BB:CC:DD:EE:FF", "aa-bb-cc-dd-ee-ff  # door", "AABBCCDDEEFF"])
  func keysMayHaveColons(_ line: String) throws {
    #expect(
      try KeyFile.keys(in: Array("FFFFFFFFFFFF\n\(line)\n".utf8)) == [
        [UInt8](repeating: 0xFF, count: 6), [0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF],
      ])
  }
}
