/// What SetConfiguration has changed: MF3ICDx21_41_81 data sheet, 9.4.9.
struct DESFireConfiguration: Hashable, Sendable {
  /// Cannot be taken back.
  var forbidsFormat = false
  /// Cannot be taken back. Shown from the next activation on.
  var hasRandomUID = false
  /// 24 bytes, of which a key takes as many as its kind has, and the version of an AES key.
  var defaultKey = [UInt8](repeating: 0, count: 24)
  var defaultKeyVersion: UInt8 = 0
  /// The answer to select that is sent from the next activation on; `nil` for the model's.
  var ats: [UInt8]?

  func defaultKey(_ kind: DESFireKey.Kind) -> DESFireKey {
    DESFireKey(
      kind, bytes: Array(defaultKey.prefix(kind.keySize)), aesVersion: defaultKeyVersion)
  }
}

extension DESFirePICC {
  private enum Option {
    static let flags: UInt8 = 0x00
    static let defaultKey: UInt8 = 0x01
    static let ats: UInt8 = 0x02
  }

  private static let forbidsFormat: UInt8 = 0x01
  private static let hasRandomUID: UInt8 = 0x02
  private static let defaultKeySize = 24
  /// Of the answer to select; its first byte counts itself.
  private static let atsSizes = 1...20

  mutating func setConfiguration(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard selection == nil else { throw .permissionDenied }
    guard var session, session.keyNumber == 0 else { throw .authenticationError }
    guard let option = parameters.first else { throw .lengthError }
    let header = [DESFireCommand.setConfiguration.rawValue, option]
    let body = Array(parameters.dropFirst())
    switch option {
    case Option.flags:
      let flags = try session.unprotect(header: header, body: body, count: 1, .enciphered)[0]
      guard flags & ~(Self.forbidsFormat | Self.hasRandomUID) == 0 else { throw .parameterError }
      configuration.forbidsFormat = configuration.forbidsFormat || flags & Self.forbidsFormat != 0
      configuration.hasRandomUID = configuration.hasRandomUID || flags & Self.hasRandomUID != 0
    case Option.defaultKey:
      let data = try session.unprotect(
        header: header, body: body, count: Self.defaultKeySize + 1, .enciphered)
      configuration.defaultKey = Array(data.prefix(Self.defaultKeySize))
      configuration.defaultKeyVersion = data[Self.defaultKeySize]
    case Option.ats:
      let ats = try session.unprotect(header: header, body: body)
      guard Self.atsSizes.contains(ats.count), Int(ats[0]) == ats.count else {
        throw .lengthError
      }
      configuration.ats = ats
    default: throw .parameterError
    }
    let answer = session.acknowledge(.enciphered)
    self.session = session
    return Result(answer)
  }
}
