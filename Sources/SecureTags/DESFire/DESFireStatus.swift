import NFCCore

extension NFCError {
  /// ``recovery`` after the change of a key.
  static let newKeyInDoubt =
    "the card may already have the new key: authenticate with the new key, and then with the old "
    + "one, to see which it has"
}

/// The status byte of an answer: MF3ICDx21_41_81 data sheet, 9.2; NXP AN12343, table 5.
struct DESFireStatus: Hashable, Sendable {
  let code: UInt8

  static let operationOK = DESFireStatus(code: 0x00)
  static let noChanges = DESFireStatus(code: 0x0C)
  static let outOfMemory = DESFireStatus(code: 0x0E)
  static let illegalCommand = DESFireStatus(code: 0x1C)
  static let integrityError = DESFireStatus(code: 0x1E)
  static let noSuchKey = DESFireStatus(code: 0x40)
  static let lengthError = DESFireStatus(code: 0x7E)
  /// The final status of Read_Sig (NXP AN12196, table 19).
  static let signatureOK = DESFireStatus(code: 0x90)
  static let permissionDenied = DESFireStatus(code: 0x9D)
  static let parameterError = DESFireStatus(code: 0x9E)
  static let applicationNotFound = DESFireStatus(code: 0xA0)
  static let applicationIntegrityError = DESFireStatus(code: 0xA1)
  static let authenticationDelay = DESFireStatus(code: 0xAD)
  static let authenticationError = DESFireStatus(code: 0xAE)
  static let additionalFrame = DESFireStatus(code: 0xAF)
  static let boundaryError = DESFireStatus(code: 0xBE)
  static let cardIntegrityError = DESFireStatus(code: 0xC1)
  static let commandAborted = DESFireStatus(code: 0xCA)
  static let cardDisabled = DESFireStatus(code: 0xCD)
  static let countError = DESFireStatus(code: 0xCE)
  static let duplicateError = DESFireStatus(code: 0xDE)
  static let memoryError = DESFireStatus(code: 0xEE)
  static let fileNotFound = DESFireStatus(code: 0xF0)
  static let fileIntegrityError = DESFireStatus(code: 0xF1)

  /// The meaning of the status, as a clause; `nil` for a status that no public source names.
  private var words: String? {
    switch self {
    case .noChanges: "there is nothing to commit"
    case .outOfMemory: "the card has not enough free memory"
    case .illegalCommand: "the card does not know the command"
    case .integrityError: "the card finds the check or MAC of the command wrong"
    case .noSuchKey: "there is no key of this number"
    case .lengthError: "the card finds the command's length wrong"
    case .permissionDenied: "the card's settings do not allow it"
    case .parameterError: "the card finds a parameter wrong"
    case .applicationNotFound: "there is no application of this identifier"
    case .applicationIntegrityError: "the application is damaged and permanently closed"
    case .authenticationDelay: "the card waits after wrong keys"
    case .authenticationError: "the card requires a key that has this right"
    case .boundaryError: "it goes beyond the end or the limits of the file"
    case .cardIntegrityError: "the card is damaged and permanently closed"
    case .commandAborted: "the card has not finished the command before"
    case .cardDisabled: "the card is permanently closed"
    case .countError: "the card has as many applications as it can have"
    case .duplicateError: "the number or name is taken"
    case .memoryError: "the card could not write its memory"
    case .fileNotFound: "there is no file of this number"
    case .fileIntegrityError: "the file is damaged and permanently closed"
    default: nil
    }
  }

  /// The error for a refused command.
  var error: NFCError {
    let code: NFCError.Code =
      switch self {
      case .authenticationError, .permissionDenied, .authenticationDelay: .notAuthenticated
      case .outOfMemory: .capacityExceeded
      case .illegalCommand: .unsupported
      default: .tagRefused
      }
    return NFCError(
      code, words ?? "the card has refused the command", cause: .desfireStatus(self.code),
      attempts: self == .authenticationDelay ? .delayed : nil)
  }
}
