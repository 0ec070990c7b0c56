import SwiftNFCCore

/// The part of a PN532 that acts as a card: what the firmware answers to a reader by itself, and what it keeps for the
/// host (UM0701-02, 7.3.14 to 7.3.21; ISO/IEC 14443-3 and -4).
///
/// Two threads use it: the host's commands come on the chip's thread, the frames of the reader in front of the antenna on
/// another.
final class TargetUnit: FacingAntenna {
  /// Whether the chip is a card, and for whom.
  enum Phase: Hashable {
    case off
    /// TgInitAsTarget waits for a reader.
    case armed
    /// A reader has activated the chip.
    case active
    /// The reader has gone; the status is reported once.
    case released(UInt8?)
  }

  /// The protocol of the reader that has activated the chip.
  private enum Traffic {
    case blocks(CardBlocks)
    /// Frames that go to the host as they are.
    case raw
  }

  private struct State {
    var phase = Phase.off
    var identity: TargetIdentity?
    var runsBlocks = false
    var answersPolling = true
    var isFieldOn = false
    var activation = TypeAActivation(uid: [8, 0, 0, 0], atqa: [4, 0], sak: 0x20)
    var traffic = Traffic.raw
    /// Mode byte and first frame, for the answer to TgInitAsTarget.
    var activated: [UInt8]?
    /// What TgGetData or TgGetInitiatorCommand is to return.
    var received: [UInt8]?
    var hasNodeAddress = false
    /// What the reader is to receive, and did not wait for yet.
    var answer: RadioFrame?
    /// Whether the host may answer.
    var isAnswerDue = false
    /// Whether blocks of the answer remain to be sent.
    var isSending = false
    /// What TgSetData is to report: success once the last block has been sent, also if the reader leaves right after it.
    var sendOutcome: UInt8?
    var earlyStates = 0
    var swallowsCommand = false
    /// Whether the host was told that the reader has deselected the chip.
    var isDeselected = false
    /// Whether the reader has gone without a word to the host: no reader is heard any more.
    var isDeaf = false
    /// With ``VirtualPN532/TargetReadings/FirstFrame/command``: whether it was reported.
    var isFirstCommandTaken = false
  }

  let readings: VirtualPN532.TargetReadings
  private let state = Waitable(State())
  /// Called on any thread after a change that a command of the host may wait for.
  private let onChange: @Sendable () -> Void

  init(_ readings: VirtualPN532.TargetReadings, onChange: @escaping @Sendable () -> Void) {
    self.readings = readings
    self.onChange = onChange
  }

  // MARK: The host

  private enum Mode {
    static let dep: UInt8 = 0x04
    static let picc: UInt8 = 0x08
    static let feliCa: UInt8 = 0x02
    static let rate212: UInt8 = 0x10
  }

  private static let sakISO14443: UInt8 = 0x20
  private static let (longestData, moreInformation) = (262, UInt8(0x40))

  /// Whether the chip sleeps until a reader's field wakes it.
  var isArmed: Bool { state.withLock { $0.phase == .armed } }
  var isActive: Bool { state.withLock { $0.phase == .active } }

  /// Arms the chip.
  ///
  /// - Parameters:
  ///   - runsBlocks: SetParameters has switched on that the firmware runs ISO/IEC 14443-4.
  ///   - answersPolling: the mode detector is on, so that FeliCa's Polling is answered.
  func arm(_ identity: TargetIdentity, runsBlocks: Bool, answersPolling: Bool) {
    state.withLock { state in
      let isFieldOn = state.isFieldOn
      state = State()
      state.phase = .armed
      state.identity = identity
      state.runsBlocks = runsBlocks && identity.sak & Self.sakISO14443 != 0
      state.answersPolling = answersPolling
      state.isFieldOn = isFieldOn
      state.activation = TypeAActivation(
        uid: identity.uid, atqa: identity.atqa, sak: identity.sak)
      if isFieldOn { state.activation.powerOn() }
      state.earlyStates = readings.earlyStates
      state.swallowsCommand = readings.swallowsFirstCommand
    }
  }

  /// The chip stops being a card.
  func leave() {
    state.withLock { state in
      guard state.phase != .off else { return }
      let isFieldOn = state.isFieldOn
      state = State()
      state.isFieldOn = isFieldOn
    }
  }

  /// The answer to TgInitAsTarget; `nil` while no reader has come.
  func takeActivation() -> [UInt8]? {
    state.withLock { state in
      defer { state.activated = nil }
      return state.activated
    }
  }

