import NFCCore

/// The PN532 itself: commands in, answers out, and the field between them.
///
/// It has no clock, no thread and no serial line; ``VirtualReader`` gives it those. What a command
/// does, and what is answered to a wrong one, is as the user manual UM0701-02 says and, where that is
/// silent, as published traces show.
struct PN532Chip {
  /// What follows a command.
  enum Outcome {
    /// The response code and data.
    case reply([UInt8])
    /// The syntax error frame: an unknown command or one of a wrong length.
    case syntaxError
    /// The command runs on; ``PN532Chip/proceed(_:)`` asks it again.
    case pending(Pending)
  }

  /// A command that waits for something to come into the field.
  struct Pending {
    var command: [UInt8]
    /// How often it is to be tried again, every ``PN532Chip/pollPeriod``; `nil` until it is aborted.
    var attempts: Int?
  }

  /// A target that InListPassiveTarget, InAutoPoll or the like has found.
  struct Target {
    enum Kind {
      case typeA(uid: [UInt8], sak: UInt8)
      case typeB(pupi: [UInt8])
      case feliCa(idm: [UInt8])
      case jewel(uid: [UInt8])
    }

    var number: UInt8
    var kind: Kind
    var bitRate: Int
    /// Set while ISO/IEC 14443-4 is spoken.
    var blocks: BlockInitiator?
  }

  /// IC, version, revision and support of the chip that is modelled (7.2.2).
  static let firmware: [UInt8] = [0x32, 0x01, 0x06, 0x07]

  let field: VirtualField
  var registers = PN532Registers()
  var targets: [Target] = []
  /// The number of the target that takes commands without being selected anew.
  var activeTarget: UInt8?
  /// The cipher of an authenticated MIFARE Classic card.
  var cipher: MIFAREClassicSession?
  /// SetParameters, 7.2.9.
  var parameters: UInt8 = Parameter.automaticATRResponse | Parameter.automaticRATS
  /// RFConfiguration item 5: how often an activation is tried again, 255 for ever.
  var passiveActivationRetries: UInt8 = 0xFF
  /// What the contactless unit's FIFO holds.
  var fifo: [UInt8] = []
  /// Frames of one byte each that a host sends by the unit's own Transmit command.
  var segments: [UInt8] = []
  /// The error that GetGeneralStatus tells: the latest, whatever has succeeded since.
  private(set) var lastStatus = PN532Status.success

  var faults = FaultState()
  var trace: (@Sendable (TraceEvent) -> Void)?

  enum Parameter {
    static let automaticATRResponse: UInt8 = 0x04
    static let automaticRATS: UInt8 = 0x10
  }

  init(field: VirtualField) {
    self.field = field
  }

  // MARK: Commands

  mutating func execute(_ command: [UInt8]) -> Outcome {
    guard let first = command.first, let code = PN532Command(rawValue: first) else {
      return .syntaxError
    }
    let parameters = Array(command.dropFirst())
    guard let answer = run(code, parameters) else { return .syntaxError }
    if code.answersWithStatus, case .data(let data) = answer, let first = data.first,
      let status = PN532Status(rawValue: first & PN532Status.mask), status != .success
    {
      lastStatus = status
    }
    switch answer {
    case .data(let data): return .reply([first &+ 1] + data)
    case .waits(let attempts): return .pending(Pending(command: command, attempts: attempts))
    }
  }

  /// Tries a waiting command once more; `nil` while there is nothing to answer.
  mutating func proceed(_ pending: inout Pending) -> [UInt8]? {
    guard let first = pending.command.first, let code = PN532Command(rawValue: first) else {
      return nil
    }
    if let attempts = pending.attempts {
      guard attempts > 0 else { return [first &+ 1, 0] }
      pending.attempts = attempts - 1
    }
    guard case .data(let data) = run(code, Array(pending.command.dropFirst())) else { return nil }
    return [first &+ 1] + data
  }

  enum Answer {
    case data([UInt8])
    case waits(attempts: Int?)

    static func status(_ status: PN532Status, _ data: [UInt8] = []) -> Answer {
      .data([status.rawValue] + data)
    }
  }

