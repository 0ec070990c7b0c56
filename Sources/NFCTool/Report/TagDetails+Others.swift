import JSONText
import NFC

/// Details of a FeliCa card.
extension TagDetails {
  mutating func ask(
    _ tag: any FeliCaTag, _ product: TagProduct?, _ listsMemory: Bool
  ) async throws {
    let detected = DetectedTag.feliCa(tag)
    if let card = try await answer(detected, { try await FeliCaCard(tag, product) }) {
      facts += card.rows(tag)
      members += card.members(tag)
    }
    guard let lite = tag.lite else { return }
    if let configuration = try await answer(detected, { try await lite.memoryConfiguration() }) {
      let locked = FeliCaLiteMemoryConfiguration.blocks.filter {
        !configuration.writableBlocks.contains($0)
      }
      lockedBlocks = locked
      add(configuration)
    }
    guard listsMemory,
      let content = try await answer(
        detected, { try await MemoryTag.feliCaLite(tag).read(TagKeys(), password: nil) })
    else { return }
    memory = MemoryListing(content.image, locked: lockedBlocks ?? [])
  }

  private mutating func add(_ configuration: FeliCaLiteMemoryConfiguration) {
    let keyed = configuration.readRestrictedBlocks.union(configuration.writeRestrictedBlocks)
    if !keyed.isEmpty {
      facts.append(("needs the card key", "blocks \(NumberList.text(keyed.sorted()))"))
    }
    facts.append(
      (
        "system blocks",
        configuration.systemBlocksAreWritable
          ? "can be written: the key can still be changed" : "permanently closed"
      ))
  }
}

/// Details of cards with known applications, which are recognized by their names. No data of the applications
/// is read.
extension TagDetails {
  mutating func askApplications(_ card: any ISO7816Tag) async throws {
    let found = try await KnownApplication.all(on: card)
    for application in found { facts.append(("application", application.name)) }
    if !found.isEmpty {
      members.append(
        JSONValue.Member(
          key: "applications",
          value: .array(
            found.map { .members(["aid": .string("\($0.aid)"), "name": .string($0.name)]) })))
    }
  }
}

/// Details of a MIFARE DESFire that are available without a key (MF3D(H)x3 data sheet, 9).
extension TagDetails {
  private enum DESFire {
    static let getApplicationIDs: UInt8 = 0x6A
    static let freeMemory: UInt8 = 0x6E
    static let selectApplication: UInt8 = 0x5A
    static let getFileIDs: UInt8 = 0x6F
    static let getFileSettings: UInt8 = 0xF5
    static let getKeySettings: UInt8 = 0x45
    static let getVersion: UInt8 = 0x60
    /// The size of the version: hardware and software with 7 bytes each, UID, batch, and the week and year of
    /// production.
    static let versionSize = 28
    static let additionalFrame: UInt8 = 0xAF
    static let done: UInt8 = 0x00
    /// The maximum number of frames in an answer. No answer needs more.
    static let maximumFrames = 32

    static func kind(_ number: UInt8) -> String {
      switch number {
      case 0: "data"
      case 1: "backup data"
      case 2: "value"
      case 3: "linear records"
      case 4: "cyclic records"
      case 5: "transaction MAC"
      default: "unknown kind \(number)"
      }
    }
  }

  mutating func askDESFire(_ tag: any MiFareTag) async throws {
    if let bytes = try await send(tag, DESFire.getVersion), bytes.count == DESFire.versionSize {
      add(version: bytes)
    }
    // The command for the signature may have selected another application.
    guard try await send(tag, DESFire.selectApplication, [0, 0, 0]) != nil else { return }
    if let free = try await send(tag, DESFire.freeMemory), free.count == 3 {
      let size = free.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
      facts.append(("free memory", "\(size) bytes"))
      members.append(JSONValue.Member(key: "freeMemory", value: .integer(size)))
    }
    if let settings = try await send(tag, DESFire.getKeySettings), settings.count == 2 {
      facts.append(("card keys", Self.words(settings)))
    }
    guard let list = try await send(tag, DESFire.getApplicationIDs) else {
      facts.append(("applications", "listed only with a key"))
      return
    }
    var applications: [JSONValue] = []
    for offset in stride(from: 0, to: list.count - list.count % 3, by: 3) {
      applications.append(try await application(tag, Array(list[offset..<offset + 3])))
    }
    if applications.isEmpty { facts.append(("applications", "none")) }
    members.append(JSONValue.Member(key: "applications", value: .array(applications)))
  }

