import TagImages

/// Files in the form that other programs write, reconstructed from their sources and samples: the keys,
/// their order and spelling, for each version.
enum Dialects {
  /// The firmware version that has written a file.
  enum Flipper: CaseIterable {
    /// Version 2 of the file: ATQA least significant byte first, the chip as device type, no version of the data.
    case version2
    /// Version 3: ATQA most significant byte first; data version 1, with the number of pages that were read.
    case version3
    /// Version 4: the protocol as device type; data version 2.
    case version4
  }

  static func hexadecimal(_ bytes: [UInt8], _ separator: String = " ") -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: separator)
  }

  /// An Ultralight or NTAG.
  static func flipper(
    _ dialect: Flipper, chip: String, uid: [UInt8], pages: [[UInt8]], read: Int? = nil,
    signature: [UInt8], version: [UInt8], counters: [Int] = [0, 0, 0],
    tearing: [UInt8] = [0, 0, 0]
  ) -> String {
    var lines = ["Filetype: Flipper NFC device"]
    switch dialect {
    case .version2: lines += ["Version: 2"]
    case .version3: lines += ["Version: 3"]
    case .version4: lines += ["Version: 4"]
    }
    lines += [
      "# Nfc device type can be UID, Mifare Ultralight, Mifare Classic",
      "Device type: \(dialect == .version4 ? "NTAG/Ultralight" : chip)",
      "# UID, ATQA and SAK are common for all formats", "UID: \(hexadecimal(uid))",
      "ATQA: \(dialect == .version2 ? "44 00" : "00 44")", "SAK: 00",
      "# Mifare Ultralight specific data",
    ]
    switch dialect {
    case .version2: break
    case .version3: lines += ["Data format version: 1"]
    case .version4: lines += ["Data format version: 2", "NTAG/Ultralight type: \(chip)"]
    }
    lines += ["Signature: \(hexadecimal(signature))", "Mifare version: \(hexadecimal(version))"]
    for index in 0..<3 {
      lines += [
        "Counter \(index): \(counters[index])",
        "Tearing \(index): \(hexadecimal([tearing[index]]))",
      ]
    }
    lines += ["Pages total: \(pages.count)"]
    if dialect != .version2 { lines += ["Pages read: \(read ?? pages.count)"] }
    lines += pages.enumerated().map { "Page \($0.offset): \(hexadecimal($0.element))" }
    if dialect != .version2 { lines += ["Failed authentication attempts: 0"] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The contents of a tag's files.
  struct NTAG215 {
    let uid: [UInt8] = [0x04, 0x85, 0x90, 0x54, 0x12, 0x98, 0x23]
    let version: [UInt8] = [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03]
    let signature: [UInt8] = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    var pages: [[UInt8]]

    init() {
      let bcc0 = uid[0..<3].reduce(0x88, ^)
      let bcc1 = uid[3..<7].reduce(0, ^)
      pages = [
        Array(uid[0..<3]) + [bcc0], Array(uid[3..<7]), [bcc1, 0x48, 0x00, 0x00],
        [0xE1, 0x10, 0x3E, 0x00],
      ]
      for page in 4..<130 { pages.append((0..<4).map { UInt8((page * 5 + $0) & 0xFF) }) }
      pages += [
        [0x00, 0x00, 0x00, 0xBD], [0x04, 0x00, 0x00, 0xFF], [0x00, 0x05, 0x00, 0x00],
        [0x00, 0x00, 0x00, 0x00], [0x00, 0x00, 0x00, 0x00],
      ]
    }
  }

  /// A MIFARE Classic. The old data version has maps of keys, and zeros for unknown bytes.
  static func flipperClassic(
    oldMaps: (a: [UInt8], b: [UInt8])?, type: String, uid: [UInt8], blocks: [String]
  ) -> String {
    var lines = [
      "Filetype: Flipper NFC device", "Version: \(oldMaps == nil ? 4 : 3)",
      "Device type: Mifare Classic", "UID: \(hexadecimal(uid))",
      "ATQA: 00 \(type == "4K" ? "02" : "04")", "SAK: \(type == "4K" ? "18" : "08")",
      "# Mifare Classic specific data", "Mifare Classic type: \(type)",
    ]
    if let oldMaps {
      lines += [
        "Data format version: 1", "# Key map is the bit mask indicating valid key in each sector",
        "Key A map: \(hexadecimal(oldMaps.a))", "Key B map: \(hexadecimal(oldMaps.b))",
      ]
    } else {
      lines += ["Data format version: 2"]
    }
    lines += ["# Mifare Classic blocks, '??' means unknown data"]
    lines += blocks.enumerated().map { "Block \($0.offset): \($0.element)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a file as jansson writes it with an indent of two.
  static func proxmark(_ type: String, card: [(String, String)], blocks: [String]) -> String {
    let members = card.map { "    \"\($0.0)\": \"\($0.1)\"" }.joined(separator: ",\n")
    let lines = blocks.enumerated().map { "    \"\($0.offset)\": \"\($0.element)\"" }
      .joined(separator: ",\n")
    return """
      {
        "Created": "proxmark3",
        "FileType": "\(type)",
        "Card": {
      \(members)
        },
        "blocks": {
      \(lines)
        }
      }
      """
  }
}
