/// A product of the MIFARE DESFire family, or an NTAG 413 DNA, which has some of its commands.
public struct DESFireModel: Hashable, Sendable {
  /// The name for `nfc --virtual`.
  public let name: String
  /// The first frame of GetVersion, seven bytes: vendor, type, subtype, major and minor version,
  /// storage size, protocol.
  public let hardwareVersion: [UInt8]
  /// The second frame of GetVersion, with the same fields.
  public let softwareVersion: [UInt8]
  /// The answer to select, with its length byte.
  public let ats: [UInt8]
  /// FreeMemory of an empty card, in bytes; 0 for a chip whose files are fixed.
  public let freeMemory: Int
  /// The UID of ``signature``'s chip.
  public let defaultUID: [UInt8]
  /// The originality signature of ``defaultUID``, 56 bytes; `nil` for a chip without the command.
  public let signature: [UInt8]?
  let layout: Layout
  /// The third frame of GetVersion after the UID: a batch number, then week and year of production as decimal
  /// digits.
  var production: [UInt8] = [0xBA, 0x34, 0x64, 0xA0, 0x10, 0x18, 0x12]
  /// Whether files can have Secure Dynamic Messaging: EV3 (NXP AN12752).
  var hasDynamicMessaging = false

  enum Layout: Hashable, Sendable {
    /// Commands create the applications and files.
    case free(ndefFileSize: Int)
    /// One application with fixed files.
    case light
    case ntag413
  }

  /// Whether the chip supports the full command set of a DESFire, not a fixed part of it.
  var isDESFire: Bool { if case .free = layout { true } else { false } }

  /// Whether deleting a file or an application makes its memory available. On an EV1, only FormatPICC does
  /// (Ingenico's `Desfire.h`, on DeleteFile); no public source describes this for later chips.
  var releasesMemory: Bool { hasEV2Messaging }

