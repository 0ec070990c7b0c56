import SwiftNFCCore

extension PN532Chip {
  /// Sends a frame, applies the faults that are due, and returns what the antenna receives.
  ///
  /// - Parameter limit: how long to wait for an answer. A later answer is not received, although the tag
  ///   has sent it.
  mutating func transmit(
    _ frame: RadioFrame, limit: Duration = PN532Chip.searchLimit
  ) -> VirtualField.Reception {
    let effects = faults.nextExchange()
    errorStatus = Self.switchesOff(effects)
    guard errorStatus == nil else {
      setCarrier(false)
      return .silence
    }
    setCarrier(true)
    for effect in effects {
      switch effect {
      case .tagLeaves: field.removeAll()
      case .tagArrives(let tag): field.place(tag)
      case .tagReplaced(let tag):
        field.removeAll()
        field.place(tag)
      default: break
      }
    }
    let frame = sentByUnit(frame)
    trace?(.sent(frame))
    let before = airTime
    defer { carrierStart.airTime += airTime - before }
    airTime += RadioTiming.duration(of: frame)
    let memories = Self.bytesWritten(effects) == nil ? [] : field.tags.map(\.memory)
    var exchange = isFrameLost(effects) || isTooEarly(frame) ? nil : field.exchange(frame)
    if let count = Self.bytesWritten(effects) { tear(memories, after: count) }
    if !isFrameLost(effects), let answer = facingAnswer(frame, within: limit, to: exchange) {
      exchange = VirtualField.Exchange(reception: .frame(answer), delay: .zero)
    }
    laterSlots = exchange?.laterSlots ?? []
    var reception = exchange?.reception ?? .silence
    disturb(&reception, by: effects)
    if let found = Self.errorStatus(of: effects, with: frame, isWithinMIFARE: isWithinMIFARE),
      case .frame = reception
    {
      errorStatus = found
      reception = .silence
    }
    for case .answerLate(let time) in effects { exchange?.delay += time }
    if let exchange, exchange.delay > limit || limit == .zero { reception = .silence }
    switch reception {
    case .silence:
      airTime += limit
      field.advance(by: limit)
      trace?(.received(nil))
    case .frame(let answer):
      airTime += (exchange?.delay ?? .zero) + RadioTiming.duration(of: answer)
      trace?(.received(answer))
    case .collision(_, let bit):
      airTime += exchange?.delay ?? .zero
      trace?(.collided(bit: bit))
    }
    return receivedByUnit(reception)
  }

  /// Returns the answer of a chip in front of the antenna, if no tag has answered.
  private func facingAnswer(
    _ frame: RadioFrame, within limit: Duration, to exchange: VirtualField.Exchange?
  ) -> RadioFrame? {
    switch exchange?.reception {
    case .silence?, nil: break
    case .frame?, .collision?: return nil
    }
    return facing.current?.exchange(frame, limit: limit, isInterrupted: isInterrupted)
  }

  /// Whether the cards that a frame is for have not started yet.
  private func isTooEarly(_ frame: RadioFrame) -> Bool {
    guard frame.modulation == .feliCa, model.feliCaStart > .zero else { return false }
    return max(carrierStart.airTime, ContinuousClock.now - carrierStart.clock) < model.feliCaStart
  }

  private func isFrameLost(_ effects: [Fault.Effect]) -> Bool {
    effects.contains { if case .frameLost = $0 { true } else { false } }
  }

