import NFC
import TagImages

/// Reads a DESFire card for an image, as far as no key is required, and changes files that everybody may
/// change.
struct DESFireReading {
  /// The commands (MF3ICDx21_41_81 data sheet, 9).
  private enum Command {
    static let getVersion: UInt8 = 0x60
    static let getApplicationIdentifiers: UInt8 = 0x6A
    static let selectApplication: UInt8 = 0x5A
    static let getKeySettings: UInt8 = 0x45
    static let getKeyVersion: UInt8 = 0x64
    static let freeMemory: UInt8 = 0x6E
    static let getFileIdentifiers: UInt8 = 0x6F
    static let getFileSettings: UInt8 = 0xF5
    static let readData: UInt8 = 0xBD
    static let writeData: UInt8 = 0x3D
    static let getValue: UInt8 = 0x6C
    static let readRecords: UInt8 = 0xBB
    static let additionalFrame: UInt8 = 0xAF
    static let credit: UInt8 = 0x0C
    static let debit: UInt8 = 0xDC
    static let writeRecord: UInt8 = 0x3B
    static let clearRecordFile: UInt8 = 0xEB
    static let commitTransaction: UInt8 = 0xC7
  }

  private enum Status {
    static let done: UInt8 = 0x00
    static let additionalFrame: UInt8 = 0xAF
  }

  private static let everybody: UInt8 = 0x0E
  private static let versionLength = 28
  /// The maximum size of an answer in bytes. No file is larger, and a card that continues beyond it is not
  /// believed.
  private static let largestAnswer = 65_536
  /// The maximum number of data bytes in one frame, after the command, file number, offset and length.
  private static let largestWrite = 48

  private let tag: any MiFareTag

  init(_ tag: any MiFareTag) { self.tag = tag }

  /// Sends a command, and requests the rest of the answer.
  ///
  /// - Returns: `nil` if the card refuses the command.
  private func send(_ code: UInt8, _ parameters: [UInt8] = []) async throws -> [UInt8]? {
    var data: [UInt8] = []
    var command = [code] + parameters
    while data.count <= Self.largestAnswer {
      let answer = try await tag.sendMiFareCommand(command)
      data += answer.dropFirst()
      switch answer.first {
      case Status.done: return data
      case Status.additionalFrame: command = [Command.additionalFrame]
      default: return nil
      }
    }
    throw NFCError(.tagResponseError, "the card's answer does not end")
  }

  // MARK: Reading

  func read() async throws -> MemoryTag.Content {
    var image = TagImage(.desfire)
    image.setIdentity(tag)
    var card = TagImage.DESFire()
    var missing: [String] = []
    if let version = try await send(Command.getVersion), version.count == Self.versionLength {
      image.version = version
    }
    card.freeMemory = try await send(Command.freeMemory).flatMap { Self.number($0.prefix(3)) }
    _ = try await select([0, 0, 0])
    (card.keySettings, card.keyVersions) = try await keySettings()
    if let identifiers = try await send(Command.getApplicationIdentifiers) {
      for first in stride(from: 0, to: identifiers.count - identifiers.count % 3, by: 3) {
        let identifier = Array(identifiers[first..<first + 3])
        card.applications.append(try await application(identifier, &missing))
      }
    } else {
      missing.append("the card lists its applications only with a key")
    }
    _ = try await select([0, 0, 0])
    image.desfire = card
    return MemoryTag.Content(
      image: image, missing: missing.isEmpty ? nil : missing.joined(separator: "; "))
  }

  func select(_ identifier: [UInt8]) async throws -> Bool {
    try await send(Command.selectApplication, identifier) != nil
  }

  private func keySettings() async throws -> (TagImage.DESFire.KeySettings?, [UInt8]) {
    guard let answer = try await send(Command.getKeySettings), answer.count >= 2 else {
      return (nil, [])
    }
    let settings = TagImage.DESFire.KeySettings(answer[0], answer[1])
    var versions: [UInt8] = []
    for number in 0..<settings.keyCount {
      guard let version = try await send(Command.getKeyVersion, [number])?.first else { break }
      versions.append(version)
    }
    return (settings, versions)
  }

  private func application(
    _ identifier: [UInt8], _ missing: inout [String]
  ) async throws -> TagImage.DESFire.Application {
    var application = TagImage.DESFire.Application(identifier: identifier)
    let name = "application \(Array(identifier.reversed()).hexadecimal)"
    guard try await select(identifier) else {
      missing.append("\(name) cannot be selected")
      return application
    }
    (application.keySettings, application.keyVersions) = try await keySettings()
    guard let numbers = try await send(Command.getFileIdentifiers) else {
      missing.append("\(name) lists its files only with a key")
      return application
    }
    var files: [TagImage.DESFire.File] = []
    for number in numbers {
      guard let answer = try await send(Command.getFileSettings, [number]),
        var file = Self.file(number, answer)
      else {
        missing.append("file \(number) of \(name) does not report its settings")
        continue
      }
      file.data = try await content(of: file)
      if file.data == nil { missing.append("file \(number) of \(name) needs a key") }
      files.append(file)
    }
    application.files = files
    return application
  }

