import Synchronization

@testable import NFCCore
@testable import VirtualNFC

/// A tag with a reader's antenna right at it: no libnfc, no line and no clock, so that millions of operations on
/// tags of every kind can be run.
///
/// The tag can be torn away, and the task that runs cancelled, at any exchange.
final class AirDriver: ReaderDriver {
  /// What happens at an exchange, counted from when it was set.
  enum Event: Equatable {
    /// The tag leaves before it hears the frame.
    case tear(Int)
    /// The task is cancelled before the frame is sent, or after the answer has come.
    case cancel(Int, isSent: Bool)
  }

  let name = "air"
  let connectionString = "air"
  let capabilities = ReaderCapabilities(
    technologies: Set(TagTechnology.allCases), bitRates: [:], maximumCommandLength: 262,
    maximumResponseLength: 262)
  let abort: @Sendable () -> Void

  private final class Flag: Sendable {
    let isSet = Mutex(false)
  }

  /// What is shared with whoever holds the tag.
  final class Hand: Sendable {
    private struct State {
      var event: Event?
      var exchanges = 0
      var isGone = false
    }
    private let state = Mutex(State())

    /// Whether the event has happened.
    var hasHappened: Bool {
      state.withLock {
        switch $0.event {
        case .tear: $0.isGone
        case .cancel(let moment, _): $0.exchanges > moment
        case nil: false
        }
      }
    }
    var isGone: Bool {
      get { state.withLock { $0.isGone } }
      set { state.withLock { $0.isGone = newValue } }
    }

    func plan(_ event: Event?) {
      state.withLock {
        $0.event = event
        $0.exchanges = 0
      }
    }

    /// One more exchange: what is to happen with it.
    fileprivate func next() -> (isCancelled: Bool, isSent: Bool) {
      state.withLock { state in
        let number = state.exchanges
        state.exchanges += 1
        switch state.event {
        case .tear(number): state.isGone = true
        case .cancel(number, let isSent): return (true, isSent)
        default: break
        }
        return (false, true)
      }
    }
  }

  private let tag: VirtualTag
  private let hand: Hand
  private let aborted = Flag()
  private var isJewel = false
  private var blocks: BlockInitiator?
  private var classic: MIFAREClassicSession?

  init(_ tag: VirtualTag, _ hand: Hand) {
    self.tag = tag
    self.hand = hand
    let aborted = aborted
    abort = { aborted.isSet.withLock { $0 = true } }
  }

  func begin() { aborted.isSet.withLock { $0 = false } }
  func end() {}
  func close() {}

  func resetField() throws {
    tag.setPower(false)
  }

  func list(_ technology: TagTechnology) throws -> [Target] {
    guard !hand.isGone else { return [] }
    let found = activate()
    return found.flatMap { $0.technology == technology ? [$0] : nil } ?? []
  }

  func select(_ target: Target) throws {
    guard !hand.isGone, let found = activate(), found.isSame(as: target) else {
      throw NFCError(.tagConnectionLost, "the tag has left the field")
    }
  }

  func isPresent(_ target: Target) throws -> Bool { !hand.isGone }

  // MARK: Activation

  private func activate() -> Target? {
    tag.setPower(false)
    tag.setPower(true)
    (blocks, classic, isJewel) = (nil, nil, false)
    switch tag.modulation {
    case .typeA: return activateTypeA()
    case .feliCa: return activateFeliCa()
    case .iso15693: return .iso15693(ISO15693Target(uid: tag.identifier))
    case .typeB: return nil
    }
  }

  private func activateTypeA() -> Target? {
    guard let atqa = tag.receive(.typeA(bare: [0x26], bitsInLastByte: 7))?.bytes else { return nil }
    guard atqa != [0x00, 0x0C] else { return activateJewel(atqa.reversed()) }
    var uid: [UInt8] = []
    for code: UInt8 in [0x93, 0x95, 0x97] {
      guard let part = tag.receive(.typeA(bare: [code, 0x20]))?.bytes, part.count == 5,
        let sak = tag.receive(.typeA([code, 0x70] + part))?.checkedPayload?.first
      else { return nil }
      guard sak & 0x04 == 0 else {
        uid += part[1...3]
        continue
      }
      uid += part[0...3]
      var ats: [UInt8] = []
      if sak & 0x20 != 0 {
        let request: [UInt8] = [0xE0, BlockInitiator.frameSizeIndex << 4]
        guard let answer = tag.receive(.typeA(request))?.checkedPayload else { return nil }
        let selected = AnswerToSelect(answer)
        blocks = BlockInitiator(
          frameSizeIndex: selected.frameSizeIndex, waitingTimeIndex: selected.waitingTimeIndex,
          cardIdentifier: nil)
        ats = Array(answer.dropFirst())
      }
      return .iso14443a(ISO14443ATarget(uid: uid, atqa: atqa.reversed(), sak: sak, ats: ats))
    }
    return nil
  }

  private func activateJewel(_ sensRes: [UInt8]) -> Target? {
    let answer = tag.receive(Self.jewel([0x78, 0, 0, 0, 0, 0, 0]))?.bytes ?? []
    guard answer.count == 8 else { return nil }
    isJewel = true
    return .jewel(sensRes: sensRes, uid: Array(answer[2..<6]))
  }