  private func disturb(_ reception: inout VirtualField.Reception, by effects: [Fault.Effect]) {
    for effect in effects {
      switch effect {
      case .answerLost, .writeTorn: reception = .silence
      case .answerParityBroken:
        if case .frame(var answer) = reception, answer.modulation == .typeA, answer.bitCount >= 8 {
          answer.parity =
            answer.parity ?? answer.bytes.map { $0.nonzeroBitCount.isMultiple(of: 2) }
          answer.parity?[0].toggle()
          reception = .frame(answer)
        }
      case .answerCut(let count):
        if case .frame(var answer) = reception, count < answer.bytes.count {
          answer.bytes = Array(answer.bytes.prefix(max(0, count)))
          answer.parity = answer.parity.map { Array($0.prefix(max(0, count))) }
          answer.bitsInLastByte = 8
          reception = answer.bytes.isEmpty ? .silence : .frame(answer)
        }
      case .answerBitsLost(let count):
        if case .frame(var answer) = reception, count > 0, answer.bitsInLastByte > count {
          answer.bitsInLastByte -= count
          let last = answer.bytes.count - 1
          answer.bytes[last] &= UInt8(truncatingIfNeeded: (1 << answer.bitsInLastByte) - 1)
          reception = .frame(answer)
        }
      case .answerContinues(let count):
        if case .frame(var answer) = reception, answer.bitsInLastByte == 8 {
          let rest = [UInt8](repeating: 0, count: max(0, count))
          answer.bytes += rest
          answer.parity = answer.parity.map { $0 + rest.map { _ in true } }
          reception = .frame(answer)
        }
      case .answerCollides(let bit):
        if case .frame(let answer) = reception, (0..<answer.bitCount).contains(bit) {
          reception = .collision(answer, bit: bit)
        }
      case .answerStartBroken:
        if case .frame(let answer) = reception, answer.modulation != .typeA {
          reception = .silence
        }
      case .answerBroken:
        if case .frame(var answer) = reception, !answer.bytes.isEmpty {
          answer.bytes[0] ^= 0x01
          reception = .frame(answer)
        }
      default: break
      }
    }
  }

  /// Returns the error that the chip reports when it switches its antenna off (UM0701-02, table 15).
  private static func switchesOff(_ effects: [Fault.Effect]) -> PN532Status? {
    for effect in effects {
      switch effect {
      case .chipOverheats: return .overheated
      case .antennaOverloads: return .overCurrent
      default: break
      }
    }
    return nil
  }

  /// Returns the error that the unit or the firmware reports before it checks an answer: a broken start
  /// (PN532 data sheet, CIU_Error, ProtocolErr), or missing bits in anticollision, in SELECT, or in an
  /// operation of MIFARE (UM0701-02, table 15, 0Bh, 04h, 05h).
  private static func errorStatus(
    of effects: [Fault.Effect], with frame: RadioFrame, isWithinMIFARE: Bool
  ) -> PN532Status? {
    guard frame.modulation == .typeA else { return nil }
    for effect in effects {
      switch effect {
      case .answerStartBroken: return .rfProtocolError
      case .answerBitsLost where selectCodes.contains(frame.bytes.first ?? 0): return .bitCountError
      case .answerBitsLost where isWithinMIFARE: return .mifareFraming
      default: break
      }
    }
    return nil
  }

  /// Returns the number of bytes that an interrupted write stores; `nil` if no write is interrupted.
  private static func bytesWritten(_ effects: [Fault.Effect]) -> Int? {
    for case .writeTorn(let count) in effects { return count }
    return nil
  }

  /// Undoes all but the first changes in the tags' memories, and removes the tags.
  private func tear(_ memories: [[UInt8]], after count: Int) {
    for (tag, old) in zip(field.tags, memories) {
      var memory = tag.memory
      guard memory.count == old.count else { continue }
      let changes = memory.indices.filter { memory[$0] != old[$0] }
      for index in changes.dropFirst(max(0, count)) { memory[index] = old[index] }
      if changes.count > count { tag.memory = memory }
    }
    field.removeAll()
  }

  /// The time for which the firmware waits for answers in its own activations.
  static let searchLimit = Duration.milliseconds(25)
  /// The time for which the firmware waits for the answer to a request of type A, B or Jewel, and in the anticollision of
  /// type A, which a Topaz that has answered the request does not take part in. An assumption: an attempt
  /// without an answer takes 5 ms, which is the guard time of these technologies.
  static let requestLimit = Duration.milliseconds(5)

  /// Returns the time for which the firmware waits for the answers to a Polling: until the end of its last slot (JIS X
  /// 6319-4).
  static func pollingLimit(_ request: [UInt8]) -> Duration {
    RadioTiming.responseTime(inSlot: Int(request.last ?? 0) + 1)
  }

  // MARK: Parity

  /// Returns a frame as the unit sends it. While ParityDisable is set, the unit does not generate parity
  /// bits, not even for the firmware's frames: in the frames of a search, data bits take the positions of
  /// parity bits.
  private func sentByUnit(_ frame: RadioFrame) -> RadioFrame {
    guard frame.modulation == .typeA, !registers.handlesParity, !isRaw, frame.parity == nil else {
      return frame
    }
    return ParityStream.decode(
      frame.bytes, bitsInLastByte: frame.bitsInLastByte, modulation: .typeA)
  }