  /// Parses the answer to GetFileSettings: type, communication, access rights, and the fields of the type
  /// (9.4.3).
  private static func file(_ number: UInt8, _ answer: [UInt8]) -> TagImage.DESFire.File? {
    guard answer.count >= 7 else { return nil }
    let rest = Array(answer.dropFirst(4))
    let settings: TagImage.DESFire.FileSettings
    switch answer[0] {
    case 0, 1: settings = .data(size: Self.number(rest.prefix(3)))
    case 2 where rest.count >= 13:
      settings = .value(
        lowerLimit: Self.number(rest[0..<4]), upperLimit: Self.number(rest[4..<8]),
        limitedCredit: Self.number(rest[8..<12]), isLimitedCreditEnabled: rest[12] & 0x01 != 0)
    case 3 where rest.count >= 9, 4 where rest.count >= 9:
      settings = .records(
        size: Self.number(rest[0..<3]), maximum: Self.number(rest[3..<6]),
        count: Self.number(rest[6..<9]))
    default: return nil
    }
    return TagImage.DESFire.File(
      number: number, type: answer[0], communication: answer[1],
      accessRights: Array(answer[2..<4]), settings: settings)
  }

  private static func number(_ bytes: some BidirectionalCollection<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns the content of a file, or `nil` for a file that requires a key. A refusal would not end
  /// anything, but a card may count refusals.
  private func content(of file: TagImage.DESFire.File) async throws -> [UInt8]? {
    guard Self.isOpen(file, forWriting: false) else { return nil }
    let all: [UInt8] = [file.number, 0, 0, 0, 0, 0, 0]
    switch file.settings {
    case .data: return try await send(Command.readData, all)
    case .value: return try await send(Command.getValue, [file.number])
    case .records(_, _, let count):
      return count == 0 ? [] : try await send(Command.readRecords, all)
    }
  }

  /// Returns whether everybody may read or write a file. Each right is half a byte: read and write are in the
  /// second byte, and the right to do both is in the upper half of the first byte.
  static func isOpen(_ file: TagImage.DESFire.File, forWriting: Bool) -> Bool {
    guard file.accessRights.count == 2 else { return false }
    let own = forWriting ? file.accessRights[1] & 0x0F : file.accessRights[1] >> 4
    return own == everybody || isOpenForBoth(file)
  }

  /// Returns whether everybody has the right to read and write. Crediting a value and clearing records
  /// require this right as well (MF3ICDx21_41_81 data sheet, Credit and ClearRecordFile).
  static func isOpenForBoth(_ file: TagImage.DESFire.File) -> Bool {
    file.accessRights.first.map { $0 >> 4 == everybody } ?? false
  }

  // MARK: Writing

  /// Writes data to a standard or backup file that everybody may write.
  ///
  /// - Throws: `NFCError` `tagRefused`.
  func write(_ data: [UInt8], at offset: Int, ofFile number: UInt8) async throws {
    for first in stride(from: 0, to: data.count, by: Self.largestWrite) {
      let part = data[first..<min(first + Self.largestWrite, data.count)]
      try await change(
        Command.writeData, number, Self.bytes(offset + first) + Self.bytes(part.count) + part)
    }
  }

  /// Changes a value file by crediting or debiting it.
  func changeValue(ofFile number: UInt8, by difference: Int64) async throws {
    let amount = UInt32(clamping: difference.magnitude)
    try await change(
      difference > 0 ? Command.credit : Command.debit, number,
      (0..<4).map { UInt8(truncatingIfNeeded: amount >> (8 * $0)) })
  }

  /// Adds records to a file that everybody may write, one after the other. Each record is added completely or
  /// not at all.
  ///
  /// All data that is written before a commit becomes one record (MF3ICDx21_41_81 data sheet, WriteRecord),
  /// so each record has its own commit.
  func addRecords(_ records: [[UInt8]], toFile number: UInt8) async throws {
    for record in records {
      for first in stride(from: 0, to: record.count, by: Self.largestWrite) {
        let part = record[first..<min(first + Self.largestWrite, record.count)]
        try await change(
          Command.writeRecord, number, Self.bytes(first) + Self.bytes(part.count) + part)
      }
      try await commit()
    }
  }

  /// Deletes all records of a file that everybody may read and write.
  func clearRecords(ofFile number: UInt8) async throws {
    try await change(Command.clearRecordFile, number, [])
    try await commit()
  }

  /// Makes changes of backup, value and record files effective.
  func commit() async throws {
    guard try await send(Command.commitTransaction) != nil else {
      throw NFCError(.tagRefused, "the card has refused to commit the transaction")
    }
  }

  private func change(_ code: UInt8, _ number: UInt8, _ parameters: [UInt8]) async throws {
    guard try await send(code, [number] + parameters) != nil else {
      throw NFCError(.tagRefused, "the card has refused to write file \(number)")
    }
  }

  /// Returns an offset or a length as three bytes.
  private static func bytes(_ number: Int) -> [UInt8] {
    [0, 8, 16].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