  /// `nil` for a command of a wrong length or with parameters that do not exist.
  private mutating func run(_ code: PN532Command, _ parameters: [UInt8]) -> Answer? {
    switch code {
    case .diagnose: return diagnose(parameters)
    case .getFirmwareVersion: return parameters.isEmpty ? .data(Self.firmware) : nil
    case .getGeneralStatus: return parameters.isEmpty ? .data(generalStatus()) : nil
    case .readRegister: return readRegisters(parameters)
    case .writeRegister: return writeRegisters(parameters)
    case .readGPIO: return parameters.isEmpty ? .data([0x3F, 0x06, 0x00]) : nil
    case .writeGPIO: return parameters.count == 2 ? .data([]) : nil
    case .setSerialBaudRate:
      return parameters.count == 1 && parameters[0] <= 8 ? .data([]) : nil
    case .setParameters:
      guard parameters.count == 1 else { return nil }
      self.parameters = parameters[0]
      return .data([])
    case .samConfiguration:
      guard (1...3).contains(parameters.count), (1...4).contains(parameters[0]) else { return nil }
      return .data([])
    case .powerDown:
      guard (1...2).contains(parameters.count) else { return nil }
      releaseAll()
      setCarrier(false)
      return .status(.success)
    case .rfConfiguration: return configureRadio(parameters)
    case .rfRegulationTest: return nil
    case .inListPassiveTarget: return listPassiveTarget(parameters)
    case .inAutoPoll: return autoPoll(parameters)
    case .inDataExchange: return dataExchange(parameters)
    case .inCommunicateThru: return communicateThru(parameters)
    case .inDeselect: return deselect(parameters)
    case .inRelease: return release(parameters)
    case .inSelect: return select(parameters)
    case .inPSL: return parameters.count == 3 ? .status(.operationNotAllowed) : nil
    case .inATR: return parameters.count >= 2 ? .status(.timeOut) : nil
    case .inJumpForDEP, .inJumpForPSL:
      // No peer of ISO/IEC 18092 stands in the field.
      guard parameters.count >= 3 else { return nil }
      setCarrier(true)
      return .status(.timeOut)
    case .tgInitAsTarget:
      return parameters.count >= 37 ? .waits(attempts: nil) : nil
    case .tgGetTargetStatus: return parameters.isEmpty ? .data([0x00, 0x00]) : nil
    case .tgGetData, .tgGetInitiatorCommand, .tgSetData, .tgResponseToInitiator,
      .tgSetGeneralBytes, .tgSetMetaData:
      return .status(.invalidDeviceState)
    }
  }

  // MARK: Miscellaneous

  private enum DiagnoseTest {
    static let communicationLine: UInt8 = 0x00
    static let rom: UInt8 = 0x01
    static let ram: UInt8 = 0x02
    static let polling: UInt8 = 0x04
    static let echoBack: UInt8 = 0x05
    static let cardPresence: UInt8 = 0x06
    static let selfAntenna: UInt8 = 0x07
  }

  private mutating func diagnose(_ parameters: [UInt8]) -> Answer? {
    guard let test = parameters.first else { return nil }
    switch test {
    case DiagnoseTest.communicationLine: return .data(parameters)
    case DiagnoseTest.rom, DiagnoseTest.ram, DiagnoseTest.selfAntenna: return .data([0x00])
    case DiagnoseTest.polling: return .data([0x80])
    case DiagnoseTest.echoBack: return .waits(attempts: nil)
    case DiagnoseTest.cardPresence:
      guard let index = activeIndex(), let blocks = targets[index].blocks else {
        return .status(.wrongContext)
      }
      let isPresent = blocks.isPresent { sendBlock($0, to: index) }
      return .status(isPresent ? .success : .timeOut)
    default: return nil
    }
  }

  private func generalStatus() -> [UInt8] {
    var status: [UInt8] = [lastStatus.rawValue, 0x00, UInt8(targets.count)]
    for target in targets {
      let rate: UInt8 = target.bitRate == 212 ? 1 : target.bitRate == 424 ? 2 : 0
      let type: UInt8 =
        switch target.kind {
        case .typeA, .typeB: 0x00
        case .feliCa: 0x10
        case .jewel: 0x02
        }
      status += [target.number, rate, rate, type]
    }
    return status + [0x00]
  }

  private enum ConfigurationItem {
    static let carrier: UInt8 = 0x01
    static let timings: UInt8 = 0x02
    static let maximumRetriesOfCommunication: UInt8 = 0x04
    static let maximumRetries: UInt8 = 0x05
    static let analogue106A: UInt8 = 0x0A
    static let analogue212: UInt8 = 0x0B
    static let analogueB: UInt8 = 0x0C
    static let analogueISO14443: UInt8 = 0x0D
  }

  private mutating func configureRadio(_ parameters: [UInt8]) -> Answer? {
    guard let item = parameters.first else { return nil }
    switch (item, parameters.count) {
    case (ConfigurationItem.carrier, 2):
      if parameters[1] & 1 == 0 { forgetTargets() }
      setCarrier(parameters[1] & 1 == 1)
    case (ConfigurationItem.timings, 4), (ConfigurationItem.maximumRetriesOfCommunication, 2),
      (ConfigurationItem.analogue106A, 12), (ConfigurationItem.analogue212, 9),
      (ConfigurationItem.analogueB, 4), (ConfigurationItem.analogueISO14443, 10):
      break
    case (ConfigurationItem.maximumRetries, 4):
      passiveActivationRetries = parameters[3]
    default:
      return nil
    }
    return .data([])
  }

  /// Switches the carrier. A target does not survive its going.
  mutating func setCarrier(_ isOn: Bool) {
    guard field.isPowered != isOn else { return }
    field.setPower(isOn)
    if isOn {
      registers[PN532Registers.txControl] |= PN532Registers.antennaOn
    } else {
      registers[PN532Registers.txControl] &= ~PN532Registers.antennaOn
    }
    trace?(.carrier(isOn))
  }

  func activeIndex() -> Int? {
    targets.firstIndex { $0.number == activeTarget }
  }

  mutating func forgetTargets() {
    targets = []
    activeTarget = nil
    cipher = nil
  }
}
