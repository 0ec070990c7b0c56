import NFCCore

// InDataExchange and InCommunicateThru: user manual UM0701-02, 7.3.8 and 7.3.9.
extension PN532Chip {
  private static let moreToCome: UInt8 = 0x40

  mutating func dataExchange(_ parameters: [UInt8]) -> Answer? {
    guard let first = parameters.first, parameters.count <= 263 else { return nil }
    let number = first & 0x0F
    let data = Array(parameters.dropFirst())
    guard let index = targets.firstIndex(where: { $0.number == number }) else {
      return .status(.wrongContext)
    }
    guard activateAgain(index) else { return .status(.timeOut) }
    if var blocks = targets[index].blocks {
      let outcome = blocks.exchange(data, isChained: first & Self.moreToCome != 0) {
        sendBlock($0, to: index)
      }
      targets[index].blocks = blocks
      switch outcome {
      case .answer(let answer, let hasMore):
        return .data([hasMore ? PN532Status.moreInformation : 0] + answer)
      case .failure(let status):
        return .status(status)
      }
    }
    guard let command = data.first else { return nil }
    switch targets[index].kind {
    case .typeA: return mifare(command, data)
    case .typeB: return .status(.operationNotAllowed)
    case .feliCa: return feliCa(data, bitRate: targets[index].bitRate)
    case .jewel(let uid): return jewel(command, data, uid: uid)
    }
  }

  private func answer(_ answer: RadioAnswer) -> Answer {
    switch answer {
    case .payload(let bytes): .status(.success, bytes)
    case .failure(let status): .status(status)
    }
  }

  // MARK: FeliCa

  /// The host writes LEN itself, and reads it.
  private mutating func feliCa(_ data: [UInt8], bitRate: Int) -> Answer? {
    guard Int(data[0]) == data.count, data.count > 1 else { return .status(.invalidParameter) }
    switch exchange(Array(data.dropFirst()), modulation: .feliCa, bitRate: bitRate) {
    case .payload(let bytes):
      return .status(.success, [UInt8(truncatingIfNeeded: bytes.count + 1)] + bytes)
    case .failure(let status):
      return .status(status)
    }
  }

  // MARK: Jewel and Topaz

  /// The commands that the firmware knows, with the bytes that a host gives before the UID.
  private static let jewelCommands: [UInt8: Int] = [
    0x00: 3,  // RALL
    0x01: 3,  // READ
    0x1A: 3,  // WRITE-NE
    0x53: 3,  // WRITE-E
    0x78: 3,  // RID
  ]

  /// READ and the two WRITEs, whose answers begin with the address that the command had.
  private static let jewelAddressed: Set<UInt8> = [0x01, 0x1A, 0x53]

  /// The chip completes address and data with zeros and adds the UID; a host that has written them
  /// itself is taken at its word. The address that a tag repeats is checked and taken off: libnfc's
  /// nfc-jewel gives a buffer of one byte for the answer to READ.
  private mutating func jewel(_ command: UInt8, _ data: [UInt8], uid: [UInt8]) -> Answer? {
    guard let length = Self.jewelCommands[command], data.count <= length + uid.count else {
      return nil
    }
    var frame = data
    while frame.count < length { frame.append(0) }
    if frame.count == length {
      frame += command == 0x78 ? [0, 0, 0, 0] : uid
    }
    let reply = exchangeJewel(frame)
    guard Self.jewelAddressed.contains(command), case .payload(let bytes) = reply else {
      return answer(reply)
    }
    guard bytes.first == frame[1] else { return .status(.rfProtocolError) }
    return .status(.success, Array(bytes.dropFirst()))
  }

  // MARK: MIFARE

  private enum MIFARE {
    static let authenticateA: UInt8 = 0x60
    static let authenticateB: UInt8 = 0x61
    static let read: UInt8 = 0x30
    static let write: UInt8 = 0xA0
    static let writePage: UInt8 = 0xA2
    static let transfer: UInt8 = 0xB0
    static let decrement: UInt8 = 0xC0
    static let increment: UInt8 = 0xC1
    static let restore: UInt8 = 0xC2
    /// The four bits of an acknowledge.
    static let acknowledge: UInt8 = 0x0A
  }

