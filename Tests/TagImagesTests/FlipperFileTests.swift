import TagImages
import Testing

/// `.nfc` files as Flipper Zero writes them.
@Suite struct FlipperFileTests {
  @Test(arguments: Dialects.Flipper.allCases, ["\n", "\r\n"])
  func readsEveryVersion(_ dialect: Dialects.Flipper, _ lineEnd: String) throws {
    let tag = Dialects.NTAG215()
    let text = Dialects.flipper(
      dialect, chip: "NTAG215", uid: tag.uid, pages: tag.pages, signature: tag.signature,
      version: tag.version, counters: [0, 0, 47])
    let mark = lineEnd == "\n" ? "" : "\u{FEFF}"
    let image = try ImageFormat.flipper.decode(
      Array((mark + text.split(separator: "\n").joined(separator: lineEnd)).utf8))
    #expect(image.kind == .type2)
    #expect(image.type2Chip?.name == "NTAG215")
    #expect(image.uid == tag.uid)
    #expect(image.atqa == [0x00, 0x44])
    #expect(image.sak == 0x00)
    #expect(image.version == tag.version)
    #expect(image.signature == tag.signature)
    #expect(image.counters == [nil, nil, .init(value: 47)])
    #expect(image.memory.unitCount == 135)
    #expect(image.memory.unit(4) == tag.pages[4].map { Optional($0) })
    // A password that reads as zeros is unknown, and so is its acknowledge. The bytes after it are zeros.
    #expect(image.memory.unit(133) == [nil, nil, nil, nil])
    #expect(image.memory.unit(134) == [nil, nil, 0, 0])
  }

