import SwiftNFCCore
import Synchronization

/// The driver of a ``DirectReader``. It passes commands to the virtual PN532 without a serial line.
final class DirectDriver: ReaderDriver {
  /// The chip, shared by the driver and the reader that owns it.
  final class Shared: Sendable {
    let field: VirtualField
    private let chip: Mutex<PN532Chip>
    private let trace: (@Sendable (TraceEvent) -> Void)?
    /// What has happened while the chip was in use. It is reported afterwards, so that the trace may use the reader.
    private let events = EventList()

    private final class EventList: Sendable {
      private let list = Mutex<[TraceEvent]>([])
      func add(_ event: TraceEvent) { list.withLock { $0.append(event) } }
      func take() -> [TraceEvent] {
        list.withLock { list in
          defer { list = [] }
          return list
        }
      }
    }

    init(_ field: VirtualField, trace: (@Sendable (TraceEvent) -> Void)?) {
      self.field = field
      var chip = PN532Chip(field: field)
      chip.wake()
      // Two attempts, and not an endless search: an active tag responds only to the second request
      // (ISO/IEC 14443-3, 6.4).
      chip.radio.activationRetries = 1
      chip.radio.retryTimeOut = Self.longestTimeOut
      if trace != nil { chip.trace = { [events] in events.add($0) } }
      self.trace = trace
      self.chip = Mutex(chip)
    }

    /// Uses the chip, and reports afterwards what has happened.
    func withChip<Result: Sendable>(_ body: (inout PN532Chip) throws -> Result) rethrows -> Result {
      defer { if let trace { events.take().forEach(trace) } }
      return try chip.withLock { try body(&$0) }
    }

    /// The code for a time-out of 3.28 s, which takes no real time here.
    private static let longestTimeOut: UInt8 = 0x10
  }

  let name = "direct reader"
  let connectionString = "direct:"
  let capabilities = ReaderCapabilities(
    technologies: [.iso14443a, .iso14443b, .feliCa, .jewel, .iso15693],
    bitRates: [
      .iso14443a: [106], .iso14443b: [106], .feliCa: [212, 424], .jewel: [106], .iso15693: [26],
    ],
    maximumCommandLength: 262, maximumResponseLength: 262,
    pollingFrames: [.iso14443a, .iso14443b])
  let abort: @Sendable () -> Void = {}

  private let shared: Shared
  /// The tag that receives commands.
  private var active: Target?
  /// The type B card that the last search has put into the HALT state, if no other has answered it. When the carrier
  /// is switched off, it may choose another PUPI (ISO/IEC 14443-3, 7.9.2).
  private var onlyHaltedCard: Target?
  /// Whether the last command to it was given up between two frames.
  private var isCommandCut = false

  init(_ shared: Shared) {
    self.shared = shared
    shared.field.setPower(true)
  }

  func begin() {}
  func end() { onlyHaltedCard = nil }
  func commandWasInterrupted() { isCommandCut = true }

  func close() {
    active = nil
    shared.withChip { $0.forgetTargets() }
    shared.field.setPower(false)
  }

  func resetField() throws {
    close()
    shared.field.setPower(true)
  }

  func switchFieldOff() throws { close() }

  // MARK: Searching

  /// The maximum number of tags that one field can power.
  private static let maximumTags = Reader.maximumTagsAtOnce

  func findsOneByOne(_ technology: TagTechnology) -> Bool {
    [.iso14443a, .iso14443b, .feliCa].contains(technology)
  }

