import SwiftNFCChipBook

/// `.nfc` of Flipper Zero: lines with a key, a colon and a value
/// (flipperdevices/flipperzero-firmware, lib/flipper_format and
/// documentation/file_formats/NfcFileFormats.md). Flipper Zero reads the keys in the order in which
/// it writes them.
enum FlipperFile {
  static let fileType = "Flipper NFC device"
  static let version = 4
  /// Earlier versions have ATQA least significant byte first; from version 4 on, the device type is
  /// the protocol.
  static let firstVersionWithATQA = 3
  static let firstVersionOfProtocols = 4
  /// Version 1 of Ultralight and Classic data has neither the chip's name nor unknown bytes.
  static let type2Version = 2
  static let classicVersion = 2
  /// Version 1 of FeliCa data is that of FeliCa Lite in all firmware; 2 has systems and services. Unleashed
  /// Firmware, a fork, writes the same as version 3 (Felica_Standard_v3.nfc of its unit tests).
  static let feliCaLiteVersion = 1
  static let feliCaVersion = 2
  static let newestFeliCaVersion = 3

  enum DeviceType {
    static let type2 = "NTAG/Ultralight"
    static let classic = "Mifare Classic"
    static let desfire = "Mifare DESFire"
    static let vicinity = "ISO15693-3"
    static let slix = "SLIX"
    static let feliCa = "FeliCa"
    static let st25tb = "ST25TB"
    static let typeA3 = "ISO14443-3A"
    static let typeA4 = "ISO14443-4A"
    /// The device type since firmware 1.4.
    static let type4 = "Type 4 Tag"
    /// NTAG 413 and 424 DNA: only the identity and the version.
    static let ntag4xx = "NTAG4xx"
    /// Bank cards of Unleashed Firmware, a fork.
    static let emv = "EMV"
    static let typeB3 = "ISO14443-3B"
    static let typeB4 = "ISO14443-4B"
    static let plus = "Mifare Plus"
    /// The device type of type A in versions 2 and 3.
    static let uid = "UID"
    static let bankCard = "Bank card"
    /// The type of Calypso's protocol B' (lib/nfc/protocols/innovatron/innovatron.c).
    static let innovatron = "Innovatron"
    static let ctx = "ASK CTx"
    // These types exist only in this package.
    static let barcode = "NFC Barcode"
    static let bPrime = "Calypso B'"
    static let vicinityBefore4 = "ISO15693"
  }

  /// The key of the version of an NTAG 4xx, a MIFARE Plus and a MIFARE DESFire.
  static let piccVersionKey = "PICC Version"

  /// The types of MIFARE Classic, by the number of blocks.
  static let classicTypes: [Int: String] = [20: "MINI", 64: "1K", 128: "Plus 2K", 256: "4K"]

  /// Flipper's names of ST25TB and SRI chips, with the number of blocks and the six bits of the UID that identify
  /// them (lib/nfc/protocols/st25tb/st25tb.c).
  static let st25tbTypes: [(name: String, blocks: Int, codes: Set<UInt8>)] = [
    ("512AT", 16, [0x0C]), ("512AC", 16, [0x06]), ("X512", 16, [0x04]), ("2K", 64, [0x0F]),
    ("4K", 128, [0x07]), ("X4K", 128, [0x00, 0x03]),
  ]

  /// Returns the name of an image's chip; for an unknown code, the last one of that size.
  static func st25tbType(_ image: TagImage) -> String? {
    let fitting = st25tbTypes.filter { $0.blocks == image.memory.unitCount }
    let code = image.uid.flatMap { $0.count == 8 ? $0[2] >> 2 : nil }
    return (fitting.first { code.map($0.codes.contains) ?? false } ?? fitting.last)?.name
  }

  static let vicinityPasswords: [(password: TagImage.Vicinity.Password, key: String)] = [
    (.read, "Password Read"), (.write, "Password Write"), (.privacy, "Password Privacy"),
    (.destroy, "Password Destroy"), (.eas, "Password EAS"),
  ]

  /// How Flipper Zero emulates a SLIX (lib/nfc/protocols/slix/slix.c).
  enum Capabilities {
    static let key = "Capabilities"
    static let standard = "Default"
    static let acceptsAllPasswords = "AcceptAllPasswords"
  }

