import SeededRandom
import NFCCore

/// The areas of an ST25TV512C and 02KC and their passwords.
///
/// Source: ST's library st25tags, `st25tvc.c` and `st25tvc.h` (features and parameters, numbers and sizes of the
/// passwords, the random number that covers a presented one, block 0 that can always be read, the end of a session),
/// and ST's application NFC Tap (an area may end at any block, and its end may be written beyond the memory). Not
/// confirmed: the errors of the commands, the value of END_A1 on delivery, that a random number is valid once, which
/// parameter locks what, and how a password of 8 bytes is written.
struct ST25TVCSecurity: Hashable, Sendable {
  private enum Command {
    static let readConfiguration: UInt8 = 0xA0
    static let writeConfiguration: UInt8 = 0xA1
    static let writePassword: UInt8 = 0xB1
    static let presentPassword: UInt8 = 0xB3
    static let getRandomNumber: UInt8 = 0xB4
  }

  /// RW_PROTECTION: who may read and write an area.
  private enum Protection: UInt8 {
    case none = 0b00
    case write = 0b01
    case readAndWrite = 0b10
    case readAndNoWrite = 0b11
  }

  /// A parameter of a feature.
  private struct Parameter: Hashable {
    var feature: UInt8
    var number: UInt8

    static let protection1 = Parameter(feature: 0, number: 0)
    static let end1 = Parameter(feature: 0, number: 1)
    static let protection2 = Parameter(feature: 1, number: 0)
  }

  private static let protectionMask: UInt8 = 0x03
  private static let configurationPassword = 0
  private static let passwordLength = 4

  private let lastBlock: Int
  private let takesLongPassword: Bool
  private let isConfigurationLocked: Bool

  // The persistent state.
  /// RW_PROTECTION of both areas.
  private var protections: [UInt8] = [0, 0]
  /// END_A1: the last block of area 1. If it is the last block of the memory, or beyond, there is no area 2.
  private var end1: UInt8 = 0xFF
  /// The passwords for the configuration, area 1, area 2 and the untraceable mode.
  private(set) var passwords = [[UInt8]](
    repeating: [UInt8](repeating: 0, count: passwordLength), count: 4)

  // The state of a session.
  private var open: Int?
  private var random: [UInt8]?
  private var generator: SplitMix64

  init(uid: [UInt8], lastBlock: Int, takesLongPassword: Bool, isConfigurationLocked: Bool) {
    self.lastBlock = lastBlock
    self.takesLongPassword = takesLongPassword
    self.isConfigurationLocked = isConfigurationLocked
    generator = SplitMix64(seed: uid)
  }

  mutating func endSession() {
    open = nil
    random = nil
  }

  /// What outlasts a session.
  var registers: [UInt8] { protections + [end1] }

  private var isSingle: Bool { Int(end1) >= lastBlock }

  // MARK: Areas

  private func access(to block: Int) -> (protection: Protection, isOpen: Bool) {
    let area = !isSingle && block > Int(end1) ? 2 : 1
    let bits = protections[area - 1] & Self.protectionMask
    return (Protection(rawValue: bits) ?? .none, open == area)
  }

  func allowsRead(block: Int) -> Bool {
    guard block > 0 else { return true }
    let (protection, isOpen) = access(to: block)
    return switch protection {
    case .none, .write: true
    case .readAndWrite, .readAndNoWrite: isOpen
    }
  }

  func allowsWrite(block: Int) -> Bool {
    let (protection, isOpen) = access(to: block)
    return switch protection {
    case .none: true
    case .write, .readAndWrite: isOpen
    case .readAndNoWrite: false
    }
  }

  // MARK: Commands

  mutating func execute(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    switch code {
    case Command.getRandomNumber where parameters.isEmpty:
      let number = generator.bytes(2)
      random = number
      return .data(number)
    case Command.presentPassword: return present(parameters)
    case Command.writePassword: return write(parameters)
    case Command.readConfiguration:
      guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
      guard let value = value(Parameter(feature: parameters[0], number: parameters[1])) else {
        return .refusal(.blockNotAvailable)
      }
      return .data([value])
    case Command.writeConfiguration:
      guard parameters.count == 3 else { return .refusal(.commandNotRecognized) }
      return set(Parameter(feature: parameters[0], number: parameters[1]), parameters[2])
    default: return .unknown
    }
  }

  private func value(_ parameter: Parameter) -> UInt8? {
    switch parameter {
    case .protection1: protections[0]
    case .protection2: protections[1]
    case .end1: end1
    default: nil
    }
  }

  private mutating func set(_ parameter: Parameter, _ value: UInt8) -> VicinityAnswer {
    guard self.value(parameter) != nil else { return .refusal(.blockNotAvailable) }
    guard open == Self.configurationPassword, !isConfigurationLocked else {
      return .refusal(.locked)
    }
    switch parameter {
    case .protection1: protections[0] = value & Self.protectionMask
    case .protection2: protections[1] = value & Self.protectionMask
    default: end1 = value
    }
    return .data([])
  }

  /// Returns a password. The password of a single area consists of those of both areas.
  private func password(_ number: Int) -> [UInt8]? {
    guard passwords.indices.contains(number) else { return nil }
    guard isSingle else { return passwords[number] }
    return switch number {
    case 1: passwords[1] + passwords[2]
    case 2: nil
    default: passwords[number]
    }
  }

  private mutating func present(_ parameters: [UInt8]) -> VicinityAnswer {
    open = nil
    guard let number = parameters.first.map(Int.init), let password = password(number) else {
      return .refusal(.blockNotAvailable)
    }
    guard parameters.count == 1 + password.count else { return .refusal(.commandNotRecognized) }
    guard let cover = random else { return .refusal(.unknown) }
    random = nil
    let given = parameters.dropFirst().enumerated().map { $0.element ^ cover[$0.offset % 2] }
    guard given == password else { return .refusal(.unknown) }
    open = number
    return .data([])
  }

  private mutating func write(_ parameters: [UInt8]) -> VicinityAnswer {
    guard let number = parameters.first.map(Int.init), passwords.indices.contains(number) else {
      return .refusal(.blockNotAvailable)
    }
    let new = Array(parameters.dropFirst())
    let isLong = isSingle && takesLongPassword && number == 1
    let length = isLong ? 2 * Self.passwordLength : Self.passwordLength
    guard new.count == length else { return .refusal(.commandNotRecognized) }
    let isOpen = open == number || isSingle && !takesLongPassword && open == 1 && number == 2
    guard isOpen else { return .refusal(.locked) }
    passwords[number] = Array(new.prefix(Self.passwordLength))
    if isLong { passwords[2] = Array(new.suffix(Self.passwordLength)) }
    return .data([])
  }
}
