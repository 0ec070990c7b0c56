import TagImages
import Testing

/// Tests of Flipper Zero's files of FeliCa cards with systems and services.
@Suite struct FlipperFeliCaTests {
  /// A file as lib/nfc/protocols/felica/felica.c and the samples of codebutler/farebot have it: the directory has lines
  /// that begin with each of its characters.
  private static func file(version: Int = 2, keys: [String] = []) -> String {
    func line(_ name: String, _ text: String, _ version: String) -> [String] {
      let key = keys.first { $0.hasPrefix(name + " Key") }
      return [name + ": " + text + (keys.isEmpty ? "" : version)] + (key.map { [$0] } ?? [])
    }
    var lines = [
      "Filetype: Flipper NFC device", "Version: 4", "Device type: FeliCa",
      "UID: 01 12 34 56 78 9A BC DE", "Data format version: \(version)",
      "Manufacture id: 01 12 34 56 78 9A BC DE", "Manufacture parameter: 0B 0B 08 20 20 20 FF FF",
      "IC Type: FeliCa Standard RC-S9X4, Japan Transit IC", "",
      "# Felica Standard specific data", "System found: 1", "", "",
    ]
    lines += line("System 00", "0003", " | Key version 0001 |")
    lines += ["", "Area found: 1"]
    lines += line(
      "Area 000", "| Code 0000 | End FFFE | Services #000-#001 |", " Key version 0002 |")
    lines += ["", "Service found: 2"]
    lines += line(
      "Service 000", "| Code 0009 | Attrib. 09 | Public  | Random | Read/Write |",
      " Key version 0003 |")
    lines += line(
      "Service 001", "| Code 000B | Attrib. 0B | Public  | Random | Read Only  |",
      " Key version 0004 |")
    lines += [
      "", "Directory Tree: ", "+++ ... are public services", "||| ... are private services",
      "- AREA_0000/", "|- AREA_0001/", "| |- serv_0048", "+ +- serv_000B", "",
      "Public blocks read: 2",
      "Block 0000: | Service code 0009 | Block index 00 | Data: 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 |",
      "Block 0001: | Service code 000B | Block index 00 | Data: A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF B0 |",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func decode(_ text: String) throws -> TagImage {
    try ImageFormat.flipper.decode(Array(text.utf8))
  }

  @Test(arguments: [2, 3]) func readsTheDirectoryAndBothVersions(_ version: Int) throws {
    let image = try Self.decode(Self.file(version: version))
    let system = try #require(image.feliCa?.systems.first)
    #expect(system.code == 0x0003)
    #expect(system.areas == [.init(code: 0, end: 0xFFFE)])
    #expect(system.services == [0x0009, 0x000B])
    #expect(system.blocks.map(\.data.first) == [0x01, 0xA1])
    #expect(system.keys.isEmpty)
  }

  @Test func keepsKeysAndTheirVersions() throws {
    let image = try Self.decode(
      Self.file(keys: [
        "System 00 Key: 01 23 45 67 89 AB CD EF", "Area 000 Key: FE DC BA 98 76 54 32 10",
        "Service 001 Key: 88 77 66 55 44 33 22 11",
      ]))
    let system = try #require(image.feliCa?.systems.first)
    #expect(system.code == 0x0003)
    #expect(
      system.keys == [
        TagImage.FeliCa.System.systemNode: .init(
          version: 1, value: [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]),
        0x0000: .init(version: 2, value: [0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10]),
        0x0009: .init(version: 3),
        0x000B: .init(version: 4, value: [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]),
      ])
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
  }

  /// Files of the firmware before the ends of areas: they are not invented. The ranges of services are those of the
  /// areas themselves, without those of the areas inside them, and stay as they are.
  @Test(arguments: [true, false]) func inventsNeitherEndNorSystem(_ hasSystem: Bool) throws {
    var lines = Self.file().split(separator: "\n").map(String.init)
    let areas = [
      "Area 000: | Code 0000 | Services #000-#000 |",
      "Area 001: | Code 0008 | Services #000-#001 |",
      "Area 002: | Code 0FC0 | Services #002-#000 |",
    ]
    let first = try #require(lines.firstIndex { $0.hasPrefix("Area found") })
    lines.replaceSubrange(first...first + 1, with: ["Area found: 3"] + areas)
    if !hasSystem { lines.removeAll { $0.hasPrefix("System ") } }
    let decoding = try ImageFormat.flipper.decoding(Array(lines.joined(separator: "\n").utf8))
    let system = try #require(decoding.image.feliCa?.systems.first)
    #expect(system.code == (hasSystem ? 0x0003 : nil))
    #expect(system.areas.map(\.end) == [nil, nil, nil])
    #expect(decoding.losses == [])
    let again = try ImageFormat.flipper.encode(decoding.image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == decoding.image)
    let written = String(decoding: again.bytes, as: UTF8.self).split(separator: "\n").map(
      String.init)
    for area in areas { #expect(written.contains(area)) }
    #expect(written.contains { $0.hasPrefix("System ") } == hasSystem)
  }

  /// A file that ends too early is not a card with fewer services.
  @Test func refusesAFileThatIsCutOff() throws {
    let lines = Self.file().split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    let first = try #require(lines.firstIndex { $0.hasPrefix("System found") })
    for count in first + 1..<lines.count - 1 {
      #expect(throws: ImageError.self, "\(count) lines") {
        try Self.decode(lines.prefix(count).joined(separator: "\n"))
      }
    }
  }

  @Test(arguments: [
    "System found: 2", "Area found: 2", "Service found: 1", "Public blocks read: 3",
  ])
  func refusesWrongCounts(_ line: String) throws {
    let key = line.prefix { $0 != ":" }
    let lines = Self.file().split(separator: "\n").map { $0.hasPrefix(key) ? line : String($0) }
    #expect(throws: ImageError.self) { try Self.decode(lines.joined(separator: "\n")) }
  }

  /// Both systems of a card may have the same service.
  @Test func systemsAreComparedOneByOne() throws {
    let first = try ImageFormat.flipper.decode(Array(Self.file().utf8))
    var image = first
    var other = try #require(image.feliCa?.systems.first)
    other.code = 0x86A7
    image.feliCa?.systems.append(other)
    #expect(image.comparison(with: image).isEqual)
    var changed = image
    changed.feliCa?.systems[0].blocks[0].data[0] = 0xFF
    let comparison = image.comparison(with: changed)
    #expect(comparison.others.map(\.name) == ["system 0003 service 0009 block 0"])
    var single = first
    single.feliCa?.systems[0].blocks[0].data[0] = 0xFF
    #expect(first.comparison(with: single).others.map(\.name) == ["service 0009 block 0"])
    // An older file does not name the system.
    single.feliCa?.systems[0].code = nil
    #expect(first.comparison(with: single).others.map(\.name) == ["service 0009 block 0"])
    #expect(image.comparison(with: single).others.count == 3)
  }

  /// No card has so many areas or services, and their numbers have three digits.
  @Test(arguments: ["Area", "Service"]) func aTableThatIsTooLong(_ name: String) throws {
    let lines = (0..<5000).map {
      "\(name) \(String($0 + 0x10000, radix: 16)): | Code 0009 | End FFFE |"
    }
    let text = Self.file().replacing(
      "Service found: 2", with: lines.joined(separator: "\n") + "\nService found: 2")
    let error = #expect(throws: ImageError.self) {
      try ImageFormat.flipper.decode(Array(text.utf8))
    }
    #expect(error?.reason.contains("more than 4096 areas or services") == true)
  }
}
