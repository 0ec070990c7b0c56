import SwiftNFCCore

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

  /// MEM_ORG, bit 2 of A1SS.
  private static let singleArea: UInt8 = 0x04
  private static let configurationPassword = 3

  // The persistent state.
  /// A1SS and A2SS.
  private(set) var registers: [UInt8]
  /// The passwords for kill, area 1, area 2 and the configuration.
  private var store: ST25TVPasswords

  init(uid: [UInt8], isDivided: Bool) {
    registers = [isDivided ? 0 : Self.singleArea, 0]
    store = ST25TVPasswords(uid: uid)
  }

  mutating func endSession() { store.endSession() }

  var passwords: [[UInt8]] { store.values }

  private var isSingle: Bool { registers[0] & Self.singleArea != 0 }

  // MARK: Areas

  private func access(isSecondHalf: Bool) -> (protection: ST25TVProtection, isOpen: Bool) {
    let area = isSecondHalf && !isSingle ? 2 : 1
    return (ST25TVProtection(bits: registers[area - 1]), store.presented == area)
  }

  func allowsRead(isSecondHalf: Bool) -> Bool {
    let (protection, isOpen) = access(isSecondHalf: isSecondHalf)
    return protection.allowsRead(isOpen: isOpen)
  }

  func allowsWrite(isSecondHalf: Bool) -> Bool {
    let (protection, isOpen) = access(isSecondHalf: isSecondHalf)
    return protection.allowsWrite(isOpen: isOpen)
  }

  // MARK: Commands

  mutating func execute(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    switch code {
    case Command.getRandomNumber where parameters.isEmpty: return store.drawRandomNumber()
    case Command.presentPassword: return store.present(parameters, isSingle: isSingle)
    case Command.writePassword: return write(parameters)
    case Command.readConfiguration:
      guard parameters.count == 1 else { return .refusal(.commandNotRecognized) }
      guard let value = register(parameters[0]) else { return .refusal(.blockNotAvailable) }
      return .data([registers[value]])
    case Command.writeConfiguration:
      guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
      guard let index = register(parameters[0]) else { return .refusal(.blockNotAvailable) }
      guard store.presented == Self.configurationPassword else { return .refusal(.locked) }
      registers[index] = parameters[1] & (index == 0 ? 0x07 : ST25TVProtection.mask)
      return .data([])
    default: return .unknown
    }
  }

  private func register(_ number: UInt8) -> Int? {
    registers.indices.contains(Int(number)) ? Int(number) : nil
  }

  private mutating func write(_ parameters: [UInt8]) -> VicinityAnswer {
    guard parameters.count == 1 + ST25TVPasswords.length else {
      return .refusal(.commandNotRecognized)
    }
    let number = Int(parameters[0])
    guard store.values.indices.contains(number) else { return .refusal(.blockNotAvailable) }
    let isOpen = store.presented == number || isSingle && store.presented == 1 && number == 2
    guard isOpen else { return .refusal(.locked) }
    store.values[number] = Array(parameters.dropFirst())
    return .data([])
  }
}