  /// The answer to TgGetData: status and data; `nil` while there is none.
  func takeCommand() -> [UInt8]? {
    state.withLock { state in
      switch state.phase {
      case .off, .armed: return [PN532Status.invalidDeviceState.rawValue]
      case .released(let status):
        state.phase = .released(nil)
        state.isAnswerDue = false
        return [status ?? PN532Status.invalidDeviceState.rawValue]
      case .active: break
      }
      if state.earlyStates > 0 {
        state.earlyStates -= 1
        return [PN532Status.invalidDeviceState.rawValue]
      }
      if state.swallowsCommand {
        // A repetition is answered.
        return nil
      }
      guard let command = state.received else { return nil }
      if state.hasNodeAddress {
        state.hasNodeAddress = false
        state.received = nil
        state.isAnswerDue = true
        switch readings.nodeAddress {
        case .formatError: return [PN532Status.dataFormat.rawValue]
        case .statusBit: return [0x80] + command
        }
      }
      guard command.count <= Self.longestData else {
        state.received = Array(command.dropFirst(Self.longestData))
        return [Self.moreInformation] + command.prefix(Self.longestData)
      }
      state.received = nil
      state.isAnswerDue = true
      return [0] + command
    }
  }

  /// A new TgGetData has come, also after one that was not answered.
  func noteRequest(isFirst: Bool) {
    state.withLock { if !isFirst { $0.swallowsCommand = false } }
  }

  /// Accepts the data of TgSetData; a status if it cannot be sent.
  func set(_ data: [UInt8]) -> UInt8? {
    state.withLock { state in
      switch state.phase {
      case .off, .armed: return PN532Status.invalidDeviceState.rawValue
      case .released(let status):
        state.phase = .released(nil)
        return status ?? PN532Status.invalidDeviceState.rawValue
      case .active: break
      }
      guard state.isAnswerDue, case .blocks(var blocks) = state.traffic else {
        return PN532Status.invalidDeviceState.rawValue
      }
      state.isAnswerDue = false
      (state.isSending, state.sendOutcome) = (true, nil)
      if case .send(let block) = blocks.answer(data) { state.answer = .typeA(block) }
      state.traffic = .blocks(blocks)
      return nil
    }
  }

  /// Accepts the data of TgResponseToInitiator.
  func respond(_ data: [UInt8]) -> UInt8? {
    state.withLock { state in
      guard state.phase == .active, state.isAnswerDue else {
        return PN532Status.invalidDeviceState.rawValue
      }
      state.isAnswerDue = false
      (state.isSending, state.sendOutcome) = (true, nil)
      state.answer = .typeA(data)
      return nil
    }
  }

  /// The answer to TgSetData: `nil` while blocks remain to be sent.
  func takeSent() -> [UInt8]? {
    state.withLock { state in
      if let outcome = state.sendOutcome { return [outcome] }
      if case .released(let status) = state.phase {
        state.phase = .released(nil)
        return [status ?? PN532Status.invalidDeviceState.rawValue]
      }
      guard state.phase == .active else { return [PN532Status.invalidDeviceState.rawValue] }
      return nil
    }
  }

  /// The data of TgGetTargetStatus: released, activated or deselected, and the bit rates.
  var status: [UInt8] {
    state.withLock { state in
      if state.phase == .active, !state.isDeaf { return [0x01, 0x00] }
      return state.isDeselected ? [0x02, 0x00] : [0x00, 0x00]
    }
  }

  // MARK: The reader in front of the antenna

  func setField(_ isOn: Bool) {
    state.withLock { state in
      guard state.isFieldOn != isOn else { return }
      state.isFieldOn = isOn
      isOn ? state.activation.powerOn() : state.activation.powerOff()
      guard !isOn else { return }
      if state.phase == .active {
        (state.received, state.answer, state.isSending) = (nil, nil, false)
        switch readings.fieldLoss {
        case .status(let status): state.phase = .released(status)
        case .nothing:
          // The host is told nothing, and no reader is heard until it arms the chip again.
          state.isAnswerDue = false
          state.isDeaf = true
        }
      }
    }
    onChange()
  }

  /// The part of the waiting time after which the firmware requests more.
  private static let patience = Duration.milliseconds(100)
  private static let multiplier: UInt8 = 1
  /// The interval at which a reader's host is listened to.
  private static let period = Duration.milliseconds(20)

  func exchange(
    _ frame: RadioFrame, limit: Duration, isInterrupted: @Sendable () -> Bool
  ) -> RadioFrame? {
    let step = state.withLock { receive(frame, &$0) }
    onChange()
    switch step {
    case .answer(let frame): return frame
    case .waits: break
    }
    let patience = readings.extendsWaitingTime ? min(Self.patience, limit) : limit
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end, !isInterrupted() {
      let left = min(end - .now, Self.period)
      let answer = state.wait(atMost: left) { state -> RadioFrame?? in
        guard state.phase == .active else { return .some(nil) }
        guard let answer = state.answer else { return nil }
        sent(&state)
        return answer
      }
      if let answer {
        onChange()
        return answer
      }
    }
    return state.withLock { state in
      guard readings.extendsWaitingTime, state.phase == .active,
        case .blocks(let blocks) = state.traffic
      else { return nil }
      // The answer may have come just now.
      if let answer = state.answer {
        sent(&state)
        return answer
      }
      return blocks.isBusy ? .typeA(blocks.waitingTimeRequest(Self.multiplier)) : nil
    }
  }