  @Test func pagesThatWereNotReadAreUnknown() throws {
    let tag = Dialects.NTAG215()
    let text = Dialects.flipper(
      .version4, chip: "NTAG215", uid: tag.uid, pages: tag.pages, read: 100,
      signature: tag.signature, version: tag.version)
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.memory.unit(99).allSatisfy { $0 != nil })
    #expect(image.memory.unit(100) == [nil, nil, nil, nil])
    let written = try ImageFormat.flipper.encode(image)
    #expect(String(decoding: written.bytes, as: UTF8.self).contains("Pages read: 100\n"))
    #expect(written.losses == [])
    #expect(try ImageFormat.flipper.decode(written.bytes) == image)
    // If the format has no mark for unknown bytes, the loss is reported.
    let plain = try ImageFormat.binary.encode(image)
    #expect(plain.bytes.count == 540)
    #expect(plain.losses == ["version", "signature", "which bytes are unknown"])
  }

  /// The written file contains the keys that the firmware reads, in its order.
  @Test func writesWhatTheFirmwareReads() throws {
    let tag = Dialects.NTAG215()
    let text = Dialects.flipper(
      .version4, chip: "NTAG215", uid: tag.uid, pages: tag.pages, signature: tag.signature,
      version: tag.version, counters: [0, 0, 47])
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    let written = try ImageFormat.flipper.encode(image).bytes
    let expected = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(String(decoding: written, as: UTF8.self).split(separator: "\n") == expected)
  }

  @Test(arguments: [
    ("Mifare Ultralight", 16, "MIFARE Ultralight"),
    ("Mifare Ultralight 11", 20, "MIFARE Ultralight EV1"),
    ("NTAG203", 42, "NTAG203"), ("NTAG216", 231, "NTAG216"),
    ("Mifare Ultralight C", 48, "MIFARE Ultralight C"),
  ])
  func recognizesChipsByName(_ chip: String, _ pageCount: Int, _ product: String) throws {
    let tag = Dialects.NTAG215()
    var pages = Array(tag.pages.prefix(3)) + [[0, 0, 0, 0]]
    while pages.count < pageCount { pages.append([0, 0, 0, 0]) }
    for dialect in Dialects.Flipper.allCases {
      let text = Dialects.flipper(
        dialect, chip: chip, uid: tag.uid, pages: pages,
        signature: Array(repeating: 0, count: 32), version: Array(repeating: 0, count: 8))
      let image = try ImageFormat.flipper.decode(Array(text.utf8))
      #expect(image.type2Chip?.name == product)
      // Zeros indicate that the chip has none.
      #expect(image.version == nil)
      #expect(image.signature == nil)
      let again = try ImageFormat.flipper.encode(image)
      #expect(
        String(decoding: again.bytes, as: UTF8.self).contains("NTAG/Ultralight type: \(chip)\n"))
    }
  }

  // MARK: MIFARE Classic

  private static let trailer = "FF FF FF FF FF FF FF 07 80 69 FF FF FF FF FF FF"
  private static let zeros = Array(repeating: "00", count: 16).joined(separator: " ")
  private static let unknown = Array(repeating: "??", count: 16).joined(separator: " ")

  @Test func unknownBytesOfAClassicStayUnknown() throws {
    var blocks = (0..<64).map { $0 % 4 == 3 ? Self.trailer : Self.zeros }
    blocks[0] = "BA E2 7C 9D B9 08 04 00 62 63 64 65 66 67 68 69"
    // Key B of sector 1 is unknown, sector 2 is unread.
    blocks[7] = "A0 A1 A2 A3 A4 A5 78 77 88 C1 ?? ?? ?? ?? ?? ??"
    for block in 8..<12 { blocks[block] = Self.unknown }
    let text = Dialects.flipperClassic(
      oldMaps: nil, type: "1K", uid: [0xBA, 0xE2, 0x7C, 0x9D], blocks: blocks)
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.kind == .classic)
    #expect(image.memory.unit(7).prefix(10).allSatisfy { $0 != nil })
    #expect(image.memory.unit(7).suffix(6).allSatisfy { $0 == nil })
    #expect(image.memory.known(8 * 16..<12 * 16) == nil)
    for format in [ImageFormat.flipper, .mifareClassicTool] {
      let encoding = try format.encode(image)
      #expect(encoding.losses == [])
      #expect(try format.decode(encoding.bytes) == image)
    }
    // nfc-mfclassic writes the known key in place of the other.
    let plain = try ImageFormat.binary.encode(image)
    #expect(plain.losses == ["which bytes are unknown"])
    #expect(Array(plain.bytes[122..<128]) == [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5])
    #expect(plain.bytes[128..<192].allSatisfy { $0 == 0 })
  }

  /// Data version 1: the maps indicate the known keys.
  @Test func oldFilesHaveMapsOfKeys() throws {
    let blocks = (0..<64).map { $0 % 4 == 3 ? Self.trailer : Self.zeros }
    let text = Dialects.flipperClassic(
      oldMaps: (
        a: [0, 0, 0, 0, 0, 0, 0xFF, 0xFE], b: [0, 0, 0, 0, 0, 0, 0x7F, 0xFE]
      ), type: "1K", uid: [0xBA, 0xE2, 0x7C, 0x9D], blocks: blocks)
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.memory.known(0..<64) == nil)
    #expect(image.memory.known(64..<128) != nil)
    // Sector 15: key A only.
    #expect(image.memory.known(63 * 16..<63 * 16 + 6) == Array(repeating: 0xFF, count: 6))
    #expect(image.memory.known(63 * 16 + 10..<64 * 16) == nil)
  }

  // MARK: Others

  @Test func readsASLIX() throws {
    let content = (0..<320).map { UInt8($0 & 0xFF) }
    let locks = (0..<80).map { UInt8($0 == 3 ? 1 : 0) }
    let text = """
      Filetype: Flipper NFC device
      Version: 4
      # Device type can be ISO14443-3A, ISO14443-3B, ISO14443-4A
      Device type: SLIX
      UID: E0 04 01 08 49 D0 DC 81
      # ISO15693-3 specific data
      DSFID: 01
      AFI: 3D
      IC Reference: 01
      Lock DSFID: true
      Lock AFI: false
      Block Count: 80
      Block Size: 04
      Data Content: \(Dialects.hexadecimal(content))
      Security Status: \(Dialects.hexadecimal(locks))
      # SLIX specific data
      Capabilities: Default
      Password Read: 00 00 00 00
      Password Privacy: 0F 0F 0F 0F
      Signature: \(Dialects.hexadecimal((1...32).map { UInt8($0) }))
      Privacy Mode: false
      Protection Pointer: 32
      Protection Condition: 02
      Lock EAS: true
      Lock PPL: true
      """
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.kind == .iso15693)
    #expect(image.uid == [0xE0, 0x04, 0x01, 0x08, 0x49, 0xD0, 0xDC, 0x81])
    #expect(image.memory.bytes == content)
    #expect(image.vicinity?.dsfid == 0x01)
    #expect(image.vicinity?.afi == 0x3D)
    #expect(image.vicinity?.isDSFIDLocked == true)
    #expect(image.vicinity?.isAFILocked == false)
    #expect(image.vicinity?.lockedBlocks?.firstIndex(of: true) == 3)
    #expect(image.vicinity?.passwords[.read] == [0, 0, 0, 0])
    #expect(image.vicinity?.passwords[.write] == nil)
    #expect(image.vicinity?.protectionPointer == 0x32)
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
    // Proxmark3's format holds the locks, but only the privacy password.
    #expect(
      try ImageFormat.proxmark.encode(image).losses == ["signature", "passwords", "protection"])
  }

  /// A tag reports which blocks are locked, but most do not report it of AFI and DSFID. A file that has the locks of
  /// blocks needs both lines, which have no third value (lib/nfc/protocols/iso15693_3/iso15693_3.c).
  @Test func saysThatLocksOfIdentifiersAreUnknown() throws {
    var image = TagImage(.iso15693, unitSize: 4, bytes: [1, 2, 3, 4, 5, 6, 7, 8])
    image.uid = [0xE0, 0x04, 0x01, 0x08, 0x49, 0xD0, 0xDC, 0x81]
    var details = TagImage.Vicinity()
    details.lockedBlocks = [true, false]
    image.vicinity = details
    let remark = "whether AFI and DSFID are locked"
    #expect(try ImageFormat.flipper.encode(image).losses == [remark])
    image.vicinity?.isAFILocked = false
    #expect(try ImageFormat.flipper.encode(image).losses == [remark])
    image.vicinity?.isDSFIDLocked = true
    #expect(try ImageFormat.flipper.encode(image).losses == [])
  }

  /// What Flipper Zero emulates (lib/nfc/protocols/slix/slix.c).
  @Test(arguments: [("Default", false), ("AcceptAllPasswords", true)])
  func keepsTheCapabilitiesOfASLIX(_ text: String, _ value: Bool) throws {
    func file(_ capabilities: String) -> [UInt8] {
      Array(
        """
        Filetype: Flipper NFC device
        Version: 4
        Device type: SLIX
        UID: E0 04 01 08 49 D0 DC 81
        Block Count: 2
        Block Size: 04
        Data Content: 01 02 03 04 05 06 07 08
        Capabilities: \(capabilities)
        """.utf8)
    }
    let image = try ImageFormat.flipper.decode(file(text))
    #expect(image.vicinity?.acceptsAllPasswords == value)
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses.isEmpty)
    #expect(String(decoding: again.bytes, as: UTF8.self).contains("Capabilities: \(text)\n"))
    let lost = try ImageFormat.proxmark.encode(image).losses
    #expect(lost.contains("capabilities for emulation") == value)
    let error = #expect(throws: ImageError.self) { try ImageFormat.flipper.decode(file("Other")) }
    #expect(error?.place == .line(8))
  }

  /// Before DSFID and AFI had their own lines for locks, their locks preceded those of the blocks.
  @Test func oldVicinityFilesHaveOneByteMore() throws {
    let text = """
      Filetype: Flipper NFC device
      Version: 3
      Device type: ISO15693
      UID: E0 02 23 00 1F 90 4A 38
      DSFID: 00
      AFI: 00
      IC Reference: 23
      Block Count: 2
      Block Size: 04
      Data Content: 01 02 03 04 05 06 07 08
      Security Status: 02 00 01
      """
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.vicinity?.isDSFIDLocked == false)
    #expect(image.vicinity?.isAFILocked == true)
    #expect(image.vicinity?.lockedBlocks == [false, true])
  }

  @Test func readsAFeliCaLite() throws {
    var blocks = (0..<28).map { _ in "00 00 " + Self.zeros }
    blocks[1] = "00 00 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"
    blocks[18] = "00 00 29 9F FA 53 AB 75 87 6E 00 F1 00 00 00 01 43 00"
    // The card has refused it.
    blocks[2] = "01 B1 " + Self.zeros
    let text =
      """
      Filetype: Flipper NFC device
      Version: 4
      Device type: FeliCa
      UID: 29 9F FA 53 AB 75 87 6E
      # FeliCa specific data
      Data format version: 1
      Manufacture id: 29 9F FA 53 AB 75 87 6E
      Manufacture parameter: 00 F1 00 00 00 01 43 00
      Blocks total: 28
      Blocks read: 27

      """ + blocks.enumerated().map { "Block \($0.offset): \($0.element)\n" }.joined()
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.kind == .feliCaLite)
    #expect(try ImageFormat.flipper.decoding(Array(text.utf8)).remarks == [])
    let other = text.replacing("Manufacture id: 29", with: "Manufacture id: 2A")
    #expect(
      try ImageFormat.flipper.decoding(Array(other.utf8)).remarks == [
        "the UID 299FFA53AB75876E is used; the file also has 2A9FFA53AB75876E as \"Manufacture id\""
      ])
    #expect(image.feliCaLiteBlock(1)?.last == 0xFF)
    #expect(image.feliCaLiteBlock(2) == nil)
    // RC and CK are zeros on every card.
    #expect(image.feliCaLiteBlock(0x87) == nil)
    #expect(image.feliCa?.pmm == [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00])
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
    let plain = try ImageFormat.binary.encode(image)
    #expect(plain.bytes.count == 240)
    #expect(plain.losses.first == "IDm")
  }

  @Test func readsFeliCaServices() throws {
    let text = """
      Filetype: Flipper NFC device
      Version: 4
      Device type: FeliCa
      # UID is common for all formats
      UID: 01 12 34 56 78 9A BC DE
      Data format version: 2
      Manufacture id: 01 12 34 56 78 9A BC DE
      Manufacture parameter: 0B 0B 08 20 20 20 FF FF
      IC Type: FeliCa Standard RC-S9X4, Japan Transit IC

      # Felica Standard specific data
      System found: 2


      System 00: 0003 | Key version 0001 |

      Area found: 1
      Area 000: | Code 0000 | End FFFE | Services #000-#001 | Key version 0002 |

      Service found: 2
      Service 000: | Code 0009 | Attrib. 09 | Public  | Random | Read/Write |
      Service 001: | Code 000B | Attrib. 0B | Public  | Random | Read Only  |

      Directory Tree: 
      +++ ... are public services
      ||| ... are private services
      +
      ++- AREA_0000/
      +   +++ serv_000B

      Public blocks read: 2
      Block 0000: | Service code 0009 | Block index 00 | Data: 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 |
      Block 0001: | Service code 000B | Block index 01 | Data: A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF B0 |

      System 01: FE00
      Service found: 0
      Public blocks read: 0
      """
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.kind == .feliCa)
    let systems = try #require(image.feliCa?.systems)
    #expect(systems.map(\.code) == [0x0003, 0xFE00])
    #expect(systems[0].areas == [.init(code: 0, end: 0xFFFE)])
    #expect(systems[0].services == [0x0009, 0x000B])
    #expect(systems[0].blocks.map(\.number) == [0, 1])
    #expect(systems[0].blocks[1].data.first == 0xA1)
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
  }

  @Test(arguments: ["563412", "563abc"]) func readsADESFire(_ application: String) throws {
    let text = """
      Filetype: Flipper NFC device
      Version: 4
      Device type: Mifare DESFire
      UID: 04 2F 19 0A CD 66 80
      ATQA: 03 44
      SAK: 20
      T0: 75
      TA(1): 77
      TB(1): 81
      TC(1): 02
      T1...Tk: 80
      PICC Version: 04 01 01 12 00 1A 05 04 01 01 02 01 1A 05 04 2F 19 0A CD 66 80 CE ED D4 51 80 31 19
      PICC Free Memory: 7520
      PICC Change Key ID: 00
      PICC Config Changeable: true
      PICC Free Create Delete: true
      PICC Free Directory List: true
      PICC Key Changeable: true
      PICC Flags: 00
      PICC Max Keys: 01
      PICC Key 0 Version: 00
      Application Count: 1
      Application IDs: \(application)
      Application \(application) Change Key ID: 00
      Application \(application) Config Changeable: true
      Application \(application) Free Create Delete: false
      Application \(application) Free Directory List: true
      Application \(application) Key Changeable: true
      Application \(application) Flags: 08
      Application \(application) Max Keys: 02
      Application \(application) Key 0 Version: 00
      Application \(application) Key 1 Version: 01
      Application \(application) File IDs: 01 02 0A
      Application \(application) File 1 Type: 00
      Application \(application) File 1 Communication Settings: 00
      Application \(application) File 1 Access Rights: EE EE
      Application \(application) File 1 Size: 4
      Application \(application) File 1: 13 37 00 00
      Application \(application) File 2 Type: 02
      Application \(application) File 2 Communication Settings: 03
      Application \(application) File 2 Access Rights: 10 32
      Application \(application) File 2 Hi Limit: 1000
      Application \(application) File 2 Lo Limit: 0
      Application \(application) File 2 Limited Credit Value: 0
      Application \(application) File 2 Limited Credit Enabled: true
      Application \(application) File 10 Type: 04
      Application \(application) File 10 Communication Settings: 01
      Application \(application) File 10 Access Rights: EE 0E
      Application \(application) File 10 Size: 16
      Application \(application) File 10 Max: 5
      Application \(application) File 10 Cur: 2
      """
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.ats == [0x06, 0x75, 0x77, 0x81, 0x02, 0x80])
    #expect(image.atqa == [0x03, 0x44])
    let files = try #require(image.desfire?.applications.first?.files)
    #expect(files.map(\.number) == [1, 2, 10])
    #expect(files[0].data == [0x13, 0x37, 0x00, 0x00])
    #expect(files[1].data == nil)
    #expect(files[2].settings == .records(size: 16, maximum: 5, count: 2))
    #expect(image.desfire?.applications.first?.keySettings?.bytes == [0x0B, 0x82])
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
  }

  @Test func readsWhatHasNoMemory() throws {
    let a = try ImageFormat.flipper.decode(
      Array(
        """
        Filetype: Flipper NFC device
        Version: 2
        Device type: UID
        UID: 04 48 6A 32 33 58 80
        ATQA: 44 00
        SAK: 00
        """.utf8))
    #expect(a.kind == .iso14443a)
    #expect(a.atqa == [0x00, 0x44])
    let b = try ImageFormat.flipper.decode(
      Array(
        """
        Filetype: Flipper NFC device
        Version: 4
        Device type: ISO14443-4B
        UID: 01 02 03 04
        Application data: 05 06 07 08
        Protocol info: 77 81 81
        """.utf8))
    #expect(b.kind == .iso14443b)
    #expect(b.protocolInfo == [0x77, 0x81, 0x81])
    for image in [a, b] {
      let again = try ImageFormat.flipper.encode(image)
      #expect(again.losses == [])
      #expect(try ImageFormat.flipper.decode(again.bytes) == image)
      #expect(throws: ImageError.self) { try ImageFormat.binary.encode(image) }
    }
  }

  /// Device types that development versions of the firmware and its forks have added.
  @Test func readsNewerDeviceTypes() throws {
    func decode(_ device: String, _ lines: [String]) throws -> TagImage {
      let head = ["Filetype: Flipper NFC device", "Version: 4", "Device type: \(device)"]
      return try ImageFormat.flipper.decode(
        Array(((head + lines).joined(separator: "\n") + "\n").utf8))
    }
    let typeA = [
      "UID: 04 51 2C 8A 3D 61 80", "ATQA: 03 44", "SAK: 20", "T0: 77", "TA(1): 77", "TB(1): 71",
      "TC(1): 02",
    ]
    for (device, more) in [
      ("NTAG4xx", "PICC Version: 04 04 02 30 00 11 05"), ("EMV", "PAN length: 8"),
    ] {
      let image = try decode(device, typeA + [more])
      #expect(image.kind == .iso14443a)
      #expect(image.uid == [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, 0x80])
      #expect(image.sak == 0x20)
    }
    let card = try decode(
      "Innovatron",
      ["UID: 1C 8A 52 F7", "VerLog: 82", "Config: 40", "ATR Length: 3", "ATR: 3B 6F 00"])
    #expect(card.kind == .bPrime)
    #expect(card.protocolInfo == [0x82, 0x40])
    #expect(card.answerToReset == [0x3B, 0x6F, 0x00])
    for count in [16, 32] {
      let ticket = try decode(
        "ASK CTx",
        [
          "UID: 02 60 08 28", "ASK CTx Type: \(count == 16 ? "CTS256B" : "CTS512B")",
          "Product Code: \(count == 16 ? 50 : 60)", "Fab Code: 1C",
        ] + (0..<count).map { "Block \($0): 12 34" })
      #expect(ticket.kind == .ctx)
      #expect(ticket.protocolInfo?.last == 0x1C)
      #expect(ticket.memory.isKnown.filter { $0 }.count == 2 * count)
    }
    #expect(throws: ImageError.self) {
      try decode("ASK CTx", ["UID: 02 60 08 28"] + (0..<8).map { "Block \($0): 12 34" })
    }
  }
}
