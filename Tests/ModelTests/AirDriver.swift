import Synchronization

@testable import SwiftNFCCore
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
    /// The tag carries the command out, and its answer is damaged: these bits of an acknowledge are inverted, or one
    /// bit of a longer answer, which its check shows.
    case damage(Int, UInt8)
    /// The tag refuses the next command, with a code of its kind that this number chooses, and carries nothing out.
    /// From then on, it refuses every write to the same place if it is lasting.
    case refuse(Int, UInt8, isLasting: Bool)
    /// The tag writes the page in part, and says so. Only pages of four bytes, with a refusal of four bits.
    case half(Int)
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
      /// The exchanges that the tag has answered with four bits.
      var acknowledged: Set<Int> = []
      var hasRefused = false
      /// How the writes begin that are refused from now on.
      var refused: [UInt8]?
    }
    private let state = Mutex(State())

    /// Whether the event has happened.
    var hasHappened: Bool {
      state.withLock {
        switch $0.event {
        case .tear: $0.isGone
        case .cancel(let moment, _), .damage(let moment, _): $0.exchanges > moment
        case .refuse, .half: $0.hasRefused
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
        $0.acknowledged = []
        $0.hasRefused = false
        $0.refused = nil
      }
    }

    /// How many frames have been sent since something was planned.
    var exchanges: Int { state.withLock { $0.exchanges } }

    /// The exchanges that the tag has answered with four bits.
    var acknowledged: Set<Int> { state.withLock { $0.acknowledged } }

    fileprivate func wasAcknowledged() {
      state.withLock { _ = $0.acknowledged.insert($0.exchanges - 1) }
    }

    /// One more exchange: what is to happen with it.
    fileprivate func next() -> (isCancelled: Bool, isSent: Bool, damage: UInt8) {
      state.withLock { state in
        let number = state.exchanges
        state.exchanges += 1
        switch state.event {
        case .tear(number): state.isGone = true
        case .cancel(number, let isSent): return (true, isSent, 0)
        case .damage(number, let bits): return (false, true, bits)
        default: break
        }
        return (false, true, 0)
      }
    }

    /// A command that the tag refuses: the number that chooses the code, and whether the tag writes in part.
    ///
    /// - Parameter place: how the command begins, if it is a write.
    fileprivate func refusal(of command: [UInt8], writing place: [UInt8]?) -> (
      code: UInt8, isHalf: Bool
    )? {
      state.withLock { state in
        switch state.event {
        case .refuse(let moment, let code, let isLasting):
          if state.hasRefused {
            guard let place, place == state.refused else { return nil }
          } else {
            guard state.exchanges >= moment else { return nil }
            state.hasRefused = true
            if isLasting { state.refused = place }
          }
          state.exchanges += 1
          return (code, false)
        case .half(let moment):
          guard !state.hasRefused, state.exchanges >= moment, place != nil else { return nil }
          state.hasRefused = true
          state.exchanges += 1
          return (5, true)
        default: return nil
        }
      }
    }
  }

  private let tag: VirtualTag
  private let hand: Hand
  private let aborted = Flag()
  private var isJewel = false
  /// It has refused, and does not listen until it is selected.
  private var isDeaf = false
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
    isDeaf = false
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

  private static let broken = NFCError(
    .tagResponseError, "the tag's answer is broken", cause: .checksum)

  /// Sends a frame, unless something happens to it.
  private func transmit(_ frame: RadioFrame) throws -> RadioFrame? {
    let (isCancelled, isSent, damage) = hand.next()
    if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
    guard !isDeaf else { return nil }
    let answer = isSent && !hand.isGone ? tag.receive(frame) : nil
    if aborted.isSet.withLock({ $0 }) { throw CancellationError() }
    // A section that a cancellation does not stop: the frame goes out all the same.
    let heard = isSent || hand.isGone ? answer : tag.receive(frame)
    if heard?.bitCount == 4 { hand.wasAcknowledged() }
    return damage == 0 ? heard : heard?.damaged(damage)
  }

  // MARK: Refusals

  /// Returns how a command begins that writes, up to its data; `nil` for any other.
  private func place(of command: [UInt8]) -> [UInt8]? {
    func prefix(_ count: Int) -> [UInt8]? {
      command.count > count ? Array(command.prefix(count)) : nil
    }
    guard let first = command.first else { return nil }
    switch tag.modulation {
    // Write Without Encryption, up to the first element of its list of blocks.
    case .feliCa: return command.dropFirst().first == 0x08 ? prefix(16) : nil
    case .iso15693:
      guard let code = command.dropFirst().first, [0x21, 0x22, 0x24, 0x31, 0x32].contains(code)
      else { return nil }
      return prefix(first & 0x20 == 0 ? 3 : 11)
    case .typeB: return nil
    case .typeA:
      if blocks != nil { return command.starts(with: [0x00, 0xD6]) ? prefix(4) : nil }
      if isJewel { return [0x53, 0x54, 0x1A, 0x1B].contains(first) ? prefix(2) : nil }
      return [0xA0, 0xA2].contains(first) ? prefix(2) : nil
    }
  }

  /// Returns how the tag refuses a command, if it is to do so now; `nil` if it is not, or cannot refuse this one.
  private func refusal(of command: [UInt8]) throws -> [UInt8]? {
    guard !hand.isGone, !isDeaf, canBeRefused(command),
      let (code, isHalf) = hand.refusal(of: command, writing: place(of: command))
    else { return nil }
    switch tag.modulation {
    case .feliCa:
      let flags: [[UInt8]] = [[0x01, 0xA8], [0xFF, 0xA6], [0x01, 0x70], [0xFF, 0xB1]]
      return [12, command[1] + 1] + command[2..<10] + flags[Int(code) % flags.count]
    case .iso15693: return [0x01, [0x0F, 0x10, 0x12, 0x13][Int(code) % 4]]
    case .typeB: return nil
    case .typeA: break
    }
    if blocks != nil {
      return [[0x69, 0x85], [0x69, 0x82], [0x6A, 0x84], [0x65, 0x81]][Int(code) % 4]
    }
    let memory = tag.memory
    if isJewel {
      let address = Int(command[1])
      guard command[0] == 0x54 || command[0] == 0x1B else {
        return [command[1], memory.indices.contains(address) ? memory[address] : 0]
      }
      return [command[1]] + memory.dropFirst(address * 8).prefix(8)
    }
    if classic != nil {
      classic = nil
      throw NFCError(.tagRefused, "the card has refused", cause: .negativeAcknowledge(code))
    }
    isDeaf = true
    if isHalf, command.count > 5, tag.name != "ntag-i2c-2k",
      let page = command.dropFirst().first.map(Int.init), page > 3,
      memory.count >= page * 4 + 4
    {
      tag.memory.replaceSubrange(page * 4..<page * 4 + 2, with: command[2..<4])
    }
    return [code]
  }

  private func canBeRefused(_ command: [UInt8]) -> Bool {
    guard let first = command.first else { return false }
    switch tag.modulation {
    case .feliCa: return command.count > 10 && command[1] != 0
    case .iso15693: return command.count > 1 && command[1] != 0x01
    case .typeB: return false
    case .typeA:
      if blocks != nil { return first == 0x00 }
      if isJewel { return place(of: command) != nil }
      if classic != nil { return true }
      // HLTA and the second half of SECTOR SELECT are answered by silence.
      return tag.identifier.count == 7 && first != 0x50 && command.count != 4
        && !["classic-mini", "classic-1k", "classic-4k"].contains(tag.name)
    }
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    if let refusal = try refusal(of: command) { return refusal }
    switch tag.modulation {
    case .feliCa:
      guard let frame = try transmit(.feliCa(Array(command.dropFirst()))) else {
        throw Self.silence
      }
      guard let answer = frame.checkedPayload else { throw Self.broken }
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
    if framing == .checked {
      guard let answer = try transmit(.typeA(command)) else { throw Self.silence }
      guard let payload = answer.checkedPayload else { throw Self.broken }
      return payload
    }
    if isJewel { return try jewelExchange(command) }
    return try classicExchange(command)
  }

  private func vicinity(_ command: [UInt8]) throws -> [UInt8] {
    var answer = try transmit(.iso15693(command))
    if answer == nil, !hand.isGone { answer = tag.receive(.iso15693EndOfFrame) }
    guard let answer else { throw Self.silence }
    guard let payload = answer.checkedPayload else { throw Self.broken }
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
    let body = Array(answer.dropLast(2))
    guard CyclicRedundancyCheck.b(body) == Array(answer.suffix(2)) else { throw Self.broken }
    return body
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

extension RadioFrame {
  /// The frame with these bits of an acknowledge inverted, or with one bit of a longer frame, which the number chooses.
  fileprivate func damaged(_ bits: UInt8) -> RadioFrame {
    var frame = self
    if bitCount == 4 {
      frame.bytes[0] ^= bits & 0x0F
    } else if !bytes.isEmpty {
      frame.bytes[Int(bits) % bytes.count] ^= 1 << (bits % 8)
    }
    return frame
  }
}
