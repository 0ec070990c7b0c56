import SwiftNFCCore

// InDataExchange and InCommunicateThru: user manual UM0701-02, 7.3.8 and 7.3.9.
extension PN532Chip {
  private static let moreInformation: UInt8 = 0x40

  mutating func dataExchange(_ parameters: [UInt8]) -> Answer? {
    guard let first = parameters.first, parameters.count <= 263 else { return nil }
    let number = first & 0x0F
    let data = Array(parameters.dropFirst())
    guard let index = targets.firstIndex(where: { $0.number == number }) else {
      return .status(.wrongContext)
    }
    let activation = activateAgain(index)
    guard activation == .success else { return .status(activation) }
    if var blocks = targets[index].blocks {
      blocks.retries = radio.communicationRetries
      let outcome = blocks.exchange(data, isChained: first & Self.moreInformation != 0) {
        sendBlock($0, to: index, limit: $1)
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
    if case .typeB = targets[index].kind { return .status(.operationNotAllowed) }
    // With an endless time-out, only the host ends a command that no tag answers.
    let answer = exchange(command, data, with: targets[index])
    return isSilence(answer) && radio.exchangeLimit == nil ? .neverEnds : answer
  }

  private func isSilence(_ answer: Answer?) -> Bool {
    if case .data(let data) = answer { data.first == PN532Status.timeOut.rawValue } else { false }
  }

  private mutating func exchange(
    _ command: UInt8, _ data: [UInt8], with target: Target
  ) -> Answer? {
    switch target.kind {
    case .typeA: return mifare(command, data)
    case .typeB: return .status(.operationNotAllowed)
    case .feliCa: return feliCa(data, bitRate: target.bitRate)
    case .jewel(let uid): return jewel(command, data, uid: uid)
    }
  }

  /// The time to wait for an answer that is not a block; one second stands for an endless time-out.
  private var exchangeLimit: Duration { radio.exchangeLimit ?? .seconds(1) }

  /// Sends a frame until an answer is correct, at most as often as MaxRtyCOM says.
  private mutating func repeated(
    _ body: (inout PN532Chip) -> RadioAnswer
  ) -> RadioAnswer {
    var answer = body(&self)
    for _ in 0..<radio.communicationRetries {
      guard case .failure = answer else { break }
      answer = body(&self)
    }
    return answer
  }

  private func answer(_ answer: RadioAnswer) -> Answer {
    switch answer {
    case .payload(let bytes): .status(.success, bytes)
    case .failure(let status): .status(status)
    }
  }

  // MARK: FeliCa

  /// Exchanges a FeliCa command. The host sends and receives LEN itself.
  private mutating func feliCa(_ data: [UInt8], bitRate: Int) -> Answer? {
    guard Int(data[0]) == data.count, data.count > 1 else { return .status(.invalidParameter) }
    let limit = exchangeLimit
    let answer = repeated {
      $0.exchange(
        Array(data.dropFirst()), modulation: .feliCa, bitRate: bitRate, limit: limit)
    }
    switch answer {
    case .payload(let bytes):
      return .status(.success, [UInt8(truncatingIfNeeded: bytes.count + 1)] + bytes)
    case .failure(let status):
      return .status(status)
    }
  }

  // MARK: Jewel and Topaz

  /// The commands that the firmware supports, with the number of bytes that the host sends for each.
  private static let jewelCommands: [UInt8: Int] = [
    0x00: 1,  // RALL
    0x01: 2,  // READ
    0x1A: 3,  // WRITE-NE
    0x53: 3,  // WRITE-E
    0x78: 1,  // RID
  ]

  /// The size of code, address and data, and the size of a complete command with the UID.
  private static let (jewelHeader, jewelLength) = (3, 7)

  /// READ and the two WRITEs, whose answers begin with the address in the command.
  private static let jewelAddressed: Set<UInt8> = [0x01, 0x1A, 0x53]

  /// Exchanges a Jewel or Topaz command.
  ///
  /// The chip adds zeros and the UID to a command. If the host has included them itself, as nfcpy does,
  /// the command is sent unchanged. A command without its address or a required byte of data is refused
  /// (7.3.8). The address that a tag repeats is checked and removed: libnfc's nfc-jewel provides a buffer
  /// of one byte for the answer to READ.
  private mutating func jewel(_ command: UInt8, _ data: [UInt8], uid: [UInt8]) -> Answer? {
    guard let length = Self.jewelCommands[command],
      [length, Self.jewelHeader, Self.jewelLength].contains(data.count)
    else { return nil }
    var frame = data
    if frame.count < Self.jewelLength {
      while frame.count < Self.jewelLength - uid.count { frame.append(0) }
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
    /// The four-bit acknowledge.
    static let acknowledge: UInt8 = 0x0A
  }

  private mutating func mifare(_ command: UInt8, _ data: [UInt8]) -> Answer? {
    isWithinMIFARE = true
    defer { isWithinMIFARE = false }
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
    let limit = exchangeLimit
    let outcome = session.authenticate(command: Array(data.prefix(2))) {
      transmit($0, limit: limit)
    }
    guard outcome == .authenticated else {
      cipher = nil
      registers[PN532Registers.status2] &= ~PN532Registers.crypto1On
      return .status(
        outcome == .silence && !model.silenceIsWrongKey ? .timeOut : .mifareAuthentication)
    }
    cipher = session
    registers[PN532Registers.status2] |= PN532Registers.crypto1On
    return .status(.success)
  }

  /// Sends a command with its CRC, encrypted if a cipher is active, and returns the decrypted answer.
  private mutating func sendMIFARE(_ bytes: [UInt8]) -> VirtualField.Reception {
    let limit = exchangeLimit
    guard var session = cipher else { return transmit(.typeA(bytes), limit: limit) }
    let reception = transmit(session.encrypt(bytes), limit: limit)
    guard case .frame(let frame) = reception else {
      cipher = session
      return reception
    }
    let plain = session.decrypt(frame)
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
    // INCREMENT, DECREMENT and RESTORE accept their operand without an answer; only errors are answered.
    if !isSecondAnswered, second == .timeOut { return .status(.success) }
    return .status(second)
  }

  // MARK: InCommunicateThru

  mutating func communicateThru(_ data: [UInt8]) -> Answer? {
    guard data.count <= 264 else { return nil }
    if model.firmware.refusesFramesWithoutTarget, activeTarget == nil {
      return .status(.wrongContext)
    }
    registers[PN532Registers.control] = PN532Registers.initiator
    var answer = communicateOnce(data)
    for _ in 0..<radio.communicationRetries {
      guard case .data(let bytes) = answer, bytes.first != PN532Status.success.rawValue else {
        break
      }
      answer = communicateOnce(data)
    }
    return isSilence(answer) && radio.exchangeLimit == nil ? .neverEnds : answer
  }

  private mutating func communicateOnce(_ data: [UInt8]) -> Answer {
    let reception: VirtualField.Reception
    if registers.modulation == .typeA, cipher != nil, registers.appendsCRC {
      reception = sendMIFARE(data)
    } else {
      reception = transmitByUnit(data, limit: exchangeLimit)
    }
    switch reception {
    case .silence: return .status(.timeOut)
    case .collision: return .status(.bitCollision)
    case .frame(let answer): return received(answer)
    }
  }

  /// Sends bytes with the settings of the registers: modulation, rate, check, parity, bits of the last
  /// byte.
  mutating func transmitByUnit(_ data: [UInt8], limit: Duration) -> VirtualField.Reception {
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
    isRaw = true
    defer { isRaw = false }
    return transmit(frame, limit: limit)
  }

  /// The maximum number of answer bytes in a host frame, without the status byte.
  private static let longestAnswer = PN532Frame.maximumLength - 3

  private mutating func received(_ frame: RadioFrame) -> Answer {
    let longest = Self.longestAnswer + (registers.checksCRC ? 2 : 0)
    guard frame.bytes.count <= longest else { return .status(.bufferTooSmall) }
    let data = dataOfUnit(frame)
    switch data {
    case .failure(let status): return .status(status)
    case .payload(let bytes): return .status(.success, bytes)
    }
  }

  /// Returns the part of an answer in the unit's FIFO, or the error that the unit has found.
  mutating func dataOfUnit(_ frame: RadioFrame) -> RadioAnswer {
    func setLastBits(_ count: Int) {
      registers[PN532Registers.control] =
        registers[PN532Registers.control] & ~PN532Registers.lastBits | UInt8(count % 8)
    }
    if frame.modulation == .typeA, !registers.handlesParity {
      let stream = ParityStream.encode(frame)
      setLastBits(stream.bitsInLastByte)
      return .payload(stream.bytes)
    }
    if frame.modulation == .typeA, frame.parity != nil { return .failure(.parityError) }
    setLastBits(frame.bitsInLastByte)
    guard registers.checksCRC else { return .payload(frame.bytes) }
    guard let payload = frame.checkedPayload else { return .failure(.crcError) }
    if frame.modulation == .feliCa {
      return .payload([UInt8(truncatingIfNeeded: payload.count + 1)] + payload)
    }
    return .payload(payload)
  }
}
