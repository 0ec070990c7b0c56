import SwiftNFCCore

/// The protection of a file's data on the air.
enum DESFireCommunication: UInt8, Hashable, Sendable {
  case plain = 0x00
  case authenticated = 0x01
  case encrypted = 0x03

  /// Parses the low two bits of the communication settings; 2 is plain too.
  init(settings: UInt8) {
    self = DESFireCommunication(rawValue: settings & 0x03) ?? .plain
  }
}

/// An application, or the card itself as application 000000.
struct DESFireApplication: Hashable, Sendable {
  /// The identifier in transmission order, least significant byte first.
  let identifier: [UInt8]
  /// The key settings, which determine the commands that require the master key, key 0.
  var keySettings: UInt8
  var keys: [DESFireKey]
  var hasISOIdentifiers = false
  var isoIdentifier: UInt16?
  var dfName: [UInt8] = []
  var files: [DESFireFile] = []
  var keySets: DESFireKeySets?

  static let masterKeyChangeable: UInt8 = 0x01
  static let listsFreely: UInt8 = 0x02
  static let createsFreely: UInt8 = 0x04
  static let settingsChangeable: UInt8 = 0x08

  var keyKind: DESFireKey.Kind { keys.first?.kind ?? .des }

  /// The irreversible state: files whose rights nobody may change, by their number; frozen key settings
  /// and a master key that cannot be changed, in the following bits.
  var irreversibleBits: UInt64 {
    var bits = UInt64(0)
    for file in files where file.changeKey == DESFireFile.nobody {
      bits |= 1 << UInt64(file.number)
    }
    if keySettings & Self.settingsChangeable == 0 { bits |= 1 << 32 }
    if keySettings & Self.masterKeyChangeable == 0 { bits |= 1 << 33 }
    return bits
  }

  func fileIndex(_ number: UInt8) -> Int? {
    files.firstIndex { $0.number == number }
  }

  /// Commits the changes of all files. Returns whether there were any.
  mutating func commit() -> Bool {
    var isChanged = false
    for index in files.indices where files[index].commit() { isChanged = true }
    return isChanged
  }

  /// Discards the changes since the last commit. Returns whether there were any.
  mutating func abort() -> Bool {
    var isChanged = false
    for index in files.indices where files[index].abort() { isChanged = true }
    return isChanged
  }

  /// The size of the application in the card's memory.
  var memorySize: Int { files.reduce(32) { $0 + $1.memorySize } }

  /// The card as on delivery: one DES key of zeros. Everything is allowed without it except deleting
  /// other applications.
  static let factoryPICC = DESFireApplication(
    identifier: [0, 0, 0], keySettings: 0x0F, keys: [.zero(.des)], isoIdentifier: 0x3F00,
    dfName: [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00])
}

extension DESFireFile {
  fileprivate var encrypted: DESFireFile {
    var file = self
    file.communicationSettings = DESFireCommunication.encrypted.rawValue
    return file
  }
}

extension DESFireModel {
  /// Returns the files of a DESFire Light (NXP AN12343, figures 2 and 4, and tables 12 and 13), in the
  /// order of GetFileIDs.
  private static func lightFiles(
    data: DESFireFile, information: DESFireFile
  ) -> [DESFireFile] {
    func file(
      _ number: UInt8, _ iso: UInt16?, _ rights: UInt16, _ kind: DESFireFileKind,
      _ content: [UInt8]
    ) -> DESFireFile {
      DESFireFile(
        number: number, isoIdentifier: iso, communicationSettings: 0, accessRights: rights,
        content: content, kind: kind
      ).encrypted
    }
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    return [
      file(
        0x0F, nil, 0x1F10,
        .transactionMAC(
          DESFireTransactionMAC(key: zeros(DESFireTransactionMAC.blockSize), keyVersion: 0)),
        zeros(DESFireTransactionMAC.size)),
      information,
      file(
        0x03, nil, 0x1230, .value(DESFireValue(lower: 0, upper: .max, flags: 0x03)), zeros(4)),
      file(0x00, 0xEF00, 0x1F30, .standardData, zeros(256)),
      file(0x01, 0xEF01, 0x1230, .cyclicRecords(DESFireRecords(size: 16, maximum: 5)), []),
      data,
    ]
  }