  func list(_ technology: TagTechnology) throws -> [Target] {
    switch technology {
    case .iso15693:
      active = nil
      let targets = shared.withChip { VicinitySearch.targets(&$0) }
      return targets.map { .iso15693($0) }
    case .jewel: return activate(.jewel).map { [$0] } ?? []
    case .iso14443a, .iso14443b, .feliCa:
      var targets: [Target] = []
      while let target = try find(technology, excluding: targets) { targets.append(target) }
      return targets
    default:
      throw NFCError(.unsupported, "the direct reader cannot poll \(technology.rawValue)")
    }
  }

  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    let first = active
    let other = try search(technology, excluding: found)
    if technology == .iso14443b, other == nil, let first, found.count == 1,
      found[0].isSame(as: first)
    {
      onlyHaltedCard = first
    }
    return other
  }

  private func search(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    guard found.count < Self.maximumTags else { return nil }
    // Each tag that is found again is put to sleep. FeliCa cards have no sleep state and answer in turn.
    for _ in 0...found.count {
      if technology != .feliCa { deselect() }
      guard let target = activate(technology) else { return nil }
      if !found.contains(where: { $0.isSame(as: target) }) { return target }
    }
    return nil
  }

  private func deselect() {
    guard let active, [.iso14443a, .iso14443b].contains(active.technology) else { return }
    self.active = nil
    _ = execute(.inDeselect, [0])
  }

  // InListPassiveTarget (UM0701-02, 7.3.5): one target, its type, and for FeliCa a Polling for any
  // system.
  private func activate(_ technology: TagTechnology, knowing uid: [UInt8] = []) -> Target? {
    active = nil
    onlyHaltedCard = nil
    let found: Target? =
      switch technology {
      case .iso14443a: search([0x00] + uid).flatMap(DirectTarget.typeA)
      case .iso14443b: search([0x03, 0x00]).flatMap(DirectTarget.typeB)
      case .feliCa:
        search([0x01] + Self.polling).flatMap { DirectTarget.feliCa($0, bitRate: 212) }
          ?? search([0x02] + Self.polling).flatMap { DirectTarget.feliCa($0, bitRate: 424) }
      case .jewel: search([0x04]).flatMap(DirectTarget.jewel)
      default: nil
      }
    active = found
    return found
  }

  private static let polling: [UInt8] = [0x00, 0xFF, 0xFF, 0x01, 0x03]

  /// Returns what follows the target's number.
  private func search(_ parameters: [UInt8]) -> [UInt8]? {
    guard let reply = execute(.inListPassiveTarget, [1] + parameters), reply.count > 2,
      reply[0] == 1
    else { return nil }
    return Array(reply.dropFirst(2))
  }

  // MARK: Frames for phones

  private static let (typeAWithoutCheck, typeBWithoutCheck): (UInt8, UInt8) = (0x00, 0x03)

  func setBroadcasting(_ isOn: Bool) {
    shared.withChip { $0.radio.activationRetries = isOn ? 0 : 1 }
  }

  func broadcast(_ frame: PollingFrame) throws {
    active = nil
    shared.withChip { chip in
      let mode =
        frame.technology == .typeA ? Self.typeAWithoutCheck : Self.typeBWithoutCheck
      chip.registers[PN532Registers.txMode] = mode
      chip.registers[PN532Registers.rxMode] = mode
      chip.registers[PN532Registers.bitFraming] = 0
    }
    _ = execute(.inCommunicateThru, frame.encoded)
  }

  // MARK: Waking

  func select(_ target: Target) throws {
    if let active, active.isSame(as: target), !isCommandCut { return }
    isCommandCut = false
    let isOnlyCard = onlyHaltedCard?.isSame(as: target) ?? false
    if try !isOnlyCard && wake(target) { return }
    try resetField()
    if isOnlyCard, let found = activate(target.technology), found.isLikely(target) {
      active = target
      return
    }
    guard try wake(target) else {
      throw NFCError(.tagConnectionLost, "the tag has left the field")
    }
  }

  private func wake(_ target: Target) throws -> Bool {
    switch target {
    case .iso14443a(let card):
      deselect()
      let found = activate(.iso14443a, knowing: DirectTarget.cascaded(card.uid))
      guard case .iso14443a(let found)? = found, card.isClassicSide(of: found) else {
        return found?.isSame(as: target) ?? false
      }
      return wakeSectors(card)
    case .iso15693:
      let isFound = try list(.iso15693).contains { $0.isSame(as: target) }
      guard isFound || hears(target) else { return false }
      active = target
      return true
    default:
      for _ in 0..<Self.maximumTags {
        deselect()
        guard let found = activate(target.technology) else { return false }
        if found.isSame(as: target) { return true }
      }
      return false
    }
  }

  // SetParameters (UM0701-02, 7.2.9). With bit 4, the chip sends RATS automatically.
  private static let ordinaryParameters: UInt8 = 0x14
  private static let withoutRATS: UInt8 = 0x04

  /// Opens the MIFARE Classic sectors of a card that also has applications, and returns whether that
  /// succeeded. The card opens them only before RATS.
  private func wakeSectors(_ card: ISO14443ATarget) -> Bool {
    deselect()
    _ = execute(.setParameters, [Self.withoutRATS])
    defer { _ = execute(.setParameters, [Self.ordinaryParameters]) }
    let found = activate(.iso14443a, knowing: DirectTarget.cascaded(card.uid))
    guard case .iso14443a(let found)? = found, card.isClassicSide(of: found) else { return false }
    active = .iso14443a(card)
    return true
  }

  func isPresent(_ target: Target) throws -> Bool {
    let speaksBlocks: Bool
    switch active {
    case .iso14443a(let card)?: speaksBlocks = card.supportsISO14443Part4
    case .iso14443b?: speaksBlocks = true
    default: speaksBlocks = false
    }
    if speaksBlocks {
      // Diagnose, attention request: requests the card's last block (UM0701-02, 7.2.1).
      let attention: UInt8 = 0x06
      return execute(.diagnose, [attention])?.first == PN532Status.success.rawValue
    }
    active = nil
    return try wake(target)
  }

  // MARK: Exchanges

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    if case .iso15693? = active {
      let check = framing != .bare
      guard let answer = shared.withChip({ Self.vicinity(command, check, &$0) }) else {
        // The next search shows whether it has left.
        active = nil
        throw NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
      }
      return answer
    }
    if framing == .tagProtocol, case .jewel(_, let uid)? = active,
      let code = command.first, Self.dynamicMemoryCommands.contains(code)
    {
      return try exchangeJewel(command, uid: uid)
    }
    switch framing {
    case .tagProtocol: return try exchangeData(command)
    case .checked, .bare:
      shared.withChip { chip in
        for register in [PN532Registers.txMode, PN532Registers.rxMode] {
          chip.registers[register] =
            framing == .bare
            ? chip.registers[register] & ~PN532Registers.crcEnable
            : chip.registers[register] | PN532Registers.crcEnable
        }
      }
      let answer = try status(execute(.inCommunicateThru, command))
      // A tag that has refused a command is mute until it is found again.
      let acknowledge: UInt8 = 0x0A
      if framing == .bare, answer.count == 1, answer[0] & 0x0F != acknowledge { active = nil }
      return answer
    }
  }

  /// Sends InDataExchange to the first target, repeatedly until the answer is complete.
  private func exchangeData(_ data: [UInt8]) throws -> [UInt8] {
    var parameters: [UInt8] = [1] + data
    var answer: [UInt8] = []
    while true {
      let reply = execute(.inDataExchange, parameters)
      answer += try status(reply)
      guard let first = reply?.first, first & PN532Status.moreInformation != 0 else {
        return answer
      }
      parameters = [1]
    }
  }

  /// READ8, WRITE-E8, WRITE-NE8 and RSEG of a Type 1 tag, which the chip's firmware does not forward.
  private static let dynamicMemoryCommands: Set<UInt8> = [0x02, 0x54, 0x1B, 0x10]

  /// Sends code, address, eight bytes of data, and the UID (NFC Forum Type 1 Tag Operation, 4).
  private func exchangeJewel(_ command: [UInt8], uid: [UInt8]) throws -> [UInt8] {
    let length = 10
    var frame = command
    while frame.count < length { frame.append(0) }
    if frame.count == length { frame += uid }
    let request = frame
    switch shared.withChip({ $0.exchangeJewel(request) }) {
    case .payload(let answer): return answer
    case .failure(let status): return try self.status([status.rawValue])
    }
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    let code: UInt8 = keyType == .a ? 0x60 : 0x61
    do {
      _ = try exchangeData([code, block] + key + uid)
    } catch let error as NFCError where error.code == .authenticationFailed {
      throw NFCError(
        .authenticationFailed, "the key does not open the sector", place: .block(Int(block)))
    }
  }

  /// Returns a command's answer without its code; `nil` if the chip does not accept the command.
  private func execute(_ command: PN532Command, _ parameters: [UInt8]) -> [UInt8]? {
    shared.withChip { chip in
      guard case .reply(let reply) = chip.execute([command.rawValue] + parameters) else {
        return nil
      }
      return Array(reply.dropFirst())
    }
  }

  /// Returns the data after a status byte that reports success.
  private func status(_ reply: [UInt8]?) throws -> [UInt8] {
    guard let reply, let first = reply.first else {
      throw NFCError(
        .tagResponseError, "the chip does not take the command", cause: .unsupportedByReader)
    }
    let code = first & PN532Status.mask
    guard code != PN532Status.success.rawValue else { return Array(reply.dropFirst()) }
    active = nil
    switch PN532Status(rawValue: code) {
    case .timeOut:
      throw NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
    case .crcError, .parityError:
      throw NFCError(.tagResponseError, "the tag's answer is broken", cause: .checksum)
    case .mifareAuthentication:
      throw NFCError(.authenticationFailed, "the key does not open the sector")
    case let status:
      throw NFCError(
        .tagResponseError, "the tag has not answered as it should",
        cause: .chip(code: code, text: status.map { "\($0)" } ?? "unknown error"))
    }
  }

  // MARK: ISO/IEC 15693

  private static let writesWithOption: UInt8 = 0x40
  /// GET RANDOM NUMBER of NXP's chips, addressed.
  private static let randomNumberRequest: [UInt8] = [0x22, 0xB2, 0x04]

  /// Returns whether a tag that answers no search answers the command that a tag in privacy mode answers.
  private func hears(_ target: Target) -> Bool {
    let request = Self.randomNumberRequest + target.identifier.reversed()
    return shared.withChip { Self.vicinity(request, true, &$0) } != nil
  }

  private static func vicinity(
    _ command: [UInt8], _ isChecked: Bool, _ chip: inout PN532Chip
  ) -> [UInt8]? {
    let bytes = isChecked ? command + CyclicRedundancyCheck.b(command) : command
    func send(_ bytes: [UInt8], _ chip: inout PN532Chip) -> RadioFrame? {
      let frame = RadioFrame(bytes, modulation: .iso15693, bitRate: 26)
      guard case .frame(let answer) = chip.transmit(frame, limit: .seconds(1)) else { return nil }
      return answer
    }
    var answer = send(bytes, &chip)
    // After a write with the option flag, the tag answers only when it receives a single end of frame
    // (ISO/IEC 15693-3, 10.4.2).
    if answer == nil, let flags = command.first, flags & writesWithOption != 0 {
      answer = send([], &chip)
    }
    guard let answer else { return nil }
    return isChecked ? answer.checkedPayload : answer.bytes
  }
}
