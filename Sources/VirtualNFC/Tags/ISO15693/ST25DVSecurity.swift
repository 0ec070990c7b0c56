import SwiftNFCCore

/// The supported custom commands of ST25DV (data sheet DS10925, 7.6; ST's RFAL, `rfal_nfcv.h` and `rfal_st25xv.h`).
enum ST25DVCommand {
  static let readDynamicConfiguration: UInt8 = 0xAD
  static let writeDynamicConfiguration: UInt8 = 0xAE
  static let fastReadDynamicConfiguration: UInt8 = 0xCD
  static let fastWriteDynamicConfiguration: UInt8 = 0xCE
  /// Write Message, Read Message Length, Read Message, and the same with fast answers.
  static let mailbox: Set<UInt8> = [0xAA, 0xAB, 0xAC, 0xCA, 0xCB, 0xCC]
  /// The standard's reads with fast answers: single and multiple blocks, and the extended ones.
  static let fastReads: [UInt8: UInt8] = [0xC0: 0x20, 0xC3: 0x23, 0xC4: 0x30, 0xC5: 0x33]
  static let fast: Set<UInt8> = [0xC0, 0xC3, 0xC4, 0xC5, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE]
  static let readConfiguration: UInt8 = 0xA0
  static let writeConfiguration: UInt8 = 0xA1
  static let writePassword: UInt8 = 0xB1
  static let presentPassword: UInt8 = 0xB3
}

/// The four areas of an ST25DV's memory and their passwords.
///
/// Password 0 is for the configuration, 1 to 3 for the areas that refer to them; only one session is open
/// at a time. Source: data sheet DS10925, 5.6 and 7.6; the registers are from ST's driver (st25dv_reg.h).
/// Two facts are not confirmed on a chip: the errors of the commands, and that a wrong password ends a
/// session. It is not checked that an area ends after the previous one.
struct ST25DVSecurity: Hashable, Sendable {
  /// The protection of an area (register RFAxSS, bits 2 and 3).
  private enum Protection: UInt8 {
    case none = 0
    case write = 1
    case readAndWrite = 2
    case readAndNoWrite = 3
  }

  /// The registers RFA1SS, ENDA1, RFA2SS and so on to RFA4SS, whose area has no end register.
  static let registerPointers: ClosedRange<UInt8> = 0x04...0x0A
  private static let areaCount = 4
  /// The unit of an area's end, in bytes.
  private static let unit = 32
  private static let passwordMask: UInt8 = 0x03
  private static let protectionShift: UInt8 = 2
  static let passwordLength = 8
  static let configurationPassword = 0

  /// GPO, IT_TIME, EH_MODE, RF_MNGT, MB_MODE, MB_WDG and LOCK_CFG, with the values of the factory. Their effects, except
  /// that of the last, are on the I²C side or on the field.
  private static let otherRegisters: [UInt8: UInt8] = [
    0x00: 0x88, 0x01: 0x03, 0x02: 0x01, 0x03: 0x00, 0x0D: 0x00, 0x0E: 0x07, lockPointer: 0x00,
  ]
  private static let lockPointer: UInt8 = 0x0F
  private static let lockBit: UInt8 = 0x01

  /// GPO_CTRL_Dyn, EH_CTRL_Dyn and MB_CTRL_Dyn.
  private static let dynamicPointers: Set<UInt8> = [0x00, 0x02, 0x0D]
  private static let harvestingPointer: UInt8 = 0x02
  private static let mailboxPointer: UInt8 = 0x0D
  /// EH_EN, the only bit of EH_CTRL_Dyn that can be written; EH_ON, and FIELD_ON. VCC_ON is clear.
  private static let (harvestingEnabled, harvestingOn, fieldOn): (UInt8, UInt8, UInt8) = (
    0x01, 0x02, 0x04
  )
  private static let mailboxEnabled: UInt8 = 0x01

  // The persistent state.
  private var registers: [UInt8]
  private var others = otherRegisters
  /// Lost without power.
  private var harvests = false
  private var passwords = [[UInt8]](
    repeating: [UInt8](repeating: 0, count: passwordLength), count: areaCount)
  /// The last password that was presented; it is lost without power.
  private var open: Int?

  /// Creates a memory with a single area, area 1, without protection.
  init(memorySize: Int) {
    registers = Self.registerPointers.map { pointer in
      pointer.isMultiple(of: 2) ? 0 : UInt8(clamping: memorySize / Self.unit - 1)
    }
  }

  mutating func endSession() {
    open = nil
    harvests = false
  }

  /// Whether the configuration can no longer be changed through the field.
  var isConfigurationLocked: Bool { others[Self.lockPointer, default: 0] & Self.lockBit != 0 }

  // MARK: Areas