  private static let ndefDFName: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]

  /// The size of the NDEF file on a formatted card, including its length field.
  var ndefFileSize: Int {
    switch layout {
    case .free(let size): size
    case .light: 256
    case .ntag413: 128
    }
  }

  /// Returns the applications of a new card, or of one that is formatted as an NFC Forum Type 4 tag.
  ///
  /// - Parameter ndef: the beginning of the NDEF file, including its length field.
  func applications(formatted: Bool, ndef: [UInt8]) -> [DESFireApplication] {
    func file(_ number: UInt8, _ iso: UInt16, _ rights: UInt16, _ content: [UInt8], _ size: Int)
      -> DESFireFile
    {
      DESFireFile(
        number: number, isoIdentifier: iso, communicationSettings: 0, accessRights: rights,
        content: content + [UInt8](repeating: 0, count: max(0, size - content.count)))
    }
    switch layout {
    case .free(let size):
      // NXP AN11004, chapter 6: application 000001 with ISO names, capability container in file 1, NDEF
      // in file 2; READ BINARY up to 59 bytes and UPDATE BINARY up to 52.
      guard formatted else { return [] }
      let container: [UInt8] =
        [0x00, 0x0F, 0x20, 0x00, 0x3B, 0x00, 0x34, 0x04, 0x06, 0xE1, 0x04]
        + UInt16(size).bigEndianBytes + [0x00, 0x00]
      return [
        DESFireApplication(
          identifier: [0x01, 0x00, 0x00], keySettings: 0x0F, keys: [.zero(.des)],
          hasISOIdentifiers: true, isoIdentifier: 0xE110, dfName: Self.ndefDFName,
          files: [
            file(1, 0xE103, 0xE000, container, 15), file(2, 0xE104, 0xEEE0, ndef, size),
          ])
      ]
    case .light:
      // MF2DL: five keys, 640 bytes in fixed files. Its names can be changed to those of a Type 4 tag.
      // The use of file 1F for the capability container and file 4 for the message is our choice.
      let keys = [DESFireKey](repeating: .zero(.aes), count: 5)
      let name: [UInt8] =
        formatted
        ? Self.ndefDFName
        : [
          0xA0, 0x00, 0x00, 0x03, 0x96, 0x56, 0x43, 0x41, 0x03, 0xF0, 0x15, 0x40, 0x00, 0x00, 0x00,
          0x0B,
        ]
      let container: [UInt8] = [
        0x00, 0x0F, 0x20, 0x00, 0x80, 0x00, 0x80, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, 0x00,
      ]
      return [
        DESFireApplication(
          identifier: [0x01, 0x00, 0x00], keySettings: 0x0B, keys: keys, hasISOIdentifiers: true,
          isoIdentifier: formatted ? 0xE110 : 0xDF01, dfName: name,
          files: Self.lightFiles(
            data: formatted
              ? file(0x04, 0xE104, 0xEEE0, ndef, 256)
              : file(0x04, 0xEF04, 0x1230, [], 256).encrypted,
            information: formatted
              ? file(0x1F, 0xE103, 0xE000, container, 32) : file(0x1F, 0xEF1F, 0xEF30, [], 32)))
      ]
    case .ntag413:
      // 160 bytes: capability container and NDEF file (NT4H1321 short data sheet, 8.1.2).
      let container: [UInt8] = [
        0x00, 0x0F, 0x20, 0x01, 0x00, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x00, 0x80, 0x00, 0x00,
      ]
      return [
        DESFireApplication(
          identifier: [0x01, 0x00, 0x00], keySettings: 0x0F,
          keys: [DESFireKey](repeating: .zero(.aes), count: 3), hasISOIdentifiers: true,
          isoIdentifier: 0xE110, dfName: Self.ndefDFName,
          files: [file(1, 0xE103, 0xE000, container, 32), file(2, 0xE104, 0xEEE0, ndef, 128)])
      ]
    }
  }
}
