/// The status byte of an answer: MF3ICDx21_41_81 data sheet, 9.2; NXP AN12343, table 5.
package struct DESFireStatus: Hashable, Sendable {
  package let code: UInt8

  package init(code: UInt8) { self.code = code }

  package static let operationOK = DESFireStatus(code: 0x00)
  package static let noChanges = DESFireStatus(code: 0x0C)
  package static let outOfMemory = DESFireStatus(code: 0x0E)
  package static let illegalCommand = DESFireStatus(code: 0x1C)
  package static let integrityError = DESFireStatus(code: 0x1E)
  package static let noSuchKey = DESFireStatus(code: 0x40)
  package static let lengthError = DESFireStatus(code: 0x7E)
  /// The final status of Read_Sig (NXP AN12196, table 19).
  package static let signatureOK = DESFireStatus(code: 0x90)
  package static let permissionDenied = DESFireStatus(code: 0x9D)
  package static let parameterError = DESFireStatus(code: 0x9E)
  package static let applicationNotFound = DESFireStatus(code: 0xA0)
  package static let applicationIntegrityError = DESFireStatus(code: 0xA1)
  package static let authenticationDelay = DESFireStatus(code: 0xAD)
  package static let authenticationError = DESFireStatus(code: 0xAE)
  package static let additionalFrame = DESFireStatus(code: 0xAF)
  package static let boundaryError = DESFireStatus(code: 0xBE)
  package static let cardIntegrityError = DESFireStatus(code: 0xC1)
  package static let commandAborted = DESFireStatus(code: 0xCA)
  package static let cardDisabled = DESFireStatus(code: 0xCD)
  package static let countError = DESFireStatus(code: 0xCE)
  package static let duplicateError = DESFireStatus(code: 0xDE)
  package static let memoryError = DESFireStatus(code: 0xEE)
  package static let fileNotFound = DESFireStatus(code: 0xF0)
  package static let fileIntegrityError = DESFireStatus(code: 0xF1)

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
  package var error: NFCError {
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
