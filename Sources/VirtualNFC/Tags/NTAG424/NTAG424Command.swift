/// The native commands of an NTAG 424 DNA: NT4H2421Gx data sheet, table 22.
enum NTAG424Command: UInt8, Hashable, Sendable {
  case readSignature = 0x3C
  case getCardUID = 0x51
  case setConfiguration = 0x5C
  case changeFileSettings = 0x5F
  case getVersion = 0x60
  case getKeyVersion = 0x64
  case authenticateFirst = 0x71
  case authenticateNonFirst = 0x77
  case writeData = 0x8D
  case readData = 0xAD
  case additionalFrame = 0xAF
  case changeKey = 0xC4
  case getFileSettings = 0xF5
  case getFileCounters = 0xF6
}

/// The second byte of a native command's status word: data sheet, table 23.
enum NTAG424Status: UInt8, Error, Hashable, Sendable {
  case operationOK = 0x00
  case illegalCommand = 0x1C
  case integrityError = 0x1E
  case noSuchKey = 0x40
  case lengthError = 0x7E
  /// The status word of a successful Read_Sig (NXP AN12196, table 19).
  case signatureOK = 0x90
  case permissionDenied = 0x9D
  case parameterError = 0x9E
  case authenticationDelay = 0xAD
  case authenticationError = 0xAE
  case additionalFrame = 0xAF
  case boundaryError = 0xBE
  case commandAborted = 0xCA
  case fileNotFound = 0xF0
}
