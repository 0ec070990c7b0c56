import NFC

/// The custom commands of ST's dynamic tags for their areas (ST25DV data sheet DS10925, 5.6 and 7.6; registers
/// as in ST's drivers, st25dv_reg.h).
struct ST25DVCommands: Sendable {
  let tag: any ISO15693Tag

  init(_ tag: any ISO15693Tag) { self.tag = tag }

  private enum Code {
    static let readConfiguration: UInt8 = 0xA0
    static let writeConfiguration: UInt8 = 0xA1
    static let writePassword: UInt8 = 0xB1
    static let presentPassword: UInt8 = 0xB3
  }

  /// RFA1SS, ENDA1, RFA2SS, ENDA2, RFA3SS, ENDA3, RFA4SS.
  static let registers: ClosedRange<UInt8> = 0x04...0x0A
  /// RFA1SS.
  static let securityOfArea1: UInt8 = 0x04
  static let passwordSize = 8
  /// As the chip leaves the factory.
  static let factoryPassword = [UInt8](repeating: 0, count: passwordSize)
  /// The password of the configuration, and the one that `nfc protect` gives area 1.
  static let configurationPassword: UInt8 = 0
  static let areaPassword: UInt8 = 1
  static let blockSize = 4
  /// What the end of an area is counted in, in bytes.
  private static let unit = 32
  private static let st: UInt8 = 0x02

  /// RW_PROTECTION, bits 2 and 3 of a security register.
  enum Access: UInt8 {
    case open = 0
    case writePassword = 1
    case bothPassword = 2
    case readPasswordNoWrite = 3

    private static let shift: UInt8 = 2
    private static let mask: UInt8 = 0x03

    init(register: UInt8) { self = Access(rawValue: register >> Self.shift & Self.mask) ?? .open }

    /// The register for this access with a password.
    func register(password: UInt8) -> UInt8 { rawValue << Self.shift | password }
  }

  /// One of up to four areas.
  struct Area: Hashable, Sendable {
    var blocks: Range<Int>
    var access: Access
    /// Area 1 can always be read.
    var isFirst: Bool

    var needsPasswordToRead: Bool {
      !isFirst && (access == .bothPassword || access == .readPasswordNoWrite)
    }
    var needsPasswordToWrite: Bool { access == .writePassword || access == .bothPassword }
    var isReadOnly: Bool { access == .readPasswordNoWrite }

    var text: String {
      switch (needsPasswordToRead, needsPasswordToWrite, isReadOnly) {
      case (false, false, false): "read and write"
      case (false, true, _): "read, and write with a password"
      case (true, true, _): "read and write with a password"
      case (true, false, _): "read with a password, never write"
      case (false, false, true): "read only"
      }
    }
  }

  private func send(_ code: UInt8, _ parameters: [UInt8]) async throws -> [UInt8] {
    try await tag.send(.custom(code: code, manufacturer: Self.st, parameters: parameters))
  }

  /// Reads one register of the configuration.
  func register(_ number: UInt8) async throws -> UInt8 {
    guard let value = try await send(Code.readConfiguration, [number]).first else {
      throw NFCError(.tagResponseError, "the tag's answer about its configuration is empty")
    }
    return value
  }

  /// The areas that the memory is divided into; seven exchanges.
  func areas(memorySize: Int) async throws -> [Area] {
    var values: [UInt8] = []
    for number in Self.registers { values.append(try await register(number)) }
    var areas: [Area] = []
    var start = 0
    for index in stride(from: 0, to: values.count, by: 2) {
      let hasEnd = index + 1 < values.count
      let end = hasEnd ? min(memorySize, (Int(values[index + 1]) + 1) * Self.unit) : memorySize
      guard end > start else { break }
      areas.append(
        Area(
          blocks: start / Self.blockSize..<end / Self.blockSize,
          access: Access(register: values[index]), isFirst: index == 0))
      start = end
    }
    return areas
  }

  /// Presents a password, which opens what needs it until the field is off or another is presented.
  ///
  /// - Throws: `NFCError` `authenticationFailed`.
  func present(_ password: [UInt8], number: UInt8) async throws {
    do {
      _ = try await send(Code.presentPassword, [number] + password)
    } catch let error as NFCError where error.group == .refusal {
      var failure = NFCError(.authenticationFailed, "the password is wrong")
      failure.cause = error.cause
      throw failure
    }
  }

  /// Writes a new password. The old one has to be presented before.
  func write(_ password: [UInt8], number: UInt8) async throws {
    _ = try await send(Code.writePassword, [number] + password)
  }

  /// Writes a register of the configuration, whose password has to be presented before.
  func write(_ value: UInt8, register: UInt8) async throws {
    _ = try await send(Code.writeConfiguration, [register, value])
  }
}
