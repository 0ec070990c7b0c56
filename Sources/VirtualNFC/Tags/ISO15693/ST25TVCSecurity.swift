import SwiftNFCCore

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

  /// A parameter of a feature.
  private struct Parameter: Hashable {
    var feature: UInt8
    var number: UInt8

    static let protection1 = Parameter(feature: 0, number: 0)
    static let end1 = Parameter(feature: 0, number: 1)
    static let protection2 = Parameter(feature: 1, number: 0)
  }

  private static let configurationPassword = 0

  private let lastBlock: Int
  private let takesLongPassword: Bool
  private let isConfigurationLocked: Bool

  // The persistent state.
  /// RW_PROTECTION of both areas.
  private var protections: [UInt8] = [0, 0]
  /// END_A1: the last block of area 1. If it is the last block of the memory, or beyond, there is no area 2.
  private var end1: UInt8 = 0xFF
  /// The passwords for the configuration, area 1, area 2 and the untraceable mode.
  private var store: ST25TVPasswords

  init(uid: [UInt8], lastBlock: Int, takesLongPassword: Bool, isConfigurationLocked: Bool) {
    self.lastBlock = lastBlock
    self.takesLongPassword = takesLongPassword
    self.isConfigurationLocked = isConfigurationLocked
    store = ST25TVPasswords(uid: uid)
  }

  mutating func endSession() { store.endSession() }

  var passwords: [[UInt8]] { store.values }

  /// What outlasts a session.
  var registers: [UInt8] { protections + [end1] }

  private var isSingle: Bool { Int(end1) >= lastBlock }

  // MARK: Areas

  private func access(to block: Int) -> (protection: ST25TVProtection, isOpen: Bool) {
    let area = !isSingle && block > Int(end1) ? 2 : 1
    return (ST25TVProtection(bits: protections[area - 1]), store.presented == area)
  }

  func allowsRead(block: Int) -> Bool {
    guard block > 0 else { return true }
    let (protection, isOpen) = access(to: block)
    return protection.allowsRead(isOpen: isOpen)
  }

  func allowsWrite(block: Int) -> Bool {
    let (protection, isOpen) = access(to: block)
    return protection.allowsWrite(isOpen: isOpen)
  }

  // MARK: Commands

  mutating func execute(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    switch code {
    case Command.getRandomNumber where parameters.isEmpty: return store.drawRandomNumber()
    case Command.presentPassword: return store.present(parameters, isSingle: isSingle)
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
    guard store.presented == Self.configurationPassword, !isConfigurationLocked else {
      return .refusal(.locked)
    }
    switch parameter {
    case .protection1: protections[0] = value & ST25TVProtection.mask
    case .protection2: protections[1] = value & ST25TVProtection.mask
    default: end1 = value
    }
    return .data([])
  }

  private mutating func write(_ parameters: [UInt8]) -> VicinityAnswer {
    guard let number = parameters.first.map(Int.init), store.values.indices.contains(number) else {
      return .refusal(.blockNotAvailable)
    }
    let new = Array(parameters.dropFirst())
    let isLong = isSingle && takesLongPassword && number == 1
    let length = isLong ? 2 * ST25TVPasswords.length : ST25TVPasswords.length
    guard new.count == length else { return .refusal(.commandNotRecognized) }
    let coversBoth = isSingle && !takesLongPassword && store.presented == 1
    let isOpen = store.presented == number || coversBoth && number == 2
    guard isOpen else { return .refusal(.locked) }
    store.values[number] = Array(new.prefix(ST25TVPasswords.length))
    if isLong { store.values[2] = Array(new.suffix(ST25TVPasswords.length)) }
    return .data([])
  }
}