  /// The sizes of the largest memories. For ISO 15693, Flipper Zero's only limit is 16 bits
  /// (lib/nfc/protocols/iso15693_3), so this is the maximum of real chips; for Ultralight and NTAG, it is
  /// the maximum that Flipper Zero loads.
  static let largestVicinityBlockCount = 2048
  private static let largestVicinityBlock = 32
  private static let largestPageCount = 510

  static func objection(to image: TagImage) -> String? {
    let memory = image.memory
    switch image.kind {
    case .topaz, .iClass: return ""
    case .classic:
      guard image.uid != nil else { return "without a UID" }
      return classicTypes[memory.unitCount] == nil ? "of this size" : nil
    case .type2:
      guard image.uid != nil else { return "without a UID" }
      let count = places(of: image).count
      return count > largestPageCount ? "of more than \(largestPageCount) pages" : nil
    case .iso15693:
      guard image.uid != nil else {
        return
          "without a UID, which a file of plain bytes does not have; such a file may also be of another kind of tag"
      }
      return memory.unitCount > largestVicinityBlockCount
        || memory.unitSize > largestVicinityBlock
        ? "of more than \(largestVicinityBlockCount) blocks" : nil
    case .feliCaLite, .feliCa:
      return image.uid == nil || image.feliCa?.pmm == nil ? "without IDm and PMm" : nil
    case .st25tb:
      return image.uid == nil || !st25tbTypes.contains { $0.blocks == memory.unitCount }
        ? "without a UID, or of this size" : nil
    case .barcode:
      return image.memory.isComplete && !image.memory.isEmpty ? nil : "without its code"
    case .desfire, .smartCard, .ctx, .bPrime, .iso14443a, .iso14443b:
      return image.uid == nil ? "without a UID" : nil
    }
  }

  /// Returns the positions of the pages of an NTAG I²C, `nil` for its session registers, which no
  /// image contains; returns `nil` for other chips
  /// (lib/nfc/protocols/mf_ultralight/mf_ultralight.c).
  static func places(_ chip: Type2Chip?) -> [Int?]? {
    guard let chip, chip.hasWiredSide, let areas = chip.pages?.areas else { return nil }
    let sessionRegisters: [Int?] = [nil, nil]
    let last = areas.last { $0.use == .configuration }
    return areas.flatMap { area in
      area.pages.map { Optional($0) } + (area == last ? sessionRegisters : [])
    }
  }

  /// Returns the positions of all pages in a file.
  static func places(of image: TagImage) -> [Int?] {
    let count = image.memory.unitCount
    return places(image.type2Chip)?.map { $0.flatMap { $0 < count ? $0 : nil } }
      ?? (0..<count).map { Optional($0) }
  }

  /// Returns whether a UID belongs to a chip of the SLIX family (ICODE SLIX data sheets; bits 37
  /// and 36 as in lib/nfc/protocols/slix/slix.c).
  static func isSLIX(_ uid: [UInt8]?) -> Bool {
    guard let uid, uid.count == 8, uid[1] == 0x04 else { return false }
    switch uid[2] {
    case 0x01: return [1, 2].contains(uid[3] >> 3 & 0x03)
    case 0x02, 0x03: return true
    default: return false
    }
  }

  // MARK: Lines

  /// A key with its value.
  struct Entry {
    let key: String
    let value: Substring
    let line: Int
  }

  /// The keys whose values were asked for. It is shared by the copies of a reader, because asking does not change the
  /// file.
  private final class Consultation {
    var keys: Set<String> = []
  }

  /// The entries of a file by key. FeliCa systems have keys with the same names, so each system
  /// begins a new part.
  struct Reader {
    private(set) var parts: [[String: Entry]] = [[:]]
    /// The entries in the order of the file.
    private(set) var entries: [Entry] = []
    /// The first entry of each key, in any part.
    private var firstEntries: [String: Entry] = [:]
    let lastLine: Int
    private let consultation = Consultation()

    init(_ bytes: [UInt8]) throws(ImageError) {
      let lines = TextLine.all(bytes)
      lastLine = max(1, lines.last(where: { !$0.trimmed.isEmpty })?.number ?? 1)
      for line in lines {
        let text = line.trimmed
        // FeliCa's directory is drawn with the last three characters.
        guard let first = text.first, !"#+|-".contains(first) else { continue }
        guard let colon = text.firstIndex(of: ":") else {
          throw ImageError("there is no colon after a key", at: .line(line.number))
        }
        let key = String(text[..<colon])
        // The legend of the drawing.
        guard !key.isEmpty else { continue }
        if Self.beginsPart(key) { parts.append([:]) }
        let value = text[text.index(after: colon)...].drop { $0.isWhitespace }
        let entry = Entry(key: key, value: value, line: line.number)
        guard
          parts[parts.count - 1].updateValue(entry, forKey: key) == nil
            || key == FlipperFile.messageKey
        else {
          throw ImageError("\"\(key)\" occurs twice", at: .line(line.number))
        }
        entries.append(entry)
        if firstEntries[key] == nil { firstEntries[key] = entry }
      }
    }