  static let desfireATS: [UInt8] = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]
  static let ntagATS: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]

  /// EV1 with 4 KB; its free memory is from public logs and not confirmed by a data sheet.
  public static let ev1 = DESFireModel(
    name: "desfire", hardwareVersion: [0x04, 0x01, 0x01, 0x01, 0x00, 0x18, 0x05],
    softwareVersion: [0x04, 0x01, 0x01, 0x01, 0x04, 0x18, 0x05], ats: desfireATS,
    freeMemory: 4864, defaultUID: [0x04, 0x39, 0x6B, 0x62, 0xD4, 0x3C, 0x80], signature: nil,
    layout: .free(ndefFileSize: 0x1000))

  /// EV2 with 4 KB. The UID and its signature are those of a genuine chip.
  public static let ev2 = DESFireModel(
    name: "desfire-ev2", hardwareVersion: [0x04, 0x01, 0x01, 0x12, 0x00, 0x18, 0x05],
    softwareVersion: [0x04, 0x01, 0x01, 0x02, 0x01, 0x18, 0x05], ats: desfireATS,
    freeMemory: 5120, defaultUID: [0x04, 0x2A, 0x41, 0xCA, 0xE4, 0x53, 0x80],
    signature: [
      0xB2, 0x76, 0x9F, 0x8D, 0xDB, 0x57, 0x5A, 0xEA, 0x2A, 0x68, 0x0A, 0xDC, 0xA8, 0xFF, 0xED,
      0x4F, 0xAB, 0x81, 0xA1, 0xE9, 0x90, 0x8E, 0x2B, 0x82, 0xFE, 0x0F, 0xAB, 0xB6, 0x97, 0xBB,
      0xD9, 0xB2, 0x38, 0x35, 0xC4, 0x16, 0x97, 0x0E, 0x75, 0x76, 0x8F, 0x12, 0x90, 0x2A, 0xCA,
      0x49, 0x13, 0x49, 0xE9, 0x4E, 0x65, 0x89, 0xEA, 0xF4, 0xF5, 0x08,
    ], layout: .free(ndefFileSize: 0x1000))

  /// EV3 with 4 KB. The UID and its signature are those of a genuine chip.
  public static let ev3 = DESFireModel(
    name: "desfire-ev3", hardwareVersion: [0x04, 0x01, 0x01, 0x33, 0x00, 0x18, 0x05],
    softwareVersion: [0x04, 0x01, 0x01, 0x03, 0x00, 0x18, 0x05], ats: desfireATS,
    freeMemory: 5120, defaultUID: [0x04, 0x44, 0x8B, 0xD2, 0xDB, 0x6B, 0x80],
    signature: [
      0x5C, 0xBB, 0x56, 0x32, 0x79, 0x5C, 0x8F, 0x15, 0x26, 0x3F, 0xEF, 0xB0, 0x95, 0xB5, 0x1C,
      0x7B, 0x54, 0x1A, 0xFD, 0x91, 0x4A, 0x1A, 0xE4, 0x4E, 0xF6, 0xFB, 0x8A, 0xF6, 0x05, 0xED,
      0xF1, 0x3D, 0xBF, 0xEE, 0x6C, 0x3A, 0x2D, 0xB3, 0x72, 0x24, 0x5E, 0x67, 0x1D, 0xFE, 0x0D,
      0x42, 0xCB, 0x1F, 0x0D, 0x0B, 0x8F, 0xE6, 0x7A, 0x89, 0xD2, 0xF6,
    ], layout: .free(ndefFileSize: 0x1000), hasDynamicMessaging: true)

  /// DESFire Light, MF2DL. The UID and its signature are those of a genuine chip.
  public static let light = DESFireModel(
    name: "desfire-light", hardwareVersion: [0x04, 0x08, 0x01, 0x30, 0x00, 0x13, 0x05],
    softwareVersion: [0x04, 0x08, 0x01, 0x00, 0x02, 0x13, 0x05], ats: ntagATS,
    freeMemory: 0, defaultUID: [0x04, 0x39, 0x55, 0x6A, 0xCB, 0x64, 0x80],
    signature: [
      0xD5, 0xBD, 0x09, 0x78, 0x10, 0x6E, 0x1E, 0x38, 0xB5, 0x13, 0x64, 0x23, 0x35, 0x96, 0x6A,
      0xB2, 0x1E, 0x9F, 0x95, 0x0D, 0xCF, 0xCF, 0xAB, 0x45, 0xFF, 0x13, 0xD0, 0xDC, 0x3C, 0xA4,
      0xC2, 0xAE, 0x7E, 0x0D, 0x67, 0x1D, 0xF1, 0x24, 0x09, 0x37, 0xD0, 0x40, 0xDA, 0xC4, 0x60,
      0x1C, 0x5F, 0x66, 0xED, 0x62, 0xC5, 0x46, 0xEE, 0x03, 0xED, 0x08,
    ], layout: .light)

  /// NTAG 413 DNA, NT4H1321. The UID and its signature are those of a genuine chip; the software
  /// version is not confirmed.
  public static let ntag413 = DESFireModel(
    name: "ntag413", hardwareVersion: [0x04, 0x04, 0x02, 0x10, 0x00, 0x0F, 0x05],
    softwareVersion: [0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x05], ats: ntagATS,
    freeMemory: 0, defaultUID: [0x04, 0x24, 0x68, 0x22, 0x2F, 0x5C, 0x80],
    signature: [
      0xB9, 0x21, 0x1E, 0x32, 0x0F, 0x32, 0x1B, 0xD1, 0xD0, 0xE1, 0x58, 0xE1, 0x0F, 0xF1, 0x51,
      0x09, 0xB3, 0x89, 0x63, 0x8B, 0xAE, 0x15, 0xD9, 0x90, 0x9D, 0x77, 0x25, 0xBF, 0x12, 0x50,
      0xED, 0x23, 0x6D, 0x66, 0xF1, 0xAF, 0x75, 0xC9, 0x4D, 0x60, 0x33, 0x0E, 0x4E, 0x92, 0x53,
      0x5F, 0x5E, 0x69, 0x97, 0x67, 0x52, 0x81, 0xA5, 0x68, 0x71, 0x73,
    ], layout: .ntag413)

  /// All models, in the order of their release.
  package static let all = [ev1, ev2, ev3, light, ntag413]

  /// Whether the chip supports EV2's authentication and secure messaging.
  var hasEV2Messaging: Bool { signature != nil }

  /// Returns whether the chip supports a command.
  func supports(_ command: DESFireCommand) -> Bool {
    switch command {
    case .getVersion, .getKeyVersion, .getFileIdentifiers, .getISOFileIdentifiers,
      .getFileSettings, .additionalFrame:
      true
    case .readSignature, .readDataChained, .writeDataChained, .authenticateEV2First,
      .authenticateEV2NonFirst:
      hasEV2Messaging
    case .changeKey, .changeFileSettings, .getCardUID:
      true
    case .createTransactionMACFile, .commitReaderIdentifier, .writeRecordChained,
      .readRecordsChained, .updateRecord, .updateRecordChained:
      hasEV2Messaging && layout != .ntag413
    case .rollKeySet, .initializeKeySet, .finalizeKeySet, .changeKeyEV2,
      .createDelegatedApplication, .getDelegatedInfo, .restoreTransfer:
      hasEV2Messaging && isDESFire
    case .getFileCounters:
      hasDynamicMessaging
    // The command set of DESFire Light in NXP's reader library.
    case .readData, .writeData, .getValue, .credit, .debit, .limitedCredit, .readRecords,
      .writeRecord, .clearRecordFile, .deleteFile, .commitTransaction, .abortTransaction,
      .setConfiguration:
      isDESFire || layout == .light
    default:
      // All other commands are for cards whose applications are created by commands.
      freeMemory > 0
    }
  }
}