  private mutating func mifare(_ command: UInt8, _ data: [UInt8]) -> Answer? {
    switch (command, data.count) {
    case (MIFARE.authenticateA, 12), (MIFARE.authenticateB, 12):
      return authenticate(data)
    case (MIFARE.read, 2):
      return read(data)
    case (MIFARE.write, 18):
      return twoPhases(Array(data.prefix(2)), Array(data.dropFirst(2)), isSecondAnswered: true)
    case (MIFARE.writePage, 6), (MIFARE.transfer, 2):
      return acknowledged(data)
    case (MIFARE.decrement, 6), (MIFARE.increment, 6):
      return twoPhases(Array(data.prefix(2)), Array(data.dropFirst(2)), isSecondAnswered: false)
    case (MIFARE.restore, 2):
      return twoPhases(data, [0, 0, 0, 0], isSecondAnswered: false)
    case (MIFARE.restore, 6):
      return twoPhases(Array(data.prefix(2)), Array(data.dropFirst(2)), isSecondAnswered: false)
    default:
      return nil
    }
  }

  private mutating func authenticate(_ data: [UInt8]) -> Answer {
    let key = Array(data[2..<8])
    let uid = Array(data[8..<12])
    var session = MIFAREClassicSession(key: key, uid: uid, running: cipher)
    let isAuthentic = session.authenticate(command: Array(data.prefix(2))) { transmit($0) }
    guard isAuthentic else {
      cipher = nil
      registers[PN532Registers.status2] &= ~PN532Registers.crypto1On
      return .status(.mifareAuthentication)
    }
    cipher = session
    registers[PN532Registers.status2] |= PN532Registers.crypto1On
    return .status(.success)
  }

  /// Sends a command with its CRC, enciphered if a cipher runs, and gives the plain answer.
  private mutating func sendMIFARE(_ bytes: [UInt8]) -> VirtualField.Reception {
    guard var session = cipher else { return transmit(.typeA(bytes)) }
    let reception = transmit(session.encipher(bytes))
    guard case .frame(let frame) = reception else {
      cipher = session
      return reception
    }
    let plain = session.decipher(frame)
    cipher = session
    return plain.map { .frame($0) } ?? .silence
  }

  private mutating func read(_ data: [UInt8]) -> Answer {
    switch sendMIFARE(data) {
    case .silence: return .status(.timeOut)
    case .collision: return .status(.bitCollision)
    case .frame(let frame):
      guard frame.bitCount > 4 else { return .status(.dataFormat) }
      guard frame.parity == nil else { return .status(.parityError) }
      guard let payload = frame.checkedPayload else { return .status(.crcError) }
      return .status(.success, payload)
    }
  }

  private mutating func acknowledge(of bytes: [UInt8]) -> PN532Status {
    switch sendMIFARE(bytes) {
    case .silence: .timeOut
    case .collision: .bitCollision
    case .frame(let frame):
      frame.bitCount == 4 && frame.bytes[0] & 0x0F == MIFARE.acknowledge ? .success : .dataFormat
    }
  }

  private mutating func acknowledged(_ data: [UInt8]) -> Answer {
    .status(acknowledge(of: data))
  }

  private mutating func twoPhases(
    _ command: [UInt8], _ data: [UInt8], isSecondAnswered: Bool
  ) -> Answer {
    let first = acknowledge(of: command)
    guard first == .success else { return .status(first) }
    let second = acknowledge(of: data)
    // INCREMENT, DECREMENT and RESTORE take their operand in silence; only an error is answered.
    if !isSecondAnswered, second == .timeOut { return .status(.success) }
    return .status(second)
  }

  // MARK: InCommunicateThru

