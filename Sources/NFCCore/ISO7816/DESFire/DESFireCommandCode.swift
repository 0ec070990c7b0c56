/// Command codes: MIFARE DESFire data sheets (MF3ICDx21_41_81, 9; MF3D_H_X3), NXP AN12343 and AN12752.
package enum DESFireCommandCode: UInt8, Hashable, Sendable {
  case authenticate = 0x0A
  case authenticateISO = 0x1A
  case authenticateAES = 0xAA
  case authenticateEV2First = 0x71
  case authenticateEV2NonFirst = 0x77
  case additionalFrame = 0xAF

  case getVersion = 0x60
  case freeMemory = 0x6E
  case getCardUID = 0x51
  case setConfiguration = 0x5C
  case formatPICC = 0xFC
  case readSignature = 0x3C

  case getApplicationIdentifiers = 0x6A
  case getDFNames = 0x6D
  case selectApplication = 0x5A
  case createApplication = 0xCA
  case deleteApplication = 0xDA
  /// Commands of delegated applications, since EV2: NXP's reader library; Proxmark3.
  case createDelegatedApplication = 0xC9
  case getDelegatedInfo = 0x69

  case getKeySettings = 0x45
  case changeKeySettings = 0x54
  case getKeyVersion = 0x64
  case changeKey = 0xC4

  /// Key set commands, since EV2: NXP's reader library; libnxpsc.
  case rollKeySet = 0x55
  case initializeKeySet = 0x56
  case finalizeKeySet = 0x57
  case changeKeyEV2 = 0xC6

  case getFileIdentifiers = 0x6F
  case getISOFileIdentifiers = 0x61
  case getFileSettings = 0xF5
  case changeFileSettings = 0x5F
  /// Commands of NTAG 424 DNA: NT4H2421Gx data sheet, 10.7.3.
  case getFileCounters = 0xF6
  case createStandardDataFile = 0xCD
  /// Transaction MAC commands, of DESFire Light and since EV2: MF2DL(H)x0 data sheet, 11.7.6.
  case createTransactionMACFile = 0xCE
  case createBackupDataFile = 0xCB
  case createValueFile = 0xCC
  case createLinearRecordFile = 0xC1
  case createCyclicRecordFile = 0xC0
  case deleteFile = 0xDF

  case readData = 0xBD
  case writeData = 0x3D
  /// ReadData and WriteData with chaining by ISO/IEC 14443-4 only; since EV2.
  case readDataChained = 0xAD
  case writeDataChained = 0x8D
  case getValue = 0x6C
  case credit = 0x0C
  case debit = 0xDC
  case limitedCredit = 0x1C
  case readRecords = 0xBB
  case writeRecord = 0x3B
  /// ReadRecords and WriteRecord with chaining by ISO/IEC 14443-4 only, as DESFire Light has them
  /// (AN12343, tables 32 and 33).
  case readRecordsChained = 0xAB
  case writeRecordChained = 0x8B
  /// Changes an existing record; since EV2 (NXP's reader library; Proxmark3). The second is that of DESFire Light.
  case updateRecord = 0xDB
  case updateRecordChained = 0xBA
  case clearRecordFile = 0xEB
  case commitTransaction = 0xC7
  /// Names the terminal in a transaction that is signed (AN12343, table 32).
  case commitReaderIdentifier = 0xC8
  case abortTransaction = 0xA7
}
