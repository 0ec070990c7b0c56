import SwiftNFCCore

/// The PN532 chip: it executes commands, uses the field, and returns answers.
///
/// It has no clock, no thread and no serial line; ``VirtualReader`` provides those. The effect of a
/// command, and the answer to a wrong one, follow the user manual UM0701-02 and, where that is silent,
/// published traces.
struct PN532Chip {
  /// The result of a command.
  enum Outcome {
    /// The response code and data.
    case reply([UInt8])
    /// The syntax error frame: an unknown command or one of a wrong length.
    case syntaxError
    /// The command is still running; ``PN532Chip/proceed(_:)`` continues it.
    case pending(Pending)
  }

  /// A command that waits for a tag to enter the field.
  struct Pending {
    /// The command; empty if only the host can end it.
    var command: [UInt8]
    /// The number of further attempts; `nil` for attempts until the command is aborted.
    var attempts: Int?
    /// The time from one attempt to the next, if the command names one.
    var period: Duration?
  }

  /// A target found by InListPassiveTarget, InAutoPoll or a related command.
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
    /// The ISO/IEC 14443-4 session; `nil` if the target does not use that protocol.
    var blocks: BlockInitiator?
  }

  /// Whether the chip receives commands from its host.
  enum Power: Hashable {
    case awake
    /// LowVbat or PowerDown: the fifth rising edge on the serial line wakes it (PN532 data sheet, 8.4).
    case asleep(edges: Int)
    /// PowerDown without the serial line among the sources of wake-up.
    case deaf
  }

  /// The bits of SetParameters that a host may set (7.2.9).
  enum Parameter {
    static let automaticATRResponse: UInt8 = 0x04
    static let automaticRATS: UInt8 = 0x10
    /// fISO14443-4_PICC: as a card, the firmware runs ISO/IEC 14443-4.
    static let isPICC: UInt8 = 0x20
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
  static let initialParameters =
    Parameter.automaticATRResponse | Parameter.automaticRATS | Parameter.isPICC

  let field: VirtualField
  let model: VirtualPN532
  /// The chip as a card.
  let target: TargetUnit
  /// What is in front of the antenna in addition to the field's tags.
  let facing: FacingPlace
  /// Whether the host has sent something that ends the running command.
  var isInterrupted: @Sendable () -> Bool = { false }
  /// Whether the host has asked for a command since the last activation.
  var hasRequestedCommand = false
  var power = Power.awake
  /// Whether the chip is in LowVbat mode, which SAMConfiguration ends.
  var isInLowVbat = false
  var samMode = SAMMode.normal
  var baudRate = PN532Chip.initialBaudRate
  /// The baud rate requested by SetSerialBaudRate, which takes effect after the host's ACK (7.2.8).
  var nextBaudRate: Int?
  var registers = PN532Registers()
  var radio = RadioConfiguration()
  /// The flags of SetParameters (7.2.9).
  var parameters = PN532Chip.initialParameters
  /// The output ports P3 and P7 of WriteGPIO (7.2.7).
  var ports: (p3: UInt8, p7: UInt8) = PN532Chip.initialPorts
  var targets: [Target] = []
  /// The number of the target that receives commands without being selected again.
  var activeTarget: UInt8?
  /// The cipher of an authenticated MIFARE Classic card.
  var cipher: MIFAREClassicSession?
  /// Whether a tag has been put to sleep since the carrier was switched on, and the number of times that
  /// it has been found since.
  var hasHaltedTag = false
  var haltedTagsFound = 0
  /// Answers to the last Polling in later slots than the selected one.
  var laterSlots: [RadioFrame] = []
  /// The content of the contactless unit's FIFO.
  var fifo: [UInt8] = []
  /// The frames of one byte each that a host sends by the unit's own Transmit command.
  var segments: [UInt8] = []
  /// Whether the host sends and receives the bits of the antenna, including parity bits.
  var isRaw = false
  /// The error of the last frame, if it is more specific than silence.
  var errorStatus: PN532Status?
  /// Whether a MIFARE command is running. The firmware checks the number of bits in its answers.
  var isWithinMIFARE = false
  /// The error that GetGeneralStatus reports: the latest one, even after later successes.
  private(set) var lastStatus = PN532Status.success
  /// The total time of frames over the air since this was last set to zero.
  var airTime = Duration.zero
  /// The time at which the carrier was switched on, and the time of frames over the air since then, which need not take
  /// real time.
  var carrierStart = (clock: ContinuousClock.now, airTime: Duration.zero)
  /// The clock that determines how late a reader begins to communicate; without it, the delay is always
  /// the same.
  var clock: (@Sendable () -> Duration)?

  var faults = FaultState()
  var trace: (@Sendable (TraceEvent) -> Void)?

  private static let initialPorts: (p3: UInt8, p7: UInt8) = (0x3F, 0x06)

  init(
    field: VirtualField, model: VirtualPN532 = VirtualPN532(), target: TargetUnit? = nil,
    facing: FacingPlace = FacingPlace()
  ) {
    self.field = field
    self.model = model
    self.target = target ?? TargetUnit(model.target) {}
    self.facing = facing
    powerUp()
    start()
  }

  /// Powers the chip up: all values are those of the data sheet.
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
    target.leave()
    forgetTargets()
  }

  /// Wakes the chip and ends LowVbat mode, as a reader's own controller does.
  mutating func wake() {
    power = .awake
    isInLowVbat = false
  }

  /// Whether frames to the host have a preamble and a postamble.
  var sendsAmble: Bool { parameters & Parameter.withoutAmble == 0 }

  // MARK: Commands

  mutating func execute(_ command: [UInt8]) -> Outcome {
    guard let first = command.first, let code = PN532Command(rawValue: first) else {
      return .syntaxError
    }
    nextBaudRate = nil
    if isInLowVbat, code.needsRadio { return .syntaxError }
    if model.firmware.lacks.contains(code) { return .syntaxError }
    let parameters = Array(command.dropFirst())
    errorStatus = nil
    leaveTarget(for: code)
    guard var answer = run(code, parameters) else { return .syntaxError }
    if code.answersWithStatus, let errorStatus, !answer.isSuccess { answer = .status(errorStatus) }
    if code.answersWithStatus, case .data(let data) = answer, let first = data.first,
      let status = PN532Status(rawValue: first & PN532Status.mask), status != .success
    {
      lastStatus = status
    }
    switch answer {
    case .data(let data): return .reply([first &+ 1] + data)
    case .waits(let attempts, let period):
      return .pending(Pending(command: command, attempts: attempts, period: period))
    case .neverEnds: return .pending(Pending(command: [], attempts: nil))
    }
  }

  /// Tries a pending command again; `nil` while there is no answer.
  mutating func proceed(_ pending: inout Pending) -> [UInt8]? {
    guard let first = pending.command.first, let code = PN532Command(rawValue: first) else {
      return nil
    }
    if let attempts = pending.attempts {
      guard attempts > 0 else { return [first &+ 1, 0] }
      pending.attempts = attempts - 1
    }
    guard
      case .data(let data) = run(code, Array(pending.command.dropFirst()), isFirst: false)
    else { return nil }
    return [first &+ 1] + data
  }

  enum Answer {
    case data([UInt8])
    case waits(attempts: Int?, period: Duration? = nil)
    /// Only the host can end the command.
    case neverEnds

    /// Whether this is not the result of a failed exchange.
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

  /// Runs a command; `nil` for a wrong length or for parameters that do not exist.
  ///
  /// - Parameter isFirst: `false` to continue a command that waits.
  private mutating func run(
    _ code: PN532Command, _ parameters: [UInt8], isFirst: Bool = true
  ) -> Answer? {
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
    case .resetMode:
      guard model.firmware.hasResetMode, parameters == [0x01] else { return nil }
      forgetTargets()
      return .data([])
    case .rfConfiguration: return configureRadio(parameters)
    case .rfRegulationTest:
      guard parameters.count == 1 else { return nil }
      // The chip transmits until the next command (7.3.2).
      setCarrier(true)
      return .neverEnds
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
    case .tgInitAsTarget, .tgGetTargetStatus, .tgGetData, .tgGetInitiatorCommand, .tgSetData,
      .tgResponseToInitiator, .tgSetGeneralBytes, .tgSetMetaData:
      if code == .tgInitAsTarget { hasRequestedCommand = false }
      return runTarget(code, parameters, isFirst: isFirst)
    }
  }

  /// Switches the carrier. Switching it off loses all targets.
  mutating func setCarrier(_ isOn: Bool) {
    guard field.isPowered != isOn else { return }
    field.setPower(isOn, since: isOn ? clock?() ?? .zero : .zero)
    // A chip that has its own carrier on is not a card.
    if isOn { target.leave() }
    facing.current?.setField(isOn)
    hasHaltedTag = false
    haltedTagsFound = 0
    if isOn {
      carrierStart = (ContinuousClock.now, .zero)
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
