import SwiftNFCCore

// The commands that do not involve a tag: user manual UM0701-02, 7.2 and 7.3.1.
extension PN532Chip {
  // MARK: Diagnose and status, 7.2.1 and 7.2.3

  private enum DiagnoseTest {
    static let communicationLine: UInt8 = 0x00
    static let rom: UInt8 = 0x01
    static let ram: UInt8 = 0x02
    static let polling: UInt8 = 0x04
    static let echoBack: UInt8 = 0x05
    static let cardPresence: UInt8 = 0x06
    static let selfAntenna: UInt8 = 0x07
  }

  mutating func diagnose(_ parameters: [UInt8]) -> Answer? {
    guard let test = parameters.first else { return nil }
    switch test {
    case DiagnoseTest.communicationLine: return .data(parameters)
    case DiagnoseTest.rom, DiagnoseTest.ram, DiagnoseTest.selfAntenna: return .data([0x00])
    case DiagnoseTest.polling: return diagnosePolling(parameters)
    case DiagnoseTest.echoBack: return .neverEnds
    case DiagnoseTest.cardPresence:
      guard let index = activeIndex(), let blocks = targets[index].blocks else {
        return .status(.wrongContext)
      }
      let isPresent = blocks.isPresent { sendBlock($0, to: index, limit: $1) }
      return .status(isPresent ? .success : .timeOut)
    default: return nil
    }
  }

  func generalStatus() -> [UInt8] {
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
    return status + [Self.samStatus]
  }

  /// The last byte of GetGeneralStatus, as the ACR122U's manual shows it.
  private static let samStatus: UInt8 = 0x80

  /// Diagnose: sends 128 Pollings without time slots for any system, and reports how many were not
  /// answered.
  private mutating func diagnosePolling(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 2, (1...2).contains(parameters[1]) else { return nil }
    let bitRate = 106 << Int(parameters[1])
    configure(.feliCa, bitRate: bitRate)
    var failures: UInt8 = 0
    for _ in 0..<128 {
      let answer = exchange([0x00, 0xFF, 0xFF, 0x00, 0x00], modulation: .feliCa, bitRate: bitRate)
      if case .failure = answer { failures += 1 }
    }
    return .data([failures])
  }

  // MARK: RFConfiguration, 7.3.1

  private static let carrierItem: UInt8 = 0x01

  mutating func configureRadio(_ parameters: [UInt8]) -> Answer? {
    guard let item = parameters.first else { return nil }
    guard item == Self.carrierItem else {
      return radio.set(item, Array(parameters.dropFirst())) ? .data([]) : nil
    }
    guard parameters.count == 2 else { return nil }
    if parameters[1] & 1 == 0 { forgetTargets() }
    setCarrier(parameters[1] & 1 == 1)
    return .data([])
  }

  /// Sets the registers to the values that the firmware uses for a search.
  mutating func configure(_ modulation: RadioFrame.Modulation, bitRate: Int) {
    registers.configure(
      modulation: modulation, bitRate: bitRate, radio,
      restoresReceiver: model.searchRestoresReceiver)
  }

  // MARK: Host interface, 7.2.6 to 7.2.11

  private static let validated: UInt8 = 0x80

  /// Runs WriteGPIO. A port changes only if its bit 7 is set.
  mutating func writeGPIO(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 2 else { return nil }
    if parameters[0] & Self.validated != 0 { ports.p3 = parameters[0] & 0x3F }
    if parameters[1] & Self.validated != 0 { ports.p7 = parameters[1] & 0x06 }
    return .data([])
  }

  private static let baudRates = [
    9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_288_000,
  ]

  mutating func setSerialBaudRate(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 1, Int(parameters[0]) < Self.baudRates.count else { return nil }
    nextBaudRate = Self.baudRates[Int(parameters[0])]
    return .data([])
  }

  /// Processes the ACK of the host for an answer, after which a new baud rate takes effect.
  mutating func hostAcknowledges() {
    if let nextBaudRate { baudRate = nextBaudRate }
    nextBaudRate = nil
  }

  mutating func configureSAM(_ parameters: [UInt8]) -> Answer? {
    guard (1...3).contains(parameters.count),
      (SAMMode.normal...SAMMode.dualCard).contains(parameters[0]),
      // Only the virtual card mode requires the time-out.
      parameters[0] != SAMMode.virtualCard || parameters.count > 1
    else { return nil }
    samMode = parameters[0]
    isInLowVbat = false
    return .data([])
  }

  /// The bit of PowerDown's first parameter that enables wake-up by the high speed UART.
  private static let wakesBySerialLine: UInt8 = 0x10

  mutating func powerDown(_ parameters: [UInt8]) -> Answer? {
    guard (1...2).contains(parameters.count) else { return nil }
    // Not while the host uses its USB interface (nfcpy, rcs956.py).
    guard model.firmware != .rcs956 else { return .status(.operationNotAllowed) }
    releaseAll()
    setCarrier(false)
    registers = PN532Registers()
    (fifo, segments) = ([], [])
    if model.powerDownRestoresConfiguration {
      radio = RadioConfiguration()
      self.parameters = Self.initialParameters
      samMode = SAMMode.normal
    }
    power = parameters[0] & Self.wakesBySerialLine != 0 ? .asleep(edges: 0) : .deaf
    return .status(.success)
  }

  // MARK: What other programs leave

  /// RFConfiguration item 02 after nfcpy's last exchange: 1.6 ms.
  private static let timeOutOfNfcpy: UInt8 = 0x05

  /// Puts the chip into the state of ``VirtualPN532/start``.
  mutating func start() {
    switch model.start {
    case .poweredUp: break
    case .libnfc:
      (radio.attributeRetries, radio.parameterRetries, radio.activationRetries) = (0, 1, 2)
      isInLowVbat = false
      power = .asleep(edges: 0)
    case .nfcpy:
      leaveByNfcpy()
      power = .asleep(edges: 0)
    case .interruptedNfcpy:
      leaveByNfcpy()
      wake()
      baudRate = 921_600
    case .interruptedLibnfc:
      wake()
      radio.activationRetries = RadioConfiguration.forEver
      registers[PN532Registers.manualRCV] = PN532Registers.parityDisable
      registers[PN532Registers.rxMode] = 0x0B
      registers[PN532Registers.txMode] = 0x03
      registers[PN532Registers.status2] = PN532Registers.crypto1On
      registers[PN532Registers.bitFraming] = 0x07
      setCarrier(true)
    }
    if let rate = model.baudRate { baudRate = rate }
    if model.omitsPreambles { parameters |= Parameter.withoutAmble }
  }

  private mutating func leaveByNfcpy() {
    parameters = 0
    radio.retryTimeOut = Self.timeOutOfNfcpy
    (radio.attributeRetries, radio.parameterRetries, radio.activationRetries) = (1, 0, 1)
    radio.typeB = [0xFF, 0x04, 0x85]
    isInLowVbat = false
  }
}