  /// Returns an answer as the firmware receives it: with parity bits among the data while the unit does
  /// not remove them.
  private func receivedByUnit(_ reception: VirtualField.Reception) -> VirtualField.Reception {
    guard !registers.handlesParity, !isRaw, case .frame(let answer) = reception,
      answer.modulation == .typeA
    else { return reception }
    let stream = ParityStream.encode(answer)
    return .frame(
      RadioFrame(stream.bytes, modulation: .typeA, bitsInLastByte: stream.bitsInLastByte))
  }

  /// Sends bytes with a CRC and returns the answer without its CRC.
  mutating func exchange(
    _ bytes: [UInt8], modulation: RadioFrame.Modulation, bitRate: Int = 106,
    limit: Duration = PN532Chip.searchLimit
  ) -> RadioAnswer {
    var frame: RadioFrame
    switch modulation {
    case .typeA: frame = .typeA(bytes)
    case .typeB, .iso15693: frame = .typeB(bytes)
    case .feliCa: frame = .feliCa(bytes, bitRate: bitRate)
    }
    frame.bitRate = bitRate
    return Self.answer(in: transmit(frame, limit: limit))
  }

  /// Returns the payload of an answer, or the error that the unit finds in it.
  static func answer(in reception: VirtualField.Reception) -> RadioAnswer {
    switch reception {
    case .silence: return .failure(.timeOut)
    case .collision: return .failure(.bitCollision)
    case .frame(let answer):
      guard answer.parity == nil else { return .failure(.parityError) }
      guard let payload = answer.checkedPayload else { return .failure(.crcError) }
      return .payload(payload)
    }
  }

