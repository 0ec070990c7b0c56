import NFCCore

extension PN532Chip {
  /// Sends a frame, with the faults that are due, and gives what the antenna receives.
  mutating func transmit(_ frame: RadioFrame) -> VirtualField.Reception {
    setCarrier(true)
    let effects = faults.nextExchange()
    var isFrameLost = false
    var isAnswerLost = false
    var isAnswerBroken = false
    for effect in effects {
      switch effect {
      case .tagLeaves: field.removeAll()
      case .tagArrives(let tag): field.place(tag)
      case .frameLost: isFrameLost = true
      case .answerLost: isAnswerLost = true
      case .answerBroken: isAnswerBroken = true
      case .commandBroken, .replyBroken, .replyLost, .replyReplaced, .chipFallsSilent, .lineCloses:
        break
      }
    }
    trace?(.sent(frame))
    var reception = isFrameLost ? .silence : field.transmit(frame)
    if isAnswerLost { reception = .silence }
    if isAnswerBroken, case .frame(var answer) = reception, !answer.bytes.isEmpty {
      answer.bytes[0] ^= 0x01
      reception = .frame(answer)
    }
    switch reception {
    case .silence: trace?(.received(nil))
    case .frame(let answer): trace?(.received(answer))
    case .collision(_, let bit): trace?(.collided(bit: bit))
    }
    return reception
  }

  /// Sends bytes with a CRC and gives the answer without its own.
  mutating func exchange(
    _ bytes: [UInt8], modulation: RadioFrame.Modulation, bitRate: Int = 106
  ) -> RadioAnswer {
    let frame: RadioFrame
    switch modulation {
    case .typeA: frame = .typeA(bytes)
    case .typeB, .iso15693: frame = .typeB(bytes)
    case .feliCa: frame = .feliCa(bytes, bitRate: bitRate)
    }
    switch transmit(frame) {
    case .silence: return .failure(.timeOut)
    case .collision: return .failure(.bitCollision)
    case .frame(let answer):
      guard answer.parity == nil else { return .failure(.parityError) }
      guard let payload = answer.checkedPayload else { return .failure(.crcError) }
      return .payload(payload)
    }
  }

  /// One block of ISO/IEC 14443-4 to a target.
  mutating func sendBlock(_ block: [UInt8], to index: Int) -> RadioAnswer {
    switch targets[index].kind {
    case .typeB: return exchange(block, modulation: .typeB)
    case .typeA, .feliCa, .jewel: return exchange(block, modulation: .typeA)
    }
  }

  // MARK: Type A, ISO/IEC 14443-3, 6.5

  static let requestA: UInt8 = 0x26
  static let wakeUpA: UInt8 = 0x52
  private static let haltA: [UInt8] = [0x50, 0x00]
  private static let selectCodes: [UInt8] = [0x93, 0x95, 0x97]
  private static let wholeSelect: UInt8 = 0x70
  private static let cascadeTag: UInt8 = 0x88
  private static let uidNotComplete: UInt8 = 0x04

  struct TypeASelection {
    /// As on the air: least significant byte first.
    var atqa: [UInt8]
    var uid: [UInt8]
    var sak: UInt8
  }

  /// REQA or WUPA, anticollision and SELECT over all cascade levels.
  ///
  /// - Parameter known: the UID with its cascade tags, to be selected without anticollision.
  mutating func selectTypeA(known: [UInt8] = []) -> TypeASelection? {
    let request = RadioFrame(
      [known.isEmpty ? Self.requestA : Self.wakeUpA], modulation: .typeA, bitsInLastByte: 7)
    fifo = request.bytes
    let atqa: [UInt8]
    switch transmit(request) {
    case .silence: return nil
    case .frame(let answer) where answer.bytes.count == 2: atqa = answer.bytes
    case .frame: return nil
    case .collision(let received, _): atqa = received.bytes
    }
    fifo = []
    var uid: [UInt8] = []
    for (level, code) in Self.selectCodes.enumerated() {
      let part: [UInt8]
      if known.isEmpty {
        guard let found = anticollision(code) else { return nil }
        part = found
      } else {
        guard known.count >= 4 * level + 4 else { return nil }
        part = Array(known[(4 * level)..<(4 * level + 4)])
      }
      let select = [code, Self.wholeSelect] + part + [part.reduce(0, ^)]
      guard case .payload(let answer) = exchange(select, modulation: .typeA), answer.count == 1
      else { return nil }
      guard answer[0] & Self.uidNotComplete != 0 else {
        uid += part
        return TypeASelection(atqa: Array(atqa.prefix(2)), uid: uid, sak: answer[0])
      }
      uid += part[0] == Self.cascadeTag ? Array(part.dropFirst()) : part
    }
    return nil
  }