  private func area(ofByte offset: Int) -> Int {
    let place = offset / Self.unit
    return (0..<(Self.areaCount - 1)).first { place <= Int(registers[2 * $0 + 1]) }
      ?? Self.areaCount - 1
  }

  private func access(toByte offset: Int) -> (area: Int, protection: Protection, isOpen: Bool) {
    let area = area(ofByte: offset)
    let security = registers[2 * area]
    let password = Int(security & Self.passwordMask)
    let bits = security >> Self.protectionShift & Self.passwordMask
    return (
      area, Protection(rawValue: bits) ?? .none,
      password != Self.configurationPassword && password == open
    )
  }

  /// Returns whether a byte can be read. Area 1 can always be read.
  func allowsRead(byte offset: Int) -> Bool {
    let (area, protection, isOpen) = access(toByte: offset)
    switch protection {
    case .none, .write: return true
    case .readAndWrite, .readAndNoWrite: return area == 0 || isOpen
    }
  }

  func allowsWrite(byte offset: Int) -> Bool {
    let (_, protection, isOpen) = access(toByte: offset)
    switch protection {
    case .none: return true
    case .write, .readAndWrite: return isOpen
    case .readAndNoWrite: return false
    }
  }

  // MARK: Commands

  mutating func execute(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    switch code {
    case ST25DVCommand.presentPassword, ST25DVCommand.writePassword:
      guard parameters.count == 1 + Self.passwordLength else {
        return .refusal(.commandNotRecognized)
      }
      let number = Int(parameters[0])
      guard passwords.indices.contains(number) else { return .refusal(.blockNotAvailable) }
      let value = Array(parameters.dropFirst())
      return code == ST25DVCommand.presentPassword
        ? present(number, value) : write(number, value)
    case ST25DVCommand.readConfiguration:
      guard parameters.count == 1 else { return .refusal(.commandNotRecognized) }
      if let value = others[parameters[0]] { return .data([value]) }
      guard let index = register(parameters[0]) else { return .refusal(.blockNotAvailable) }
      return .data([registers[index]])
    case ST25DVCommand.writeConfiguration:
      guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
      return write(parameters[1], toRegister: parameters[0])
    case ST25DVCommand.readDynamicConfiguration, ST25DVCommand.fastReadDynamicConfiguration:
      guard parameters.count == 1 else { return .refusal(.commandNotRecognized) }
      return readDynamic(parameters[0])
    case ST25DVCommand.writeDynamicConfiguration, ST25DVCommand.fastWriteDynamicConfiguration:
      guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
      return writeDynamic(parameters[1], parameters[0])
    // The mailbox works only with a supply on the I²C side.
    case let code where ST25DVCommand.mailbox.contains(code): return .refusal(.unknown)
    default: return .unknown
    }
  }

  private mutating func write(_ value: UInt8, toRegister pointer: UInt8) -> VicinityAnswer {
    let index = register(pointer)
    guard index != nil || others[pointer] != nil else { return .refusal(.blockNotAvailable) }
    guard open == Self.configurationPassword, !isConfigurationLocked else {
      return .refusal(.locked)
    }
    if let index { registers[index] = value } else { others[pointer] = value }
    return .data([])
  }

  private func readDynamic(_ pointer: UInt8) -> VicinityAnswer {
    guard Self.dynamicPointers.contains(pointer) else { return .refusal(.blockNotAvailable) }
    switch pointer {
    case Self.mailboxPointer: return .data([0])
    case Self.harvestingPointer:
      return .data([Self.fieldOn | (harvests ? Self.harvestingEnabled | Self.harvestingOn : 0)])
    default: return .data([others[pointer, default: 0]])
    }
  }

  private mutating func writeDynamic(_ value: UInt8, _ pointer: UInt8) -> VicinityAnswer {
    switch pointer {
    case Self.harvestingPointer:
      harvests = value & Self.harvestingEnabled != 0
      return .data([])
    case Self.mailboxPointer:
      return value & Self.mailboxEnabled == 0 ? .data([]) : .refusal(.unknown)
    default: return .refusal(.blockNotAvailable)
    }
  }

  private func register(_ pointer: UInt8) -> Int? {
    guard Self.registerPointers.contains(pointer) else { return nil }
    return Int(pointer - Self.registerPointers.lowerBound)
  }

  private mutating func present(_ number: Int, _ value: [UInt8]) -> VicinityAnswer {
    guard passwords[number] == value else {
      open = nil
      return .refusal(.unknown)
    }
    open = number
    return .data([])
  }

  private mutating func write(_ number: Int, _ value: [UInt8]) -> VicinityAnswer {
    guard open == number else { return .refusal(.locked) }
    passwords[number] = value
    return .data([])
  }
}
