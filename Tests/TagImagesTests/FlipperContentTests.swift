import TagImages
import Testing
import VirtualNFC

/// Tests content of `.nfc` files that no image holds, that contradicts itself, or that is damaged.
@Suite struct FlipperContentTests {
  private static func file(_ device: String, _ lines: [String]) -> [UInt8] {
    let head = ["Filetype: Flipper NFC device", "Version: 4", "Device type: \(device)"]
    return Array(((head + lines).joined(separator: "\n") + "\n").utf8)
  }

  private static let typeA4 = [
    "UID: 04 51 2C 8A 3D 61 80", "ATQA: 03 44", "SAK: 20", "T0: 77", "TA(1): 77", "TB(1): 71",
    "TC(1): 02",
  ]
  private static let version =
    "PICC Version: 04 04 02 30 00 11 05 04 04 02 01 02 11 05 04 51 2C 8A 3D 61 80 CF 43 91 30 60 36 21"

  // MARK: What an image does not hold

  @Test(arguments: [
    (
      "EMV",
      ["Application name: Visa", "PAN length: 8", "PAN: 41 11", "AID: A0 00 00 00 03 10 10"],
      ["Application name", "PAN length", "PAN", "AID"]
    ),
    ("Bank card", ["AID: A0 00 00 00 03 10 10", "Exp data: 12 27"], ["AID", "Exp data"]),
    (
      "Mifare Plus",
      [version, "Security Level: SL3", "Card Type: Mifare Plus EV1", "Memory Size: 2K"],
      []
    ),
    ("NTAG4xx", [version], []),
    ("ISO14443-4A", [], []),
  ])
  func namesWhatIsLost(_ device: String, _ lines: [String], _ losses: [String]) throws {
    let decoding = try ImageFormat.flipper.decoding(Self.file(device, Self.typeA4 + lines))
    #expect(decoding.image.kind == .iso14443a)
    #expect(decoding.losses == losses)
    #expect(decoding.remarks == [])
    let again = try ImageFormat.flipper.encode(decoding.image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == decoding.image)
  }

  @Test(arguments: ["NTAG4xx", "Mifare Plus"]) func keepsTheVersion(_ device: String) throws {
    let image = try ImageFormat.flipper.decode(Self.file(device, Self.typeA4 + [Self.version]))
    #expect(image.version?.count == 28)
    #expect(image.version?.prefix(4) == [0x04, 0x04, 0x02, 0x30])
  }

  /// Many values are counted, not listed.
  @Test func doesNotListHundredsOfNames() throws {
    let decoding = try ImageFormat.flipper.decoding(
      Self.file("EMV", Self.typeA4 + (0..<300).map { "Value \($0): 00" }))
    #expect(decoding.losses.count == 16)
    #expect(decoding.losses.last == "285 more values")
  }

  /// Nothing is lost of the files that have no more than an image.
  @Test func losesNothingOfAnUltralight() throws {
    let tag = Dialects.NTAG215()
    for dialect in Dialects.Flipper.allCases {
      let text = Dialects.flipper(
        dialect, chip: "NTAG215", uid: tag.uid, pages: tag.pages, signature: tag.signature,
        version: tag.version, counters: [0, 0, 47])
      let decoding = try ImageFormat.flipper.decoding(Array(text.utf8))
      #expect(decoding.losses == [])
      #expect(decoding.remarks == [])
    }
  }

  // MARK: ATS

