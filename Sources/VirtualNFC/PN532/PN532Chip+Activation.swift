import SwiftNFCCore

// InListPassiveTarget, InAutoPoll, InSelect, InDeselect, InRelease: user manual UM0701-02, 7.3.
extension PN532Chip {
  private enum TargetType {
    static let a106: UInt8 = 0x00
    static let feliCa212: UInt8 = 0x01
    static let feliCa424: UInt8 = 0x02
    static let b106: UInt8 = 0x03
    static let jewel: UInt8 = 0x04
  }

  /// The command code of FeliCa's Polling.
  private static let polling: UInt8 = 0x00
  /// The maximum number of targets that a chip holds.
  private static let maximumTargets = 2

  mutating func listPassiveTarget(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count >= 2, (1...Self.maximumTargets).contains(Int(parameters[0])) else {
      return nil
    }
    let type = parameters[1]
    let data = Array(parameters.dropFirst(2))
    switch type {
    case TargetType.a106: guard [0, 4, 8, 12].contains(data.count) else { return nil }
    case TargetType.feliCa212, TargetType.feliCa424:
      // What does not begin with the code of Polling is refused, as in the logs of libnfc's issues 493, 534 and 671.
      guard data.count >= 5, data[0] == Self.polling else { return nil }
    case TargetType.b106: guard (1...2).contains(data.count) else { return nil }
    case TargetType.jewel: guard data.isEmpty else { return nil }
    default: return nil
    }
    forgetTargets()
    // An activation is tried once, and again as often as MxRtyPassiveActivation says. If that is endless,
    // the command stays pending, so one attempt per turn is enough.
    let isEndless = radio.activationRetries == RadioConfiguration.forEver
    let attempts = isEndless ? 1 : Int(radio.activationRetries) + 1
    for _ in 0..<attempts {
      guard let first = activate(type, data, number: 1) else { continue }
      var found = first
      var count: UInt8 = 1
      if parameters[0] == 2, let second = activateSecond(type, data) {
        found += second
        count = 2
      }
      return .data([count] + found)
    }
    return isEndless ? .waits(attempts: nil) : .data([0])
  }

  /// Searches for another target in addition to the one that has just been found.
  private mutating func activateSecond(_ type: UInt8, _ data: [UInt8]) -> [UInt8]? {
    guard let index = activeIndex() else { return nil }
    switch type {
    case TargetType.a106 where data.isEmpty || model.listsSecondBesideUID:
      putToSleep(index)
      return activate(type, [], number: 2)
    case TargetType.b106:
      putToSleep(index)
      return activate(type, data, number: 2)
    case TargetType.feliCa212, TargetType.feliCa424:
      guard let answer = laterSlots.first?.checkedPayload else { return nil }
      return addFeliCa(answer, bitRate: targets[index].bitRate, number: 2)
    default: return nil
    }
  }

  /// Searches once for a target and returns its target data, beginning with Tg.
  private mutating func activate(_ type: UInt8, _ data: [UInt8], number: UInt8) -> [UInt8]? {
    switch type {
    case TargetType.a106: return activateTypeA(known: data, number: number)
    case TargetType.feliCa212: return activateFeliCa(data, bitRate: 212, number: number)
    case TargetType.feliCa424: return activateFeliCa(data, bitRate: 424, number: number)
    case TargetType.b106: return activateTypeB(data, number: number)
    case TargetType.jewel: return activateJewel(number: number)
    default: return nil
    }
  }

  private mutating func add(_ target: Target) {
    targets.append(target)
    activeTarget = target.number
  }

  private static let sakISO14443: UInt8 = 0x20
  private static let rats: UInt8 = 0xE0

  private mutating func activateTypeA(known: [UInt8], number: UInt8) -> [UInt8]? {
    configure(.typeA, bitRate: 106)
    guard let found = selectTypeA(known: known) else { return nil }
    var target = Target(
      number: number, kind: .typeA(uid: found.uid, sak: found.sak), bitRate: 106, blocks: nil)
    var data =
      [number] + found.atqa.reversed() + [found.sak, UInt8(found.uid.count)] + found.uid
    if found.sak & Self.sakISO14443 != 0, parameters & Parameter.automaticRATS != 0 {
      guard
        case .payload(let ats) = exchange(
          [Self.rats, BlockInitiator.frameSizeIndex << 4], modulation: .typeA),
        let length = ats.first, Int(length) == ats.count
      else { return nil }
      target.blocks = Self.blocks(after: AnswerToSelect(ats))
      data += ats
    }
    add(target)
    return data
  }

  private static func blocks(after ats: AnswerToSelect) -> BlockInitiator {
    BlockInitiator(
      frameSizeIndex: ats.frameSizeIndex, waitingTimeIndex: ats.waitingTimeIndex,
      cardIdentifier: nil)
  }

  /// Returns an initiator with the values in the protocol info of an ATQB.
  private static func blocks(after atqb: [UInt8]) -> BlockInitiator {
    BlockInitiator(
      frameSizeIndex: atqb[10] >> 4, waitingTimeIndex: atqb[11] >> 4,
      cardIdentifier: atqb[11] & 0x01 != 0 ? typeBCardIdentifier : nil)
  }