  /// A part of the answer has been sent.
  private func sent(_ state: inout State) {
    state.answer = nil
    noteSent(&state)
  }

  private func noteSent(_ state: inout State) {
    guard state.isSending else { return }
    if case .blocks(let blocks) = state.traffic {
      state.isSending = !blocks.hasSentAll
    } else {
      state.isSending = false
    }
    if !state.isSending { state.sendOutcome = 0 }
  }

  private enum Step {
    case answer(RadioFrame?)
    case waits
  }

  private static let selectRequest: UInt8 = 0xE0
  private static let attributeRequest: UInt8 = 0xF0
  /// S(WTX), and the bit of a block with a CID.
  private static let (waitingTime, identifierBit) = (UInt8(0xF2), UInt8(0x08))

  private func receive(_ frame: RadioFrame, _ state: inout State) -> Step {
    guard state.isFieldOn, !state.isDeaf, let identity = state.identity else { return .answer(nil) }
    switch state.phase {
    case .off: return .answer(nil)
    case .released:
      guard readings.isActivatedAgain, state.isDeselected else { return .answer(nil) }
    case .armed: break
    case .active:
      if case .blocks(var blocks) = state.traffic {
        // REQA, WUPA and HLTA mean nothing to a card in this protocol.
        guard let block = frame.checkedPayload, frame.modulation == .typeA else {
          return .answer(nil)
        }
        // The host has answered since more time was requested: the reader confirms that, and gets the answer.
        if state.answer != nil, block.first.map({ $0 & ~Self.identifierBit }) == Self.waitingTime {
          return .waits
        }
        let step = blocks.receive(block)
        state.traffic = .blocks(blocks)
        return receive(step, &state)
      }
    }
    if frame.modulation == .feliCa {
      return .answer(poll(frame, identity, &state))
    }
    switch state.activation.receive(frame) {
    case .handled(let answer): return .answer(answer)
    case .other:
      state.activation.stopResponding()
      return .answer(nil)
    case .command(let command): return begin(command, identity, &state)
    }
  }

  /// The first command after SELECT, or a further one without ISO/IEC 14443-4.
  private func begin(_ command: [UInt8], _ identity: TargetIdentity, _ state: inout State) -> Step {
    if state.phase == .active {
      state.received = command
      return .waits
    }
    if readings.answersDEP, command.first == Self.attributeRequest {
      state.activated = [Mode.dep] + command
      state.phase = .released(Self.releasedByReader)
      return .answer(nil)
    }
    guard state.runsBlocks else {
      state.phase = .active
      state.traffic = .raw
      state.activated = [0] + command
      state.isAnswerDue = true
      return .waits
    }
    guard command.count == 2, command[0] == Self.selectRequest else {
      state.activation.stopResponding()
      return .answer(nil)
    }
    state.phase = .active
    state.isDeselected = false
    state.traffic = .blocks(CardBlocks(request: command))
    switch readings.firstFrame {
    case .request: state.activated = [Mode.picc] + command
    case .none: state.activated = [Mode.picc]
    case .command: break
    }
    return .answer(.typeA(identity.answerToSelect))
  }

  private static let releasedByReader: UInt8 = 0x29

  private func receive(_ step: CardBlocks.Step, _ state: inout State) -> Step {
    switch step {
    case .send(let block):
      noteSent(&state)
      return .answer(.typeA(block))
    case .silence: return .answer(nil)
    case .waits: return .waits
    case .command(let command, let hasNodeAddress):
      if readings.firstFrame == .command, !state.isFirstCommandTaken {
        state.activated = [Mode.picc] + command
        state.isAnswerDue = true
        state.isFirstCommandTaken = true
        return .waits
      }
      state.received = command
      state.hasNodeAddress = hasNodeAddress
      return .waits
    case .deselected(let block):
      state.phase = .released(Self.releasedByReader)
      state.isDeselected = true
      (state.received, state.answer, state.isSending) = (nil, nil, false)
      state.activation.halt()
      return .answer(.typeA(block))
    }
  }

  // MARK: FeliCa

  private static let polling: UInt8 = 0x00

  /// Answers Polling by itself; the next frame of a FeliCa reader completes TgInitAsTarget.
  private func poll(_ frame: RadioFrame, _ identity: TargetIdentity, _ state: inout State)
    -> RadioFrame?
  {
    guard state.answersPolling, state.phase == .armed, let request = frame.checkedPayload,
      let code = request.first
    else { return nil }
    guard code == Self.polling, request.count == 5 else {
      state.phase = .active
      state.traffic = .raw
      state.activated =
        [Mode.rate212 | Mode.feliCa] + [UInt8(truncatingIfNeeded: request.count + 1)] + request
      return nil
    }
    let system = Array(identity.feliCa[16...])
    guard zip(request[1...2], system).allSatisfy({ $0 == 0xFF || $0 == $1 }) else { return nil }
    let answer = [0x01] + identity.feliCa[..<16] + (request[3] == 1 ? system : [])
    return .feliCa(answer, bitRate: frame.bitRate)
  }
}
