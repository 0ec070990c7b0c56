import SeededRandom
import NFCCore

/// The areas of an ST25TV02K and their passwords.
///
/// Source: ST's NFC SDK: ST25TVTag (numbers of registers and passwords, the two halves of a long
/// password, the areas), its registers A1SS and A2SS, TagHelper (a presented password is combined with a
/// random number), ST25TVUtils (presenting another password, or a wrong one, ends the session), and ST's
/// application (a new password is sent unchanged). Three facts are not confirmed: the errors of the
/// commands, that the memory has one area on delivery, and that a random number is valid once.
struct ST25TVSecurity: Hashable, Sendable {
  private enum Command {
    static let readConfiguration: UInt8 = 0xA0
    static let writeConfiguration: UInt8 = 0xA1
    static let writePassword: UInt8 = 0xB1
    static let presentPassword: UInt8 = 0xB3
    static let getRandomNumber: UInt8 = 0xB4
  }

  /// The protection of an area: bits 0 and 1 of A1SS and A2SS.
  private enum Protection: UInt8 {
    case none = 0
    case write = 1
    case readAndWrite = 2
    case readAndNoWrite = 3
  }

  private static let protectionMask: UInt8 = 0x03
  /// MEM_ORG, bit 2 of A1SS.
  private static let singleArea: UInt8 = 0x04
  private static let configurationPassword = 3
  private static let passwordLength = 4

  // The persistent state.
  /// A1SS and A2SS.
  private(set) var registers: [UInt8]
  /// The passwords for kill, area 1, area 2 and the configuration.
  private(set) var passwords = [[UInt8]](
    repeating: [UInt8](repeating: 0, count: passwordLength), count: 4)

  // The state of a session.
  private var open: Int?
  private var random: [UInt8]?
  private var generator: SplitMix64

  init(uid: [UInt8], isDivided: Bool) {
    registers = [isDivided ? 0 : Self.singleArea, 0]
    generator = SplitMix64(seed: uid)
  }

  mutating func endSession() {
    open = nil
    random = nil
  }

  private var isSingle: Bool { registers[0] & Self.singleArea != 0 }

  // MARK: Areas

  private func access(isSecondHalf: Bool) -> (protection: Protection, isOpen: Bool) {
    let area = isSecondHalf && !isSingle ? 2 : 1
    let bits = registers[area - 1] & Self.protectionMask
    return (Protection(rawValue: bits) ?? .none, open == area)
  }

  func allowsRead(isSecondHalf: Bool) -> Bool {
    let (protection, isOpen) = access(isSecondHalf: isSecondHalf)
    return switch protection {
    case .none, .write: true
    case .readAndWrite, .readAndNoWrite: isOpen
    }
  }

  func allowsWrite(isSecondHalf: Bool) -> Bool {
    let (protection, isOpen) = access(isSecondHalf: isSecondHalf)
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
      guard parameters.count == 1 else { return .refusal(.commandNotRecognized) }
      guard let value = register(parameters[0]) else { return .refusal(.blockNotAvailable) }
      return .data([registers[value]])
    case Command.writeConfiguration:
      guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
      guard let index = register(parameters[0]) else { return .refusal(.blockNotAvailable) }
      guard open == Self.configurationPassword else { return .refusal(.locked) }
      registers[index] = parameters[1] & (index == 0 ? 0x07 : Self.protectionMask)
      return .data([])
    default: return .unknown
    }
  }

  private func register(_ number: UInt8) -> Int? {
    registers.indices.contains(Int(number)) ? Int(number) : nil
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
    guard parameters.count == 1 + Self.passwordLength else {
      return .refusal(.commandNotRecognized)
    }
    let number = Int(parameters[0])
    guard passwords.indices.contains(number) else { return .refusal(.blockNotAvailable) }
    let isOpen = open == number || isSingle && open == 1 && number == 2
    guard isOpen else { return .refusal(.locked) }
    passwords[number] = Array(parameters.dropFirst())
    return .data([])
  }
}