  /// Flipper Zero refuses a file without a byte that T0 announces.
  @Test(arguments: ["TA(1)", "TB(1)", "TC(1)"]) func refusesAnIncompleteATS(_ key: String) throws {
    let lines = Self.typeA4.filter { !$0.hasPrefix(key) }
    let error = #expect(throws: ImageError.self) {
      try ImageFormat.flipper.decode(Self.file("ISO14443-4A", lines))
    }
    #expect(error?.place == .line(7))
    #expect(error?.reason.contains(key) == true)
  }

  /// The length of an ATS is one byte, which is part of it.
  @Test(arguments: [(250, true), (251, false)])
  func theLengthOfAnATSIsOneByte(_ count: Int, _ isRead: Bool) throws {
    let bytes = Array(repeating: "80", count: count).joined(separator: " ")
    let lines =
      Self.typeA4.filter { !$0.hasPrefix("T1...Tk") } + ["T1...Tk: \(bytes)"]
    let file = Self.file("ISO14443-4A", lines)
    guard isRead else {
      let error = #expect(throws: ImageError.self) { try ImageFormat.flipper.decode(file) }
      #expect(error?.reason.contains("its length is one byte") == true)
      return
    }
    #expect(try ImageFormat.flipper.decode(file).ats?.first == 255)
  }

  /// An application whose files were not listed may have any: that is not a difference.
  @Test func filesThatWereNotListedAreNoDifference() throws {
    let image = try #require(try VirtualTag.named("desfire").image)
    var unlisted = image
    unlisted.desfire?.applications[0].files = nil
    for comparison in [image.comparison(with: unlisted), unlisted.comparison(with: image)] {
      #expect(comparison.isEqual)
      #expect(
        comparison.incomparableFiles == ["application 000001 file 1", "application 000001 file 2"])
    }
    var without = image
    without.desfire?.applications = []
    #expect(image.comparison(with: without).others.map(\.after) == ["none", "none"])
    #expect(without.comparison(with: unlisted).isEqual)
  }

  // MARK: UID

  /// Files of game figures name the first seven bytes of the pages, of which the fourth is a check byte.
  @Test func takesTheUIDOfThePages() throws {
    let tag = Dialects.NTAG215()
    let named = Array(tag.pages.flatMap { $0 }.prefix(7))
    let text = Dialects.flipper(
      .version4, chip: "NTAG215", uid: named, pages: tag.pages, signature: tag.signature,
      version: tag.version)
    let decoding = try ImageFormat.flipper.decoding(Array(text.utf8))
    #expect(decoding.image.uid == tag.uid)
    #expect(decoding.remarks.count == 1)
    for uid in [named, tag.uid] {
      #expect(decoding.remarks[0].contains(Dialects.hexadecimal(uid, "")))
    }
    let again = try ImageFormat.flipper.encode(decoding.image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decoding(again.bytes).remarks == [])
  }

  /// Without valid check bytes in the pages, the line is all there is; a random UID is in no page.
  @Test func keepsAUIDThatThePagesDoNotHave() throws {
    var tag = Dialects.NTAG215()
    for (uid, first) in [(tag.uid, UInt8(0)), ([0x08, 0x11, 0x22, 0x33], tag.pages[0][0])] {
      tag.pages[0][0] = first
      let text = Dialects.flipper(
        .version4, chip: "NTAG215", uid: uid, pages: tag.pages, signature: tag.signature,
        version: tag.version)
      let decoding = try ImageFormat.flipper.decoding(Array(text.utf8))
      #expect(decoding.image.uid == uid)
      #expect(decoding.remarks == [])
    }
  }

  // MARK: MIFARE Classic

  private static let trailer = "FF FF FF FF FF FF FF 07 80 69 FF FF FF FF FF FF"
  private static let zeros = Array(repeating: "00", count: 16).joined(separator: " ")

  /// Flipper Zero counts a block that is too short as not read, and keeps complete parts of a trailer.
  @Test func aShortBlockIsUnread() throws {
    var blocks = (0..<64).map { $0 % 4 == 3 ? Self.trailer : Self.zeros }
    blocks[0] = "BA E2 7C 9D B9 08 04 00 62 63 64 65 66 67 68 69"
    // The last byte of the line has lost a digit.
    blocks[4] = "01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 1"
    blocks[7] = "A0 A1 A2 A3 A4 A5 FF 07 80 69 FF FF"
    blocks[11] = "A0 A1 A2 A3 A4 A5 FF"
    let text = Dialects.flipperClassic(
      oldMaps: nil, type: "1K", uid: [0xBA, 0xE2, 0x7C, 0x9D], blocks: blocks)
    let decoding = try ImageFormat.flipper.decoding(Array(text.utf8))
    let memory = decoding.image.memory
    #expect(memory.unit(4).allSatisfy { $0 == nil })
    #expect(memory.isKnown[112..<128].count { $0 } == 10)
    #expect(memory.known(112..<118) == [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5])
    #expect(memory.isKnown[176..<192].count { $0 } == 6)
    #expect(decoding.remarks.count == 1)
    #expect(decoding.remarks[0].hasPrefix("3 blocks"))
    #expect(decoding.losses == [])
    for wrong in [" 00", " 0"].map({ Self.zeros + $0 }) + ["0G 00"] {
      blocks[4] = wrong
      let file = Dialects.flipperClassic(
        oldMaps: nil, type: "1K", uid: [0xBA, 0xE2, 0x7C, 0x9D], blocks: blocks)
      #expect(throws: ImageError.self) { try ImageFormat.flipper.decode(Array(file.utf8)) }
    }
  }

  // MARK: DESFire

  /// A file whose content was cut off is not taken for one with less content.
  @Test(arguments: [("01 02 03 04", true), ("01 02 03", false), ("01 02 03 04 05", false)])
  func contentHasTheSizeOfItsFile(_ content: String, _ isValid: Bool) throws {
    let bytes = Self.file(
      "Mifare DESFire",
      Self.typeA4 + [
        "PICC Version: 04 01 01 01 00 1A 05 04 01 01 02 01 1A 05 04 51 2C 8A 3D 61 80 CE ED D4 51 80 31 19",
        "Application Count: 1", "Application IDs: 56 34 12", "Application 563412 File IDs: 01",
        "Application 563412 File 1 Type: 00",
        "Application 563412 File 1 Communication Settings: 00",
        "Application 563412 File 1 Access Rights: EE EE", "Application 563412 File 1 Size: 4",
        "Application 563412 File 1: \(content)",
      ])
    guard isValid else {
      let error = #expect(throws: ImageError.self) { try ImageFormat.flipper.decode(bytes) }
      #expect(error?.description.contains("size of 4") == true)
      return
    }
    let file = try ImageFormat.flipper.decode(bytes).desfire?.applications.first?.files?.first
    #expect(file?.data == [1, 2, 3, 4])
  }

  /// A file of a DESFire EV2 may have several sets of access rights.
  @Test(arguments: [("32 E4", true), ("F2 EF E1 EE 21 0F", true), ("32 E4 01", false), ("", false)])
  func keepsAdditionalAccessRights(_ rights: String, _ isValid: Bool) throws {
    let bytes = Self.file(
      "Mifare DESFire",
      Self.typeA4 + [
        "PICC Version: 04 01 01 12 00 1A 05 04 01 01 02 01 1A 05 04 51 2C 8A 3D 61 80 CE ED D4 51 80 31 19",
        "Application Count: 1", "Application IDs: 56 34 12", "Application 563412 File IDs: 01",
        "Application 563412 File 1 Type: 00",
        "Application 563412 File 1 Communication Settings: 00",
        "Application 563412 File 1 Access Rights: \(rights)", "Application 563412 File 1 Size: 4",
      ])
    guard isValid else {
      #expect(throws: ImageError.self) { try ImageFormat.flipper.decode(bytes) }
      return
    }
    let decoding = try ImageFormat.flipper.decoding(bytes)
    let file = try #require(decoding.image.desfire?.applications.first?.files?.first)
    #expect(Dialects.hexadecimal(file.accessRights + file.additionalAccessRights) == rights)
    #expect(file.accessRights.count == 2)
    #expect(decoding.losses == [])
    let again = try ImageFormat.flipper.encode(decoding.image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == decoding.image)
  }
}