  private func activateFeliCa() -> Target? {
    let answer = tag.receive(.feliCa([0x00, 0xFF, 0xFF, 0x01, 0x00]))?.checkedPayload ?? []
    guard answer.count == 19 else { return nil }
    return .feliCa(
      FeliCaTarget(
        idm: Array(answer[1..<9]), pmm: Array(answer[9..<17]), systemCode: Array(answer[17...]),
        bitRate: 212))
  }

  /// Jewel's commands have CRC_B.
  private static func jewel(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes + CyclicRedundancyCheck.b(bytes), modulation: .typeA)
  }

  // MARK: Exchanges

  private static let silence = NFCError(
    .tagResponseError, "the tag has not answered", cause: .noAnswer)

  /// Sends a frame, unless something happens to it.
  private func transmit(_ frame: RadioFrame) throws -> RadioFrame? {
    let (isCancelled, isSent) = hand.next()
    if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
    let answer = isSent && !hand.isGone ? tag.receive(frame) : nil
    if aborted.isSet.withLock({ $0 }) { throw CancellationError() }
    // A section that a cancellation does not stop: the frame goes out all the same.
    return isSent || hand.isGone ? answer : tag.receive(frame)
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    switch tag.modulation {
    case .feliCa:
      guard let answer = try transmit(.feliCa(Array(command.dropFirst())))?.checkedPayload
      else { throw Self.silence }
      return [UInt8(truncatingIfNeeded: answer.count + 1)] + answer
    case .iso15693: return try vicinity(command)
    case .typeB: throw Self.silence
    case .typeA: break
    }
    if framing == .bare {
      guard let answer = try transmit(.typeA(bare: command)) else { throw Self.silence }
      return answer.bytes
    }
    if blocks != nil { return try card(command) }
    if isJewel { return try jewelExchange(command) }
    return try classicExchange(command)
  }

  private func vicinity(_ command: [UInt8]) throws -> [UInt8] {
    var answer = try transmit(.iso15693(command))
    if answer == nil, !hand.isGone { answer = tag.receive(.iso15693EndOfFrame) }
    guard let payload = answer?.checkedPayload else { throw Self.silence }
    return payload
  }

  private func card(_ command: [UInt8]) throws -> [UInt8] {
    var failure: (any Error)?
    var collected: [UInt8] = []
    var part = command
    while var running = blocks {
      let outcome = running.exchange(part, isChained: false) { bytes, _ in
        do {
          guard failure == nil, let payload = try transmit(.typeA(bytes))?.checkedPayload else {
            return .failure(.timeOut)
          }
          return .payload(payload)
        } catch {
          failure = error
          return .failure(.timeOut)
        }
      }
      blocks = running
      if let failure { throw failure }
      guard case .answer(let data, let hasMore) = outcome else { throw Self.silence }
      collected += data
      guard hasMore else { return collected }
      part = []
    }
    throw Self.silence
  }

  /// RSEG, READ8, WRITE-E8 and WRITE-NE8 have eight bytes of data, in place or not.
  private static let longJewelCommands: Set<UInt8> = [0x10, 0x02, 0x54, 0x1B]

  private func jewelExchange(_ command: [UInt8]) throws -> [UInt8] {
    let length = Self.longJewelCommands.contains(command.first ?? 0) ? 10 : 3
    let padded = command + [UInt8](repeating: 0, count: max(0, length - command.count))
    guard let answer = try transmit(Self.jewel(padded + tag.identifier))?.bytes, answer.count > 2
    else { throw Self.silence }
    return Array(answer.dropLast(2))
  }

  private func classicExchange(_ command: [UInt8]) throws -> [UInt8] {
    let isWrite = command.count > 2
    let answer = try encrypted(Array(command.prefix(2)))
    guard isWrite else { return answer }
    return try encrypted(Array(command.dropFirst(2)))
  }

  /// An encrypted frame and its answer; none for an acknowledge.
  private func encrypted(_ bytes: [UInt8]) throws -> [UInt8] {
    guard var session = classic else { throw Self.silence }
    let answer = try transmit(session.encrypt(bytes)).flatMap { session.decrypt($0) }
    classic = session
    guard let answer else { throw Self.silence }
    if answer.bitCount == 4 {
      guard answer.bytes[0] == 0x0A else {
        classic = nil
        throw NFCError(
          .tagRefused, "the card has refused", cause: .negativeAcknowledge(answer.bytes[0]))
      }
      return []
    }
    guard let payload = answer.checkedPayload else { throw Self.silence }
    return payload
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    var session = MIFAREClassicSession(key: key, uid: uid, running: classic)
    classic = nil
    var failure: (any Error)?
    let outcome = session.authenticate(command: [keyType == .a ? 0x60 : 0x61, block]) { frame in
      do {
        return try transmit(frame).map { .frame($0) } ?? .silence
      } catch {
        failure = error
        return .silence
      }
    }
    if let failure { throw failure }
    guard case .authenticated = outcome else {
      throw NFCError(.authenticationFailed, "the key is wrong")
    }
    classic = session
  }
}
