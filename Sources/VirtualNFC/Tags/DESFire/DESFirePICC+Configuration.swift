/// The settings of SetConfiguration (MF3ICDx21_41_81 data sheet, 9.4.9).
struct DESFireConfiguration: Hashable, Sendable {
  /// Whether FormatPICC is disabled. This cannot be undone.
  var forbidsFormat = false
  /// Whether the card shows a random UID from the next activation on. This cannot be undone.
  var hasRandomUID = false
  /// The default key, 24 bytes, of which a key uses as many as its kind has, and the version of an AES
  /// key.
  var defaultKey = [UInt8](repeating: 0, count: 24)
  var defaultKeyVersion: UInt8 = 0
  /// The answer to select that is sent from the next activation on; `nil` for the model's.
  var ats: [UInt8]?
  /// Whether a chip with fixed files uses LRP. This cannot be undone.
  var usesLRP = false

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
    /// The option number for capabilities of DESFire Light (AN12343, 4.2 and table 18).
    static let capabilities: UInt8 = 0x05
    static let value: UInt8 = 0x09
  }

  private static let forbidsFormat: UInt8 = 0x01
  private static let hasRandomUID: UInt8 = 0x02
  private static let defaultKeySize = 24
  /// The sizes of an answer to select, including its first byte, which holds the size.
  private static let atsSizes = 1...20

  private static let lrp: UInt8 = 0x02
  private static let capabilitiesSize = 10
  private static let valueSize = 14

  /// Runs SetConfiguration. A chip with fixed files has this command in its application.
  mutating func setConfiguration(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard (selection == nil) == model.isDESFire else { throw .permissionDenied }
    guard var session, session.keyNumber == 0 else { throw .authenticationError }
    guard let option = parameters.first else { throw .lengthError }
    let header = [DESFireCommand.setConfiguration.rawValue, option]
    let body = Array(parameters.dropFirst())
    switch option {
    case Option.flags:
      let flags = try session.unprotect(header: header, body: body, count: 1, .encrypted)[0]
      guard flags & ~(Self.forbidsFormat | Self.hasRandomUID) == 0 else { throw .parameterError }
      configuration.forbidsFormat = configuration.forbidsFormat || flags & Self.forbidsFormat != 0
      configuration.hasRandomUID = configuration.hasRandomUID || flags & Self.hasRandomUID != 0
    case Option.capabilities where !model.isDESFire:
      let data = try session.unprotect(
        header: header, body: body, count: Self.capabilitiesSize, .encrypted)
      guard data[4] & Self.lrp != 0, !configuration.usesLRP else { break }
      configuration.usesLRP = true
      // AN12343, table 18, shows an answer without a MAC.
      self.session = nil
      return Result()
    case Option.value where !model.isDESFire:
      let data = try session.unprotect(
        header: header, body: body, count: Self.valueSize, .encrypted)
      try configureValue(data)
    case Option.defaultKey where model.isDESFire:
      let data = try session.unprotect(
        header: header, body: body, count: Self.defaultKeySize + 1, .encrypted)
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
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }

  /// Sets the value file's number, its limits, its value and the operations with free access (AN12343,
  /// table 5).
  private mutating func configureValue(_ data: [UInt8]) throws(DESFireStatus) {
    let index = try fileIndex(data[0])
    guard case .value = selected.files[index].kind else { throw .parameterError }
    func signed(_ start: Int) -> Int32 {
      Int32(truncatingIfNeeded: Self.number(data[start..<(start + 4)]))
    }
    let value = DESFireValue(lower: signed(1), upper: signed(5), flags: data[13])
    guard value.lower <= signed(9), signed(9) <= value.upper, data[13] <= 0x03 else {
      throw .parameterError
    }
    selected.files[index].kind = .value(value)
    selected.files[index].content = value.bytes(signed(9))
  }
}
