import SwiftNFCJSONText
import NFC
import SecureTags

/// Details of a MIFARE DESFire that are available without a key (MF3D(H)x3 data sheet, 9), and the version, which an
/// NTAG 4xx DNA has, too.
extension TagDetails {
  private enum DESFire {
    static let getApplicationIDs: UInt8 = 0x6A
    static let freeMemory: UInt8 = 0x6E
    static let selectApplication: UInt8 = 0x5A
    static let getFileIDs: UInt8 = 0x6F
    static let getFileSettings: UInt8 = 0xF5
    static let getKeySettings: UInt8 = 0x45
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
    // The command for the signature may have selected another application.
    guard try await send(tag, DESFire.selectApplication, [0, 0, 0]) != nil else { return }
    if let free = try await send(tag, DESFire.freeMemory), free.count == 3 {
      let size = free.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
      facts.append(("free memory", "\(size) bytes"))
      members.append(JSONValue.Member(key: "freeMemory", value: .integer(size)))
    }
    if let keys = try await send(tag, DESFire.getKeySettings).flatMap(Self.words) {
      facts.append(("card keys", keys))
    }
    guard let list = try await send(tag, DESFire.getApplicationIDs) else {
      facts.append(("applications", "listed only with a key"))
      return
    }
    var applications: [JSONValue] = []
    for offset in stride(from: 0, to: list.count - list.count % 3, by: 3) {
      applications.append(try await application(tag, Array(list[offset..<offset + 3])))
    }
    if !applications.isEmpty { _ = try await send(tag, DESFire.selectApplication, [0, 0, 0]) }
    if applications.isEmpty { facts.append(("applications", "none")) }
    members.append(JSONValue.Member(key: "applications", value: .array(applications)))
  }

  /// Adds the version, with its date of production, if it is complete.
  mutating func add(version bytes: [UInt8]?) {
    guard let bytes, let information = try? DESFireVersionInformation(bytes) else { return }
    version = bytes
    facts.append(("hardware", "version \(information.hardware.text)"))
    facts.append(("software", "version \(information.software.text)"))
    guard let week = information.productionWeek, let year = information.productionYear else {
      return
    }
    facts.append(("made", "week \(week) of \(year)"))
  }

  private mutating func application(_ tag: any MiFareTag, _ bytes: [UInt8]) async throws
    -> JSONValue
  {
    let identifier = Array(bytes.reversed()).hexadecimal
    let name = DESFireDirectory.name(identifier)
    var keys: String?
    var files: [(number: UInt8, settings: [UInt8]?)] = []
    if try await send(tag, DESFire.selectApplication, bytes) != nil {
      keys = try await send(tag, DESFire.getKeySettings).flatMap(Self.words)
      for file in try await send(tag, DESFire.getFileIDs) ?? [] {
        files.append((file, try await send(tag, DESFire.getFileSettings, [file])))
      }
    }
    facts.append(
      (
        "application \(identifier)",
        [name, keys ?? "settings only with a key"].compactMap(\.self).joined(separator: ", ")
      ))
    for file in files {
      let settings = file.settings.flatMap { try? DESFireFileSettings($0) }
      facts.append(("  file \(file.number)", settings?.text ?? "settings only with a key"))
    }
    return .members([
      "aid": .string(identifier), "name": name.map { .string($0) },
      "keys": keys.map { .string($0) },
      "files": files.isEmpty
        ? nil
        : .array(
          files.map { file in
            .members([
              "file": .integer(file.number),
              "kind": file.settings?.first.map { .string(DESFire.kind($0)) },
              "size": file.settings.flatMap(Self.size).map { .integer($0) },
            ])
          }),
    ])
  }

  /// Returns the size of a data file, which is in bytes 4 to 6 of its settings.
  private static func size(_ settings: [UInt8]) -> Int? {
    guard let kind = settings.first, kind < 2, settings.count >= 7 else { return nil }
    return Int(settings[4]) | Int(settings[5]) << 8 | Int(settings[6]) << 16
  }

  /// Returns the number and kind of the keys, and what they are needed for.
  private static func words(_ settings: [UInt8]) -> String? {
    (try? DESFireKeySummary(settings))?.text
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

extension DESFireVersionInformation.Part {
  /// The type of a DESFire, without the bits for implementations on other hardware.
  private static let desfire: UInt8 = 0x01
  private static let familyMask: UInt8 = 0x0F

  /// The version for people, such as `3.0`. Of a DESFire, only the second digit of the major version counts: an
  /// EV3 of 33 hexadecimal has version 3, as NXP TagInfo indicates, too. Other chips have hexadecimal digits.
  package var text: String {
    let digits = String(major, radix: 16, uppercase: true)
    return type & Self.familyMask == Self.desfire
      ? "\(major & 0x0F).\(minor)" : "\(digits).\(minor)"
  }
}