  mutating func communicateThru(_ data: [UInt8]) -> Answer? {
    guard data.count <= 264 else { return nil }
    let modulation = registers.modulation
    let lastBits = registers.transmitLastBits == 0 ? 8 : registers.transmitLastBits
    var frame: RadioFrame
    if modulation == .typeA, !registers.handlesParity {
      frame = ParityStream.decode(data, bitsInLastByte: lastBits, modulation: .typeA)
      if data.isEmpty { frame = RadioFrame([], modulation: .typeA) }
    } else {
      frame = RadioFrame(
        data, modulation: modulation, bitRate: registers.bitRate, bitsInLastByte: lastBits)
    }
    if registers.appendsCRC, lastBits == 8 {
      switch modulation {
      case .typeA: frame.bytes += CyclicRedundancyCheck.a(frame.bytes)
      case .typeB, .iso15693: frame.bytes += CyclicRedundancyCheck.b(frame.bytes)
      case .feliCa: frame.bytes += CyclicRedundancyCheck.feliCa(frame.bytes)
      }
    }
    registers[PN532Registers.control] &= ~0x07
    let reception: VirtualField.Reception
    if modulation == .typeA, cipher != nil, registers.appendsCRC {
      reception = sendMIFARE(data)
    } else {
      reception = transmit(frame)
    }
    switch reception {
    case .silence: return .status(.timeOut)
    case .collision: return .status(.bitCollision)
    case .frame(let answer): return received(answer)
    }
  }

  private mutating func received(_ frame: RadioFrame) -> Answer {
    if frame.modulation == .typeA, !registers.handlesParity {
      let stream = ParityStream.encode(frame)
      registers[PN532Registers.control] |= UInt8(stream.bitsInLastByte % 8)
      return .status(.success, stream.bytes)
    }
    if frame.modulation == .typeA, frame.parity != nil { return .status(.parityError) }
    guard registers.checksCRC else {
      registers[PN532Registers.control] |= UInt8(frame.bitsInLastByte % 8)
      return .status(.success, frame.bytes)
    }
    guard let payload = frame.checkedPayload else {
      return .status(.crcError)
    }
    if frame.modulation == .feliCa {
      return .status(.success, [UInt8(truncatingIfNeeded: payload.count + 1)] + payload)
    }
    return .status(.success, payload)
  }

  // MARK: Registers, 7.2.4 and 7.2.5

  mutating func readRegisters(_ parameters: [UInt8]) -> Answer? {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 2) else { return nil }
    var values: [UInt8] = []
    for offset in stride(from: 0, to: parameters.count, by: 2) {
      let address = UInt16(parameters[offset]) << 8 | UInt16(parameters[offset + 1])
      switch address {
      case PN532Registers.fifoData: values.append(fifo.isEmpty ? 0 : fifo.removeFirst())
      case PN532Registers.fifoLevel: values.append(UInt8(min(fifo.count, 64)))
      default: values.append(registers[address])
      }
    }
    return .data(values)
  }

  private enum UnitCommand {
    static let transmit: UInt8 = 0x04
    static let receive: UInt8 = 0x08
  }

  mutating func writeRegisters(_ parameters: [UInt8]) -> Answer? {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 3) else { return nil }
    for offset in stride(from: 0, to: parameters.count, by: 3) {
      let address = UInt16(parameters[offset]) << 8 | UInt16(parameters[offset + 1])
      let value = parameters[offset + 2]
      switch (address, value) {
      case (PN532Registers.fifoData, _):
        if fifo.count < 64 { fifo.append(value) }
      case (PN532Registers.fifoLevel, _) where value & 0x80 != 0:
        fifo = []
      case (PN532Registers.command, UnitCommand.transmit):
        // A Jewel frame's bytes go out one by one, the first with seven bits (NFC Forum Digital
        // Protocol, 7.3): they are one frame here.
        segments += fifo
        fifo = []
      case (PN532Registers.command, UnitCommand.receive):
        receiveSegments()
      case (PN532Registers.status2, _):
        registers[address] = value
        if value & PN532Registers.crypto1On == 0 { cipher = nil }
      default:
        registers[address] = value
      }
    }
    return .data([])
  }

  private mutating func receiveSegments() {
    guard !segments.isEmpty else { return }
    let frame = RadioFrame(segments, modulation: .typeA)
    segments = []
    fifo = []
    guard case .frame(let answer) = transmit(frame) else { return }
    fifo = Array(ParityStream.encode(answer).bytes.prefix(64))
  }
}