  /// Sends one block of ISO/IEC 14443-4 to a target.
  mutating func sendBlock(_ block: [UInt8], to index: Int, limit: Duration) -> RadioAnswer {
    let bitRate = targets[index].bitRate
    switch targets[index].kind {
    case .typeB:
      return exchange(block, modulation: .typeB, bitRate: bitRate, limit: limit)
    case .typeA, .feliCa, .jewel:
      return exchange(block, modulation: .typeA, bitRate: bitRate, limit: limit)
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
    /// The ATQA in transmission order, least significant byte first.
    var atqa: [UInt8]
    var uid: [UInt8]
    var sak: UInt8
  }

  /// Sends REQA or WUPA, then anticollision and SELECT for all cascade levels.
  ///
  /// - Parameter known: the UID with its cascade tags, which is selected without anticollision.
  mutating func selectTypeA(known: [UInt8] = []) -> TypeASelection? {
    let wakes = !known.isEmpty || findsHaltedTag()
    let request = RadioFrame(
      [wakes ? Self.wakeUpA : Self.requestA], modulation: .typeA, bitsInLastByte: 7)
    fifo = request.bytes
    let atqa: [UInt8]
    switch transmit(request, limit: Self.requestLimit) {
    case .silence:
      leaveUnansweredRequest()
      return nil
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

  /// After a REQA without an answer, the unit keeps the settings of the short frame: seven bits in the last byte, and no
  /// check bytes (kormax/apple-enhanced-contactless-polling, examples/README.md).
  mutating func leaveUnansweredRequest() {
    guard model.keepsShortFrame else { return }
    registers[PN532Registers.bitFraming] = UInt8(Self.shortFrameBits)
    registers[PN532Registers.txMode] &= ~PN532Registers.crcEnable
    registers[PN532Registers.rxMode] &= ~PN532Registers.crcEnable
  }

  private static let shortFrameBits = 7

  /// Returns the four bytes of one cascade level of one of the answering cards (ISO/IEC 14443-3, 6.5.3).
  private mutating func anticollision(_ code: UInt8) -> [UInt8]? {
    var known: [UInt8] = []
    var knownBits = 0
    // Each collision resolves at least one of 32 bits.
    for _ in 0...32 {
      let count = UInt8((knownBits / 8 + 2) << 4 | knownBits % 8)
      let frame = RadioFrame(
        [code, count] + known, modulation: .typeA,
        bitsInLastByte: knownBits % 8 == 0 ? 8 : knownBits % 8)
      switch transmit(frame, limit: Self.requestLimit) {
      case .silence: return nil
      case .frame(let answer):
        let part = Array(known.prefix(knownBits / 8)) + answer.bytes
        guard part.count == 5, part.reduce(0, ^) == 0 else { return nil }
        return Array(part.prefix(4))
      case .collision(let received, let bit):
        let position = knownBits / 8 * 8 + bit
        guard position >= knownBits, position < 32 else { return nil }
        // Where the cards differ, those with a 1 continue, as in the chip's firmware: the receiver
        // reports a 1 at a collision.
        let bytes = Array(known.prefix(knownBits / 8)) + received.bytes
        known = Array(bytes.prefix(position / 8 + 1))
        known[position / 8] &= UInt8(truncatingIfNeeded: 0x1FF >> (8 - position % 8))
        knownBits = position + 1
      }
    }
    return nil
  }

  /// Returns whether this search finds halted tags.
  private mutating func findsHaltedTag() -> Bool {
    guard hasHaltedTag, haltedTagsFound < model.haltedTagsFound else { return false }
    haltedTagsFound += 1
    return true
  }

  /// The time within which a halted card becomes silent (ISO/IEC 14443-3, 6.4.3).
  private static let haltLimit = Duration.milliseconds(1)

  mutating func haltTypeA() {
    if var session = cipher {
      _ = transmit(session.encrypt(Self.haltA), limit: Self.haltLimit)
      cipher = nil
    } else {
      _ = transmit(.typeA(Self.haltA), limit: Self.haltLimit)
    }
  }

  // MARK: Type B, ISO/IEC 14443-3, 7

  private static let attrib: UInt8 = 0x1D
  private static let requestB: UInt8 = 0x05
  /// ATTRIB parameter 2: frames of 64 bytes, 106 kbit/s (7.10.4). The chip requests no more.
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

  /// PARAM of WUPB, to which halted cards respond too (ISO/IEC 14443-3, 7.7.4).
  private static let wakeUp: UInt8 = 0x08

  /// Sends REQB for one slot and, if several cards answer in it, for sixteen; then sends ATTRIB to the
  /// first card that answers without a collision.
  mutating func selectTypeB(applicationFamily: UInt8) -> TypeBSelection? {
    guard let atqb = answersToRequestB(applicationFamily).first else { return nil }
    return attribute(atqb)
  }

  /// Sends WUPB and ATTRIB to a card that was found before. UM0701-02, table 15, has two codes for a card
  /// that does not answer as expected.
  mutating func wakeTypeB(pupi: [UInt8]) -> Result<TypeBSelection, PN532Status.Failure> {
    let found = answersToRequestB(0, parameter: Self.wakeUp, wanted: pupi)
    guard let atqb = found.first(where: { Array($0[1..<5]) == pupi }) else {
      return .failure(.init(status: found.isEmpty ? .cardDisappeared : .cardExchanged))
    }
    guard let selection = attribute(atqb) else { return .failure(.init(status: .cardDisappeared)) }
    return .success(selection)
  }

  private mutating func attribute(_ atqb: [UInt8]) -> TypeBSelection? {
    let attrib =
      [Self.attrib] + atqb[1..<5]
      + [0x00, Self.attribFrameSize, Self.protocolISO14443, Self.typeBCardIdentifier]
    guard case .payload(let answer) = exchange(attrib, modulation: .typeB) else { return nil }
    return TypeBSelection(atqb: atqb, attribAnswer: answer)
  }

  /// Returns the cards that answer without a collision, up to the requested card, or up to the first if
  /// any card is accepted.
  private mutating func answersToRequestB(
    _ applicationFamily: UInt8, parameter: UInt8 = 0, wanted: [UInt8]? = nil
  ) -> [[UInt8]] {
    func isAnswer(_ payload: [UInt8]) -> Bool { payload.count >= 12 && payload[0] == 0x50 }
    switch exchange(
      [Self.requestB, applicationFamily, parameter], modulation: .typeB, limit: Self.requestLimit)
    {
    case .payload(let payload): return isAnswer(payload) ? [payload] : []
    case .failure(.bitCollision): break
    case .failure: return []
    }
    var found: [[UInt8]] = []
    for slot in UInt8(0)..<16 {
      let frame =
        slot == 0
        ? [Self.requestB, applicationFamily, parameter | Self.sixteenSlots]
        : [slot << 4 | Self.requestB]
      if case .payload(let payload) = exchange(frame, modulation: .typeB), isAnswer(payload) {
        found.append(payload)
        if wanted == nil || wanted == Array(payload[1..<5]) { break }
      }
    }
    return found
  }
}
