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
    /// Empty if nothing but the host ends it.
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

  /// Whether the chip hears its host.
  enum Power: Hashable {
    case awake
    /// LowVbat or PowerDown: the fifth rising edge on the serial line wakes it (PN532 data sheet, 8.4).
    case asleep(edges: Int)
    /// PowerDown without the serial line among the sources of wake-up.
    case deaf
  }

  /// What a host may give to SetParameters (7.2.9).
  enum Parameter {
    static let automaticATRResponse: UInt8 = 0x04
    static let automaticRATS: UInt8 = 0x10
    static let withoutAmble: UInt8 = 0x40
  }

  /// Modes of SAMConfiguration (7.2.10).
  enum SAMMode {
    static let normal: UInt8 = 0x01
    static let virtualCard: UInt8 = 0x02
    static let wiredCard: UInt8 = 0x03
    static let dualCard: UInt8 = 0x04
  }

  static let initialBaudRate = 115_200
  static let initialParameters = Parameter.automaticATRResponse | Parameter.automaticRATS

  let field: VirtualField
  let model: VirtualPN532
  var power = Power.awake
  /// The chip is in LowVbat mode, which SAMConfiguration ends.
  var isInLowVbat = false
  var samMode = SAMMode.normal
  var baudRate = PN532Chip.initialBaudRate
  /// What SetSerialBaudRate has asked for; it counts from the host's ACK on (7.2.8).
  var nextBaudRate: Int?
  var registers = PN532Registers()
  var radio = RadioConfiguration()
  /// SetParameters, 7.2.9.
  var parameters = PN532Chip.initialParameters
  /// WriteGPIO, 7.2.7: P3 and P7.
  var ports: (p3: UInt8, p7: UInt8) = PN532Chip.initialPorts
  var targets: [Target] = []
  /// The number of the target that takes commands without being selected again.
  var activeTarget: UInt8?
  /// The cipher of an authenticated MIFARE Classic card.
  var cipher: MIFAREClassicSession?
  /// A tag has been put to sleep since the carrier was switched on, and how often it has been found since.
  var hasHaltedTag = false
  var haltedTagsFound = 0
  /// Tags that answered the last Polling in later slots than the one that was taken.
  var laterSlots: [RadioFrame] = []
  /// What the contactless unit's FIFO holds.
  var fifo: [UInt8] = []
  /// Frames of one byte each that a host sends by the unit's own Transmit command.
  var segments: [UInt8] = []
  /// The host gives and takes what the antenna sends and receives, parity bits included.
  var isRaw = false
  /// What has gone wrong with the last frame, where silence alone does not tell it.
  var trouble: PN532Status?
  /// A command of MIFARE is carried out, whose answers the firmware checks by their bits.
  var isWithinMIFARE = false
  /// The error that GetGeneralStatus tells: the latest, whatever has succeeded since.
  private(set) var lastStatus = PN532Status.success
  /// How long the frames took that went over the air since it was last set to zero.
  var airTime = Duration.zero
  /// What says how late a reader begins to talk; the same each time if there is none.
  var clock: (@Sendable () -> Duration)?

  var faults = FaultState()
  var trace: (@Sendable (TraceEvent) -> Void)?

  private static let initialPorts: (p3: UInt8, p7: UInt8) = (0x3F, 0x06)

  init(field: VirtualField, model: VirtualPN532 = VirtualPN532()) {
    self.field = field
    self.model = model
    powerUp()
    start()
  }

  /// The supply has come: all is as the data sheet has it.
  mutating func powerUp() {
    setCarrier(false)
    power = model.firmware.startsAsleep ? .asleep(edges: 0) : .awake
    isInLowVbat = model.firmware.startsAsleep
    baudRate = Self.initialBaudRate
    nextBaudRate = nil
    registers = PN532Registers()
    radio = RadioConfiguration()
    parameters = Self.initialParameters
    samMode = SAMMode.normal
    ports = Self.initialPorts
    (fifo, segments) = ([], [])
    lastStatus = .success
    forgetTargets()
  }

  /// Wakes the chip, and takes it out of LowVbat mode: what a reader's own controller has done.
  mutating func wake() {
    power = .awake
    isInLowVbat = false
  }

  /// Whether preamble and postamble go with frames to the host.
  var sendsAmble: Bool { parameters & Parameter.withoutAmble == 0 }

  // MARK: Commands

  mutating func execute(_ command: [UInt8]) -> Outcome {
    guard let first = command.first, let code = PN532Command(rawValue: first) else {
      return .syntaxError
    }
    nextBaudRate = nil
    if isInLowVbat, code.needsRadio { return .syntaxError }
    let parameters = Array(command.dropFirst())
    trouble = nil
    guard var answer = run(code, parameters) else { return .syntaxError }
    if code.answersWithStatus, let trouble, !answer.isSuccess { answer = .status(trouble) }
    if code.answersWithStatus, case .data(let data) = answer, let first = data.first,
      let status = PN532Status(rawValue: first & PN532Status.mask), status != .success
    {
      lastStatus = status
    }
    switch answer {
    case .data(let data): return .reply([first &+ 1] + data)
    case .waits(let attempts): return .pending(Pending(command: command, attempts: attempts))
    case .neverEnds: return .pending(Pending(command: [], attempts: nil))
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
    /// Only the host ends the command.
    case neverEnds

    /// Whether it is none of a failed exchange.
    var isSuccess: Bool {
      if case .data(let data) = self, let status = data.first {
        status & PN532Status.mask == PN532Status.success.rawValue
      } else {
        false
      }
    }

    static func status(_ status: PN532Status, _ data: [UInt8] = []) -> Answer {
      .data([status.rawValue] + data)
    }
  }

  /// `nil` for a command of a wrong length or with parameters that do not exist.
  private mutating func run(_ code: PN532Command, _ parameters: [UInt8]) -> Answer? {
    switch code {
    case .diagnose: return diagnose(parameters)
    case .getFirmwareVersion:
      return parameters.isEmpty ? .data(model.firmware.version) : nil
    case .getGeneralStatus: return parameters.isEmpty ? .data(generalStatus()) : nil
    case .readRegister: return readRegisters(parameters)
    case .writeRegister: return writeRegisters(parameters)
    case .readGPIO: return parameters.isEmpty ? .data([ports.p3, ports.p7, 0x00]) : nil
    case .writeGPIO: return writeGPIO(parameters)
    case .setSerialBaudRate: return setSerialBaudRate(parameters)
    case .setParameters:
      guard parameters.count == 1 else { return nil }
      self.parameters = parameters[0]
      return .data([])
    case .samConfiguration: return configureSAM(parameters)
    case .powerDown: return powerDown(parameters)
    case .rfConfiguration: return configureRadio(parameters)
    case .rfRegulationTest: return nil
    case .inListPassiveTarget: return listPassiveTarget(parameters)
    case .inAutoPoll: return autoPoll(parameters)
    case .inDataExchange: return dataExchange(parameters)
    case .inCommunicateThru: return communicateThru(parameters)
    case .inDeselect: return deselect(parameters)
    case .inRelease: return release(parameters)
    case .inSelect: return select(parameters)
    case .inPSL: return selectRate(parameters)
    case .inATR: return requestAttributes(parameters)
    case .inJumpForDEP, .inJumpForPSL: return jump(parameters)
    case .tgInitAsTarget:
      guard parameters.count >= 37 else { return nil }
      // No reader comes.
      forgetTargets()
      setCarrier(false)
      return .neverEnds
    case .tgGetTargetStatus: return parameters.isEmpty ? .data([0x00, 0x00]) : nil
    case .tgGetData, .tgGetInitiatorCommand, .tgSetData, .tgResponseToInitiator,
      .tgSetGeneralBytes, .tgSetMetaData:
      return .status(.invalidDeviceState)
    }
  }

  /// Switches the carrier. A target does not survive its going.
  mutating func setCarrier(_ isOn: Bool) {
    guard field.isPowered != isOn else { return }
    field.setPower(isOn, since: isOn ? clock?() ?? .zero : .zero)
    hasHaltedTag = false
    haltedTagsFound = 0
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
