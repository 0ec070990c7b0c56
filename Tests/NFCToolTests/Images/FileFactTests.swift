import Foundation
import SwiftNFCCore
import TagImages
import TestSupport
import Testing
import VirtualNFC

/// A tag that was made from a file reports what the file has, and nothing else.
@Suite struct FileFactTests {
  private static func object(_ result: Tool.Result) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any],
      "\(result.output)\(result.errors)")
  }

  private static func info(_ file: String) async throws -> [String: Any] {
    try object(try await Tool.run("info", "--json", "--virtual", file))
  }

  /// Plain bytes have neither version nor signature; a dump of the virtual tag and a conversion agree.
  @Test func plainBytesHaveNoVersion() async throws {
    let file = CaseFile.path("ntag213-no-signature.bin")
    let info = try await Self.info(file)
    #expect(info["originality"] as? String == "unknown")
    #expect(info["version"] == nil && info["signature"] == nil)
    #expect(info["product"] as? String == "NTAG213")
    try await TemporaryDirectory.with { directory async throws in
      let (again, converted) = (
        directory.appending(path: "a.nfc"), directory.appending(path: "b.nfc")
      )
      #expect(try await Tool.run("dump", again.path, "--virtual", file).status == 0)
      #expect(try await Tool.run("convert", file, converted.path).status == 0)
      let text = try String(contentsOf: again, encoding: .utf8)
      #expect(text == (try String(contentsOf: converted, encoding: .utf8)))
      #expect(text.contains("Mifare version: 00 00 00 00 00 00 00 00\n"))
      #expect(text.contains("Signature: 00 00"))
    }
  }

  @Test(arguments: [
    ("ultralight-of-mikron.nfc", "Mikron", "K5016", "0034210101000E03"),
    ("ultralight-ev1-mikron.nfc", "Mikron", "K5016", "0034210101000B03"),
    ("ultralight-ev1-50pf.nfc", "NXP", "MIFARE Ultralight EV1", "0004030201000B03"),
    ("ntag213-feiju.nfc", "Feiju", "NTAG213 compatible", "0053040201000F03"),
    ("ntag223dna.json", "NXP", "NTAG 223 DNA", "0004040204000F03"),
    ("ultralight-aes.json", "NXP", "MIFARE Ultralight AES", "0004030104000F03"),
  ])
  func theVersionIsThatOfTheFile(
    _ name: String, _ maker: String, _ product: String, _ version: String
  ) async throws {
    let result = try await CaseFile.run("info", "--json", "--virtual", "@\(name)")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let info = try Self.object(result)
    #expect(info["maker"] as? String == maker)
    #expect(info["product"] as? String == product)
    #expect(info["version"] as? String == version)
    #expect(info["signature"] == nil && info["originality"] as? String == "unknown")
  }

  /// What chips in the field answer to GET_VERSION, as Proxmark3 lists it (client/src/cmdhfmfu.c), and a number of pages.
  static let versions: [(version: String, pages: Int)] = [
    ("0004030100000B03", 20), ("0004030101000B03", 20), ("0004030201000B03", 20),
    ("0004030301000B03", 20), ("0004030101000E03", 41), ("0004030201000E03", 41),
    ("0004030101001103", 67), ("0004030201001103", 67), ("0004030101001303", 131),
    ("0004030102000B03", 11), ("0004030202000B03", 11), ("0004030103000B03", 11),
    ("0004030203000B03", 11), ("0004030104000F03", 60), ("0004030204000F03", 56),
    ("0004040101000B03", 20), ("0004040201000B03", 20), ("0004040101000E03", 41),
    ("0004040102000B03", 16), ("0004040202000B03", 16), ("0004040201000F03", 45),
    ("0004040401000F03", 45), ("0004040201011103", 135), ("0004040201001103", 135),
    ("0004040401001103", 135), ("0004040201001303", 231), ("0004040401001303", 231),
    ("0004040201010F03", 45), ("0004040203000F03", 45), ("0004040204000F03", 60),
    ("0004040804000F03", 60), ("0004040205001003", 76), ("0004040805001003", 76),
    ("0004040502001303", 231), ("0004040502011303", 231), ("0004040501011303", 231),
    ("0004040502001503", 485), ("0004040502011503", 485), ("0004040502021303", 236),
    ("0004040502021503", 492), ("0034210101000E03", 41), ("0034210101000B03", 20),
    ("0053040201000F03", 45), ("0005340201001103", 135),
    // Chips that nobody knows.
    ("0099770101000F03", 45), ("0004040999001203", 77),
  ]

  private static func flipper(_ version: String, _ pages: Int) -> String {
    let isI2C = version.hasPrefix("00040405")
    let bytes = stride(from: 0, to: version.count, by: 2).map { offset in
      String(version.dropFirst(offset).prefix(2))
    }
    let first =
      isI2C
      ? ["04 11 22 33", "44 55 66 00", "44 00 00 00", "E1 10 06 00", "03 00 FE 00"]
      : ["04 11 22 BF", "33 44 55 66", "44 48 00 00", "E1 10 06 00", "03 00 FE 00"]
    let uid = "04 11 22 33 44 55 66"
    let lines = (0..<pages).map { page in
      "Page \(page): " + (page < first.count ? first[page] : "00 00 00 00")
    }
    let zeros = Array(repeating: "00", count: 32).joined(separator: " ")
    return
      ([
        "Filetype: Flipper NFC device", "Version: 4", "Device type: NTAG/Ultralight", "UID: \(uid)",
        "ATQA: 00 44", "SAK: 00", "Data format version: 2",
        "NTAG/Ultralight type: Mifare Ultralight", "Signature: \(zeros)",
        "Mifare version: \(bytes.joined(separator: " "))", "Counter 0: 0", "Tearing 0: 00",
        "Counter 1: 7", "Tearing 1: BD", "Counter 2: 5", "Tearing 2: 00", "Pages total: \(pages)",
        "Pages read: \(pages)",
      ] + lines + ["Failed authentication attempts: 0"]).joined(separator: "\n") + "\n"
  }

  /// Every version is kept as a virtual tag and through conversions, in both directions.
  @Test func everyVersionIsKept() throws {
    for (version, pages) in Self.versions {
      let image = try ImageFormat.flipper.decode(Array(Self.flipper(version, pages).utf8))
      let expected = try #require([UInt8](hexadecimal: version))
      #expect(image.version == expected, "\(version)")
      for format in [ImageFormat.proxmark, .flipper]
      where format != .proxmark || image.memory.unitCount <= 256 {
        let copy = try format.decode(try format.encode(image).bytes)
        #expect(copy.version == expected, "\(version) \(format)")
        #expect(copy.memory.bytes == image.memory.bytes, "\(version) \(format)")
        #expect(copy.signature == nil)
      }
      let tag = try VirtualTag.image(image)
      let made = try #require(tag.image)
      #expect(made.version == expected, "\(version)")
      #expect(made.signature == nil && made.uid == image.uid, "\(version)")
      #expect(made.counters == image.counters, "\(version)")
    }
  }

  /// What `info` prints is in the file: of one version in four, because each is a process.
  @Test func infoPrintsTheFile() async throws {
    try await TemporaryDirectory.with { directory async throws in
      for (index, entry) in Self.versions.enumerated() where index % 4 == 0 || index > 40 {
        let file = directory.appending(path: "\(entry.version).nfc")
        try Self.flipper(entry.version, entry.pages).write(
          to: file, atomically: true, encoding: .utf8)
        let info = try await Self.info(file.path)
        #expect(info["version"] as? String == entry.version)
        #expect(info["signature"] == nil, "\(entry.version)")
        #expect(info["uid"] as? String == "04112233445566", "\(entry.version)")
        let counters = info["counters"] as? [[String: Int]] ?? []
        for counter in counters {
          #expect([1: 7, 2: 5][counter["number"] ?? -1] == counter["value"], "\(entry.version)")
        }
      }
    }
  }

  /// A virtual tag needs a UID; one that the file does not have is not shown, and not saved.
  @Test(arguments: ["vicinity-320.bin", "type5-304.bin"])
  func aMissingUIDIsNotKnown(_ name: String) async throws {
    let result = try await CaseFile.run("info", "--json", "--virtual", "@\(name)")
    #expect(result.status == 0)
    let info = try Self.object(result)
    for key in ["uid", "product", "maker", "icSerialNumber", "icManufacturerCode", "dsfid", "afi"] {
      #expect(info[key] == nil, "\(key)")
    }
    #expect(result.errorLines.count == 1 && result.errors.contains("has no UID"))
    let text = try await CaseFile.run("info", "--virtual", "@\(name)")
    #expect(!text.output.contains("E004") && !text.output.contains("ICODE"))
    let poll = try await CaseFile.run("poll", "--once", "--json", "--virtual", "@\(name)")
    #expect(poll.status == 0 && !poll.output.contains(#""uid""#))
    let read = try await CaseFile.run("read", "--json", "--virtual", "@\(name)")
    #expect(read.output.contains("hello") && !read.output.contains(#""uid""#))
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "again.nfc").path
      for arguments in [
        ["dump", file, "--virtual", CaseFile.path(name)], ["convert", CaseFile.path(name), file],
      ] {
        let result = try await Tool.run(arguments)
        #expect(result.status == 65 && result.errors.contains("without a UID"))
        #expect(!FileManager.default.fileExists(atPath: file))
      }
      let plain = directory.appending(path: "again.bin")
      let dump = try await Tool.run("dump", plain.path, "--virtual", CaseFile.path(name))
      #expect(dump.status == 0)
      #expect([UInt8](try Data(contentsOf: plain)) == (try CaseFile.bytes(name)))
    }
  }

  @Test func aWrongCheckByteIsSaid() async throws {
    let poll = try await CaseFile.run(
      "poll", "--once", "--json", "--virtual", "@classic-wrong-check-byte.mfd")
    #expect(poll.output.contains(#""uid":"11223344""#))
    #expect(poll.errorLines.count == 1 && poll.errors.contains("check byte"))
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "o.nfc")
      let result = try await CaseFile.run("convert", "@classic-wrong-check-byte.mfd", file.path)
      #expect(result.status == 0 && result.errors.contains("check byte"))
      #expect(try String(contentsOf: file, encoding: .utf8).contains("UID: 11 22 33 44\n"))
    }
  }

  @Test func zerosAfterASmallerCardAreNoMemory() async throws {
    let info = try await CaseFile.run(
      "info", "--json", "--virtual", "@classic-1k-in-4096-bytes.mfd")
    #expect(info.output.contains(#""sak":"08""#) && info.output.contains(#""atqa":"0004""#))
    #expect(info.output.contains("MIFARE Classic 1K") && info.errorLines.count == 1)
    try await TemporaryDirectory.with { directory async throws in
      let (small, text) = (directory.appending(path: "s.mfd"), directory.appending(path: "o.nfc"))
      let bytes = try CaseFile.bytes("classic-1k-in-4096-bytes.mfd")
      try Data(bytes.prefix(1024)).write(to: small)
      let diff = try await CaseFile.run("diff", "@classic-1k-in-4096-bytes.mfd", small.path)
      #expect(diff.status == 0 && diff.output == "")
      let converted = try await CaseFile.run(
        "convert", "@classic-1k-in-4096-bytes.mfd", text.path)
      #expect(converted.status == 0)
      #expect(try String(contentsOf: text, encoding: .utf8).contains("Mifare Classic type: 1K"))
    }
  }

  @Test func aUIDOfFourBytesNamesNoMaker() async throws {
    let info = try await Self.info(CaseFile.path("classic-4-byte-uid.mfd"))
    #expect(info["maker"] == nil && info["uid"] as? String == "11223344")
  }

  @Test func diffTellsFactsApart() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let other = directory.appending(path: "other.nfc")
      let text = try String(contentsOfFile: CaseFile.path("ntag213-feiju.nfc"), encoding: .utf8)
      let changes = [
        ("Mifare version: 00 53", "Mifare version: 00 04", "version"),
        ("Counter 2: 0", "Counter 2: 9", nil), ("Signature: 00", "Signature: 01", nil),
      ]
      for (old, new, name) in changes {
        #expect(text.contains(old))
        try text.replacing(old, with: new).write(to: other, atomically: true, encoding: .utf8)
        let diff = try await CaseFile.run("diff", "@ntag213-feiju.nfc", other.path)
        // What is unknown in one of the two is not a difference.
        #expect(diff.status == (name == nil ? 0 : 1), "\(old)")
        if let name { #expect(diff.output.hasPrefix("\(name): ")) }
      }
      let again = directory.appending(path: "again.nfc").path
      #expect(try await CaseFile.run("dump", again, "--virtual", "@ntag213-feiju.nfc").status == 0)
      #expect(try await CaseFile.run("diff", "@ntag213-feiju.nfc", again).status == 0)
      let copy = try ImageFormat.flipper.decode([UInt8](try Data(contentsOf: URL(filePath: again))))
      #expect(copy.version == [0x00, 0x53, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03])
      #expect(copy.signature == nil)
    }
  }

  /// The chip that stands for a FeliCa Lite of plain bytes has a PMm and an IDm, and the file neither.
  @Test(arguments: ["felica-lite", "felica-lite-s"])
  func plainBytesOfAFeliCaHaveNoCodes(_ chip: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.bin").path
      #expect(try await Tool.run("dump", file, "--virtual", chip).status == 0)
      let info = try await Self.info(file)
      for key in ["uid", "idm", "pmm", "product", "manufacturerCode", "icType"] {
        #expect(info[key] == nil, "\(key)")
      }
      let text = try await Tool.run("info", "--virtual", file).output
      #expect(!text.contains("IC type") && !text.contains("manufacturer"), "\(text)")
    }
  }
}