    /// Returns whether a key is like `System 00`, not `System 00 Key` or `System found`.
    static func beginsPart(_ key: String) -> Bool {
      let prefix = "System "
      return key.hasPrefix(prefix) && key.utf8.count == prefix.utf8.count + 2
        && Hexadecimal.bytes(key.dropFirst(prefix.count)) != nil
    }

    /// The entries that nothing has asked for, in the order of the file.
    var ignoredEntries: [Entry] { entries.filter { !consultation.keys.contains($0.key) } }

    /// Records that the value of a key was asked for, or that it has no content of its own.
    func consult(_ key: String) { consultation.keys.insert(key) }

    /// Records that a key was asked for if its value is one of these, which say nothing.
    func consult(_ key: String, ifOneOf plain: [String]) {
      if firstEntries[key].map({ plain.contains(String($0.value)) }) ?? false { consult(key) }
    }

    /// Returns the first entry of a key, in any part.
    func entry(_ key: String) -> Entry? {
      consult(key)
      return firstEntries[key]
    }

    func required(_ key: String) throws(ImageError) -> Entry {
      guard let entry = entry(key) else {
        throw ImageError("the file ends without \"\(key)\"", at: .line(lastLine))
      }
      return entry
    }

    func text(_ key: String) throws(ImageError) -> String { String(try required(key).value) }

    /// - Parameter count: the number of bytes; `nil` for any.
    func bytes(_ entry: Entry, count: Int? = nil) throws(ImageError) -> [UInt8] {
      guard let bytes = Hexadecimal.bytes(entry.value) else {
        throw ImageError("\"\(entry.key)\" is not hexadecimal", at: .line(entry.line))
      }
      guard bytes.count == count ?? bytes.count else {
        throw ImageError(
          "\"\(entry.key)\" has \(bytes.count) bytes, not \(count ?? 0)", at: .line(entry.line))
      }
      return bytes
    }

    func bytes(_ key: String, count: Int? = nil) throws(ImageError) -> [UInt8] {
      try bytes(try required(key), count: count)
    }

    func optionalBytes(_ key: String, count: Int? = nil) throws(ImageError) -> [UInt8]? {
      guard let entry = entry(key) else { return nil }
      return try bytes(entry, count: count)
    }

    func optionalByte(_ key: String) throws(ImageError) -> UInt8? {
      try optionalBytes(key, count: 1)?.first
    }

    func number(_ entry: Entry, in range: ClosedRange<Int>) throws(ImageError) -> Int {
      guard let number = Int(entry.value), range.contains(number) else {
        throw ImageError(
          "\"\(entry.key)\" is not a number from \(range.lowerBound) to \(range.upperBound)",
          at: .line(entry.line))
      }
      return number
    }

    func optionalNumber(
      _ key: String, in range: ClosedRange<Int>
    ) throws(ImageError) -> Int? {
      guard let entry = entry(key) else { return nil }
      return try number(entry, in: range)
    }

    func number(_ key: String, in range: ClosedRange<Int>) throws(ImageError) -> Int {
      try number(try required(key), in: range)
    }

    func optionalBool(_ key: String) throws(ImageError) -> Bool? {
      guard let entry = entry(key) else { return nil }
      switch entry.value {
      case "true": return true
      case "false": return false
      default: throw ImageError("\"\(key)\" is neither true nor false", at: .line(entry.line))
      }
    }
  }

  /// Lines to be written.
  struct Writer {
    private(set) var text = ""

    mutating func line(_ key: String, _ value: String) { text += "\(key): \(value)\n" }
    mutating func line(_ key: String, _ bytes: [UInt8]) {
      line(key, Hexadecimal.text(bytes, separator: " "))
    }
    mutating func line(_ key: String, _ number: Int) { line(key, String(number)) }
    mutating func line(_ key: String, _ value: Bool) { line(key, value ? "true" : "false") }
    mutating func comment(_ text: String) { self.text += "# \(text)\n" }
    mutating func emptyLine() { text += "\n" }
  }
}