  /// Adds the version. Week and year are decimal digits in hexadecimal.
  private mutating func add(version bytes: [UInt8]) {
    version = bytes
    facts.append(("hardware", "version \(bytes[3]).\(bytes[4])"))
    facts.append(("software", "version \(bytes[10]).\(bytes[11])"))
    let (week, year) = ([bytes[26]].hexadecimal, [bytes[27]].hexadecimal)
    guard let number = Int(week), (1...53).contains(number), Int(year) != nil else { return }
    facts.append(("made", "week \(number) of 20\(year)"))
  }

  private mutating func application(_ tag: any MiFareTag, _ bytes: [UInt8]) async throws
    -> JSONValue
  {
    let name = Array(bytes.reversed()).hexadecimal
    var files: [JSONValue] = []
    var keys: String?
    var words: [String] = []
    if try await send(tag, DESFire.selectApplication, bytes) != nil {
      if let settings = try await send(tag, DESFire.getKeySettings), settings.count == 2 {
        keys = Self.words(settings)
      }
      for file in try await send(tag, DESFire.getFileIDs) ?? [] {
        let settings = try await send(tag, DESFire.getFileSettings, [file])
        let kind = settings?.first.map(DESFire.kind)
        let size = settings.flatMap(Self.size)
        files.append(
          .members([
            "file": .integer(file), "kind": kind.map { .string($0) },
            "size": size.map { .integer($0) },
          ]))
        let more = [kind, size.map { "\($0) bytes" }].compactMap(\.self)
        words.append("file \(file)" + (more.isEmpty ? "" : " (\(more.joined(separator: ", ")))"))
      }
      _ = try await send(tag, DESFire.selectApplication, [0, 0, 0])
    }
    let text = (keys.map { [$0] } ?? []) + words
    facts.append(("application \(name)", text.isEmpty ? "" : text.joined(separator: "; ")))
    return .members([
      "aid": .string(name), "keys": keys.map { .string($0) },
      "files": files.isEmpty ? nil : .array(files),
    ])
  }

  /// Returns the size of a data file, which is in bytes 4 to 6 of its settings.
  private static func size(_ settings: [UInt8]) -> Int? {
    guard let kind = settings.first, kind < 2, settings.count >= 7 else { return nil }
    return Int(settings[4]) | Int(settings[5]) << 8 | Int(settings[6]) << 16
  }

  private static func words(_ settings: [UInt8]) -> String {
    let cryptography = ["DES", "3K3DES", "AES", "unknown"][Int(settings[1] >> 6)]
    let count = settings[1] & 0x0F
    return "\(count) key\(count == 1 ? "" : "s") (\(cryptography))"
      + (settings[0] & 1 == 0 ? ", the master key cannot be changed" : "")
  }

  /// Returns the data of all frames of an answer, or `nil` if the card refuses the command.
  private func send(
    _ tag: any MiFareTag, _ command: UInt8, _ data: [UInt8] = []
  ) async throws -> [UInt8]? {
    var result: [UInt8] = []
    var next = [command] + data
    for _ in 0..<DESFire.maximumFrames {
      guard
        let frame = try await answer(.miFare(tag), { try await tag.sendMiFareCommand(next) }),
        let status = frame.first
      else { return nil }
      result += frame.dropFirst()
      guard status == DESFire.additionalFrame else { return status == DESFire.done ? result : nil }
      next = [DESFire.additionalFrame]
    }
    return nil
  }
}