  private mutating func activateTypeB(_ parameters: [UInt8], number: UInt8) -> [UInt8]? {
    configure(.typeB, bitRate: 106)
    guard let found = selectTypeB(applicationFamily: parameters[0]) else { return nil }
    add(
      Target(
        number: number, kind: .typeB(pupi: Array(found.atqb[1..<5])), bitRate: 106,
        blocks: Self.blocks(after: found.atqb)))
    return [number] + found.atqb.prefix(12) + [UInt8(truncatingIfNeeded: found.attribAnswer.count)]
      + found.attribAnswer
  }

  private mutating func activateFeliCa(
    _ request: [UInt8], bitRate: Int, number: UInt8
  ) -> [UInt8]? {
    configure(.feliCa, bitRate: bitRate)
    guard
      case .payload(let answer) = exchange(
        Array(request.prefix(5)), modulation: .feliCa, bitRate: bitRate,
        limit: Self.pollingLimit(Array(request.prefix(5)))),
      [17, 19].contains(answer.count)
    else { return nil }
    return addFeliCa(answer, bitRate: bitRate, number: number)
  }

  private mutating func addFeliCa(_ answer: [UInt8], bitRate: Int, number: UInt8) -> [UInt8]? {
    guard [17, 19].contains(answer.count) else { return nil }
    add(
      Target(
        number: number, kind: .feliCa(idm: Array(answer[1..<9])), bitRate: bitRate, blocks: nil))
    return [number, UInt8(answer.count + 1)] + answer
  }

  private static let jewelReadIdentification: UInt8 = 0x78
  /// The ATQA of all Jewel and Topaz tags, in the order of transmission (NFC Forum Digital Protocol, 7.6.1.2). Another
  /// tag that has answered the REQA stays in READY, and takes the next one for an error.
  private static let jewelATQA: [UInt8] = [0x00, 0x0C]

  private mutating func activateJewel(number: UInt8) -> [UInt8]? {
    configure(.typeA, bitRate: 106)
    let request = RadioFrame([Self.requestA], modulation: .typeA, bitsInLastByte: 7)
    let reception = transmit(request, limit: Self.requestLimit)
    if reception == .silence { leaveUnansweredRequest() }
    guard case .frame(let atqa) = reception, atqa.bytes == Self.jewelATQA,
      case .payload(let answer) = exchangeJewel(
        [Self.jewelReadIdentification] + [0, 0, 0, 0, 0, 0]),
      answer.count == 6
    else { return nil }
    let uid = Array(answer[2...])
    add(Target(number: number, kind: .jewel(uid: uid), bitRate: 106, blocks: nil))
    return [number] + atqa.bytes.reversed() + uid
  }

  /// Sends a frame with its CRC_B to a Jewel or Topaz tag and returns the answer.
  mutating func exchangeJewel(_ bytes: [UInt8]) -> RadioAnswer {
    let frame = RadioFrame(bytes + CyclicRedundancyCheck.b(bytes), modulation: .typeA)
    switch transmit(frame) {
    case .silence: return .failure(.timeOut)
    case .collision: return .failure(.bitCollision)
    case .frame(let answer):
      let body = Array(answer.bytes.dropLast(2))
      guard answer.bytes.count > 2, CyclicRedundancyCheck.b(body) == Array(answer.bytes.suffix(2))
      else { return .failure(.crcError) }
      return .payload(body)
    }
  }

  // MARK: InAutoPoll

  private enum PollType {
    static let passive106A: UInt8 = 0x00
    static let passive212: UInt8 = 0x01
    static let passive424: UInt8 = 0x02
    static let passive106B: UInt8 = 0x03
    static let jewel: UInt8 = 0x04
    static let mifare: UInt8 = 0x10
    static let feliCa212: UInt8 = 0x11
    static let feliCa424: UInt8 = 0x12
    static let iso14443A: UInt8 = 0x20
    static let iso14443B: UInt8 = 0x23
    /// The types of NFCIP-1, passive and active.
    static let dep: Set<UInt8> = [0x40, 0x41, 0x42, 0x80, 0x81, 0x82]

    static let all = dep.union([
      passive106A, passive212, passive424, passive106B, jewel, mifare, feliCa212, feliCa424,
      iso14443A, iso14443B,
    ])
  }

  /// The unit of the period.
  private static let autoPollUnit = Duration.milliseconds(150)

