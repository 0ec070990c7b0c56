import SwiftNFCCore

// ReadRegister and WriteRegister (7.2.4 and 7.2.5), and the contactless unit when a host controls it by
// registers (PN532 data sheet, 8.6).
extension PN532Chip {
  mutating func readRegisters(_ parameters: [UInt8]) -> Answer? {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 2) else { return nil }
    var values: [UInt8] = model.firmware.answersRegistersWithStatus ? [0x00] : []
    for offset in stride(from: 0, to: parameters.count, by: 2) {
      let address = UInt16(parameters[offset]) << 8 | UInt16(parameters[offset + 1])
      guard PN532Registers.exists(address) else { return nil }
      switch address {
      case PN532Registers.fifoData: values.append(fifo.isEmpty ? 0 : fifo.removeFirst())
      case PN532Registers.fifoLevel: values.append(UInt8(min(fifo.count, Self.fifoSize)))
      default: values.append(registers.read(address))
      }
    }
    return .data(values)
  }

  /// The size of the unit's FIFO in bytes.
  private static let fifoSize = 64

  private enum UnitCommand {
    static let transmit: UInt8 = 0x04
    static let receive: UInt8 = 0x08
    static let transceive: UInt8 = 0x0C
    static let mask: UInt8 = 0x0F
  }

  mutating func writeRegisters(_ parameters: [UInt8]) -> Answer? {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 3) else { return nil }
    let addresses = stride(from: 0, to: parameters.count, by: 3).map {
      UInt16(parameters[$0]) << 8 | UInt16(parameters[$0 + 1])
    }
    guard addresses.allSatisfy(PN532Registers.exists) else { return nil }
    for offset in stride(from: 0, to: parameters.count, by: 3) {
      let address = UInt16(parameters[offset]) << 8 | UInt16(parameters[offset + 1])
      let value = parameters[offset + 2]
      switch (address, value) {
      case (PN532Registers.fifoData, _):
        if fifo.count < Self.fifoSize { fifo.append(value) }
      case (PN532Registers.fifoLevel, _) where value & 0x80 != 0:
        fifo = []
      case (PN532Registers.command, UnitCommand.transmit):
        // The bytes of a Jewel frame are sent one by one, the first with seven bits (NFC Forum Digital
        // Protocol, 7.3). Here they form one frame.
        segments += fifo
        fifo = []
      case (PN532Registers.command, UnitCommand.receive):
        receiveSegments()
      case (PN532Registers.bitFraming, _):
        registers[address] = value & ~PN532Registers.startSend
        if value & PN532Registers.startSend != 0, isTransceiving { transceive() }
      case (PN532Registers.status2, _):
        registers[address] = value
        if value & PN532Registers.crypto1On == 0 { cipher = nil }
      default:
        registers[address] = value
      }
    }
    return .data(model.firmware.answersRegistersWithStatus ? [0x00] : [])
  }

  private var isTransceiving: Bool {
    registers[PN532Registers.command] & UnitCommand.mask == UnitCommand.transceive
  }

  /// The maximum response time that the unit's timer can measure; hosts stop waiting after it.
  private static let transceiveLimit = Duration.milliseconds(100)

  /// Sends the content of the FIFO, receives the answer into it, and stops the timer when the answer
  /// begins.
  private mutating func transceive() {
    let data = fifo
    fifo = []
    registers[PN532Registers.control] = PN532Registers.initiator
    registers[PN532Registers.error] = 0
    let before = airTime
    guard case .frame(let answer) = transmitByUnit(data, limit: Self.transceiveLimit) else {
      return setTimer(nil)
    }
    let sent = RadioFrame(
      data, modulation: registers.modulation, bitRate: registers.bitRate,
      bitsInLastByte: registers.transmitLastBits == 0 ? 8 : registers.transmitLastBits)
    setTimer(airTime - before - RadioTiming.duration(of: sent) - RadioTiming.duration(of: answer))
    switch dataOfUnit(answer) {
    case .payload(let bytes): fifo = Array(bytes.prefix(Self.fifoSize))
    case .failure: registers[PN532Registers.error] = Self.crcErrorFlag
    }
  }

  /// The bit CRCErr of the error register.
  private static let crcErrorFlag: UInt8 = 0x04
  /// The timer stops when five bits of the answer have been received.
  private static let bitsUntilStop = 5.0 * 128

  /// Sets the timer after an exchange. The timer counts down from its reload value, once per 2 ×
  /// prescaler + 1 periods of the carrier. It is zero if there was no answer.
  private mutating func setTimer(_ delay: Duration?) {
    var counter = 0
    if let delay {
      let microseconds = Double(delay.components.attoseconds) / 1e12
      let cycles = microseconds * RadioTiming.carrierCycles + Self.bitsUntilStop
      let prescaler =
        Int(registers[PN532Registers.timerMode] & 0x0F) << 8
        | Int(registers[PN532Registers.timerPrescaler])
      let reload =
        Int(registers[PN532Registers.timerReloadHigh]) << 8
        | Int(registers[PN532Registers.timerReloadLow])
      counter = max(0, reload - Int(cycles) / (2 * prescaler + 1))
    }
    registers[PN532Registers.timerCounterHigh] = UInt8(truncatingIfNeeded: counter >> 8)
    registers[PN532Registers.timerCounterLow] = UInt8(truncatingIfNeeded: counter)
  }

  private mutating func receiveSegments() {
    guard !segments.isEmpty else { return }
    let frame = RadioFrame(segments, modulation: .typeA)
    segments = []
    fifo = []
    isRaw = true
    defer { isRaw = false }
    guard case .frame(let answer) = transmit(frame) else { return }
    fifo = Array(ParityStream.encode(answer).bytes.prefix(64))
  }
}