  /// The four bytes of one cascade level of one of the cards that answer: ISO/IEC 14443-3, 6.5.3.
  private mutating func anticollision(_ code: UInt8) -> [UInt8]? {
    var known: [UInt8] = []
    var knownBits = 0
    // Each collision settles at least one of 32 bits.
    for _ in 0...32 {
      let count = UInt8((knownBits / 8 + 2) << 4 | knownBits % 8)
      let frame = RadioFrame(
        [code, count] + known, modulation: .typeA,
        bitsInLastByte: knownBits % 8 == 0 ? 8 : knownBits % 8)
      switch transmit(frame) {
      case .silence: return nil
      case .frame(let answer):
        let part = Array(known.prefix(knownBits / 8)) + answer.bytes
        guard part.count == 5, part.reduce(0, ^) == 0 else { return nil }
        return Array(part.prefix(4))
      case .collision(let received, let bit):
        let position = knownBits / 8 * 8 + bit
        guard position >= knownBits, position < 32 else { return nil }
        // Of the cards that differ here, those with a 1 go on, as the chip's firmware has it: the
        // receiver has put a 1 there.
        let bytes = Array(known.prefix(knownBits / 8)) + received.bytes
        known = Array(bytes.prefix(position / 8 + 1))
        known[position / 8] &= UInt8(truncatingIfNeeded: 0x1FF >> (8 - position % 8))
        knownBits = position + 1
      }
    }
    return nil
  }

  mutating func haltTypeA() {
    if var session = cipher {
      _ = transmit(session.encipher(Self.haltA))
      cipher = nil
    } else {
      _ = transmit(.typeA(Self.haltA))
    }
  }

  // MARK: Type B, ISO/IEC 14443-3, 7

  private static let attrib: UInt8 = 0x1D
  private static let requestB: UInt8 = 0x05
  /// ATTRIB parameter 2: frames of 64 bytes, 106 kbit/s (7.10.4). The chip asks for no more.
  private static let attribFrameSize: UInt8 = 0x05
  private static let protocolISO14443: UInt8 = 0x01
  /// The CID that the firmware assigns.
  static let typeBCardIdentifier: UInt8 = 0x01

  struct TypeBSelection {
    var atqb: [UInt8]
    var attribAnswer: [UInt8]
  }

  /// PARAM of REQB: sixteen slots (ISO/IEC 14443-3, 7.7.4).
  private static let sixteenSlots: UInt8 = 0x04

  /// REQB, for one slot and, if several cards answer in it, for sixteen; then ATTRIB to the first card
  /// that is heard alone.
  mutating func selectTypeB(applicationFamily: UInt8) -> TypeBSelection? {
    guard let atqb = answerToRequestB(applicationFamily) else { return nil }
    let attrib =
      [Self.attrib] + atqb[1..<5]
      + [0x00, Self.attribFrameSize, Self.protocolISO14443, Self.typeBCardIdentifier]
    guard case .payload(let answer) = exchange(attrib, modulation: .typeB) else { return nil }
    return TypeBSelection(atqb: atqb, attribAnswer: answer)
  }

  private mutating func answerToRequestB(_ applicationFamily: UInt8) -> [UInt8]? {
    func isAnswer(_ payload: [UInt8]) -> Bool { payload.count >= 12 && payload[0] == 0x50 }
    switch exchange([Self.requestB, applicationFamily, 0x00], modulation: .typeB) {
    case .payload(let payload): return isAnswer(payload) ? payload : nil
    case .failure(.bitCollision): break
    case .failure: return nil
    }
    for slot in UInt8(0)..<16 {
      let frame =
        slot == 0
        ? [Self.requestB, applicationFamily, Self.sixteenSlots]
        : [slot << 4 | Self.requestB]
      if case .payload(let payload) = exchange(frame, modulation: .typeB), isAnswer(payload) {
        return payload
      }
    }
    return nil
  }
}