  mutating func autoPoll(_ parameters: [UInt8]) -> Answer? {
    guard (3...17).contains(parameters.count), parameters[0] != 0,
      (1...15).contains(parameters[1]), parameters.dropFirst(2).allSatisfy(PollType.all.contains)
    else { return nil }
    forgetTargets()
    let wakeUpFeliCa: [UInt8] = [Self.polling, 0xFF, 0xFF, 0x01, 0x00]
    for type in parameters.dropFirst(2) {
      let data: [UInt8]?
      switch type {
      case PollType.passive106A, PollType.iso14443A:
        data = activate(TargetType.a106, [], number: 1)
      case PollType.mifare:
        data = activateWithoutRATS()
      case PollType.passive212, PollType.feliCa212:
        data = activate(TargetType.feliCa212, wakeUpFeliCa, number: 1)
      case PollType.passive424, PollType.feliCa424:
        data = activate(TargetType.feliCa424, wakeUpFeliCa, number: 1)
      case PollType.passive106B, PollType.iso14443B:
        data = activate(TargetType.b106, [0x00], number: 1)
      case PollType.jewel:
        data = activate(TargetType.jewel, [], number: 1)
      default: continue
      }
      guard let data else { continue }
      // A card without ISO/IEC 14443-4 is activated again for the next type.
      if type == PollType.iso14443A, targets.first?.blocks == nil {
        forgetTargets()
        setCarrier(false)
        continue
      }
      return .data([1, type, UInt8(truncatingIfNeeded: data.count)] + data)
    }
    let rounds = Int(parameters[0]) * (parameters.count - 2) * Int(parameters[1])
    return .waits(
      attempts: parameters[0] == RadioConfiguration.forEver ? nil : rounds,
      period: Self.autoPollUnit)
  }

  /// Activates a card as a MIFARE card, which one with ISO/IEC 14443-4 may be as well. RATS is not sent then, so libnfc
  /// polls for ISO/IEC 14443-4 first (pn53x_initiator_poll_target; the limits in the man page of nfc-poll).
  private mutating func activateWithoutRATS() -> [UInt8]? {
    let parameters = parameters
    defer { self.parameters = parameters }
    self.parameters &= ~Parameter.automaticRATS
    return activate(TargetType.a106, [], number: 1)
  }

  // MARK: InSelect, InDeselect, InRelease

  mutating func select(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 1 else { return nil }
    guard let index = targets.firstIndex(where: { $0.number == parameters[0] }) else {
      return .status(.wrongContext)
    }
    return .status(activateAgain(index))
  }

  /// Makes a target the active one; wakes it if necessary.
  mutating func activateAgain(_ index: Int) -> PN532Status {
    guard targets[index].number != activeTarget else { return .success }
    if let active = activeIndex() { putToSleep(active) }
    let target = targets[index]
    switch target.kind {
    case .typeA(let uid, _):
      configure(.typeA, bitRate: 106)
      guard let found = selectTypeA(known: Self.cascaded(uid)), found.uid == uid else {
        return .timeOut
      }
      guard target.blocks != nil else { break }
      guard
        case .payload(let ats) = exchange(
          [Self.rats, BlockInitiator.frameSizeIndex << 4], modulation: .typeA)
      else { return .timeOut }
      targets[index].blocks = Self.blocks(after: AnswerToSelect(ats))
      targets[index].bitRate = 106
    case .typeB(let pupi):
      configure(.typeB, bitRate: 106)
      switch wakeTypeB(pupi: pupi) {
      case .failure(let failure): return failure.status
      case .success(let found): targets[index].blocks = Self.blocks(after: found.atqb)
      }
    case .feliCa:
      configure(.feliCa, bitRate: target.bitRate)
    case .jewel:
      configure(.typeA, bitRate: 106)
    }
    activeTarget = target.number
    return .success
  }

  static func cascaded(_ uid: [UInt8]) -> [UInt8] {
    switch uid.count {
    case 7: [0x88] + uid
    case 10: [0x88] + uid[0..<3] + [0x88] + uid[3...]
    default: uid
    }
  }

  /// Puts a target to sleep so that another one can receive commands.
  mutating func putToSleep(_ index: Int) {
    switch targets[index].kind {
    case .typeA, .typeB:
      if let blocks = targets[index].blocks {
        _ = blocks.deselect { sendBlock($0, to: index, limit: $1) }
      } else {
        haltTypeA()
      }
      hasHaltedTag = true
    case .feliCa, .jewel:
      break
    }
    cipher = nil
    activeTarget = nil
  }

  mutating func deselect(_ parameters: [UInt8]) -> Answer? {
    guard model.firmware.countsReleasedTargets else { return deselectTarget(parameters) }
    guard parameters.count == 2, parameters[0] == 1,
      case .data(let status)? = deselectTarget([parameters[1]])
    else { return nil }
    return .data([parameters[0]] + status)
  }

  private mutating func deselectTarget(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 1 else { return nil }
    guard parameters[0] == 0 || targets.contains(where: { $0.number == parameters[0] }) else {
      return .status(.wrongContext)
    }
    if let index = activeIndex(), parameters[0] == 0 || targets[index].number == parameters[0] {
      putToSleep(index)
    }
    return .status(.success)
  }

  /// Performs ``deselect(_:)`` and forgets the targets. A refused command forgets none.
  mutating func release(_ parameters: [UInt8]) -> Answer? {
    let answer = deselect(parameters)
    if let number = parameters.last, answer != nil {
      targets.removeAll { number == 0 || $0.number == number }
    }
    return answer
  }

  /// Releases all targets, as PowerDown does before it switches the carrier off.
  mutating func releaseAll() {
    if let index = activeIndex() { putToSleep(index) }
    forgetTargets()
  }
}
