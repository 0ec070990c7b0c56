/// The supported command codes: MIFARE DESFire data sheets and NXP AN12343, NT4H2421.
enum DESFireCommand: UInt8, Hashable, Sendable {
  case authenticate = 0x0A
  case credit = 0x0C
  case authenticateISO = 0x1A
  case limitedCredit = 0x1C
  case writeRecord = 0x3B
  case readSignature = 0x3C
  case writeData = 0x3D
  case getKeySettings = 0x45
  case getCardUID = 0x51
  case changeKeySettings = 0x54
  case rollKeySet = 0x55
  case initializeKeySet = 0x56
  case finalizeKeySet = 0x57
  case setConfiguration = 0x5C
  case selectApplication = 0x5A
  case changeFileSettings = 0x5F
  case getVersion = 0x60
  case getISOFileIdentifiers = 0x61
  case getKeyVersion = 0x64
  case getDelegatedInfo = 0x69
  case getValue = 0x6C
  case authenticateEV2First = 0x71
  case authenticateEV2NonFirst = 0x77
  case getApplicationIdentifiers = 0x6A
  case getDFNames = 0x6D
  case freeMemory = 0x6E
  case getFileIdentifiers = 0x6F
  /// WriteData with chaining only by ISO/IEC 14443-4; since EV2.
  case writeDataChained = 0x8D
  /// WriteRecord and ReadRecords with chaining only by ISO/IEC 14443-4 (AN12343, tables 32 and 33).
  case writeRecordChained = 0x8B
  /// Changes an existing record; since EV2. The first is chained only by ISO/IEC 14443-4 (NXP's reader library).
  case updateRecordChained = 0xBA
  case updateRecord = 0xDB
  case abortTransaction = 0xA7
  case authenticateAES = 0xAA
  /// ReadData with chaining only by ISO/IEC 14443-4; since EV2.
  case readRecordsChained = 0xAB
  case readDataChained = 0xAD
  case additionalFrame = 0xAF
  /// Since EV2; the code is in Proxmark3's list of commands.
  case restoreTransfer = 0xB1
  case readRecords = 0xBB
  case readData = 0xBD
  case createCyclicRecordFile = 0xC0
  case createLinearRecordFile = 0xC1
  case changeKey = 0xC4
  case changeKeyEV2 = 0xC6
  case commitTransaction = 0xC7
  case commitReaderIdentifier = 0xC8
  case createDelegatedApplication = 0xC9
  case createApplication = 0xCA
  case createBackupDataFile = 0xCB
  case createValueFile = 0xCC
  case createStandardDataFile = 0xCD
  case createTransactionMACFile = 0xCE
  case deleteApplication = 0xDA
  case debit = 0xDC
  case deleteFile = 0xDF
  case clearRecordFile = 0xEB
  case getFileSettings = 0xF5
  /// Since EV3 (liblogicalaccess).
  case getFileCounters = 0xF6
  case formatPICC = 0xFC
}

/// The status byte of a native answer; preceded by 91, it is a status word.
struct DESFireStatus: Error, Hashable, Sendable {
  let code: UInt8

  static let operationOK = DESFireStatus(code: 0x00)
  static let noChanges = DESFireStatus(code: 0x0C)
  static let outOfMemory = DESFireStatus(code: 0x0E)
  static let illegalCommand = DESFireStatus(code: 0x1C)
  static let integrityError = DESFireStatus(code: 0x1E)
  static let noSuchKey = DESFireStatus(code: 0x40)
  static let lengthError = DESFireStatus(code: 0x7E)
  /// The status after Read_Sig (NXP AN12196, table 19).
  static let signatureOK = DESFireStatus(code: 0x90)
  static let permissionDenied = DESFireStatus(code: 0x9D)
  static let parameterError = DESFireStatus(code: 0x9E)
  static let applicationNotFound = DESFireStatus(code: 0xA0)
  static let authenticationError = DESFireStatus(code: 0xAE)
  static let additionalFrame = DESFireStatus(code: 0xAF)
  static let boundaryError = DESFireStatus(code: 0xBE)
  /// The previous command was not finished.
  static let commandAborted = DESFireStatus(code: 0xCA)
  static let countError = DESFireStatus(code: 0xCE)
  static let duplicateError = DESFireStatus(code: 0xDE)
  static let fileNotFound = DESFireStatus(code: 0xF0)
}
