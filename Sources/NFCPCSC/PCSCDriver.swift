import NFCCore
import Synchronization

/// A reader that the PC/SC service drives, for ISO/IEC 15693 tags.
///
/// A reader takes the tag's frames as they are where it has transparent sessions, else the commands of
/// its maker's pass-through, else read and write alone. Which of them is found out when the first tag
/// is there, by commands that change nothing.
public final class PCSCDriver: ReaderDriver {
  /// What stands before a reader's name in a connection string.
  public static let scheme = "pcsc:"

  public let name: String
  public let connectionString: String
  public let capabilities = ReaderCapabilities(
    technologies: [.iso15693], bitRates: [.iso15693: [26]],
    maximumCommandLength: TransparentSession.maximumCommandLength,
    maximumResponseLength: TransparentSession.maximumResponseLength)
  public let abort: @Sendable () -> Void

  private let service: any SmartCardService
  private let isAborted = Aborted()
  private var session: Session?
  /// The tag that is known to be there and listening.
  private var active: Target?

  /// A connection to the card that was there at an event.
  private struct Session {
    let eventCount: Int
    var dialect: PCSCDialect
  }

  private final class Aborted: Sendable {
    let flag = Mutex(false)
  }

  /// How long a search waits for a card to come.
  private static let patience = Duration.milliseconds(50)

  /// Opens a reader.
  ///
  /// - Parameters:
  ///   - name: its name, or a part of it; empty for the first.
  ///   - service: what it is reached by.
  /// - Throws: `readerNotFound`, `readerUnavailable`.
  public init(_ name: String, over service: any SmartCardService) throws {
    let names: [String]
    do {
      names = try service.readers().filter { !$0.hasSuffix("SAM") && !$0.contains(" SAM ") }
    } catch {
      service.close()
      throw NFCError(
        .readerUnavailable, "the PC/SC service does not list its readers", cause: error.cause)
    }
    let part = name.uppercased()
    let found = names.first { $0 == name } ?? names.first { $0.uppercased().contains(part) }
    guard let found = found ?? (name.isEmpty ? names.first : nil) else {
      service.close()
      let present = names.isEmpty ? "there is none" : "there are \(names.joined(separator: ", "))"
      throw NFCError(.readerNotFound, "no PC/SC reader's name has \"\(name)\" in it; \(present)")
    }
    self.name = found
    connectionString = Self.scheme + found
    self.service = service
    let (isAborted, cancel) = (isAborted, service.cancel)
    abort = {
      isAborted.flag.withLock { $0 = true }
      cancel()
    }
  }

  /// Opens a reader of the system's PC/SC service.
  ///
  /// - Throws: `readerNotFound`, `readerUnavailable`.
  public static func open(_ name: String) throws -> PCSCDriver {
    do {
      return try PCSCDriver(name, over: try PCSCLite())
    } catch let failure as SmartCardFailure {
      throw NFCError(
        .readerUnavailable, "the PC/SC service cannot be reached; start pcscd",
        cause: failure.cause)
    }
  }

  /// The connection strings of the readers that the system's PC/SC service has; none if it does not
  /// run.
  public static func list() -> [String] {
    guard let service = try? PCSCLite() else { return [] }
    defer { service.close() }
    return ((try? service.readers()) ?? []).filter { !$0.contains("SAM") }.map { scheme + $0 }
  }

  public func begin() { isAborted.flag.withLock { $0 = false } }
  public func end() {}

  public func close() {
    if session?.dialect == .transparentSession {
      _ = try? service.transmit(TransparentSession.endCommand)
    }
    leave()
    service.close()
  }

  private func leave() {
    session = nil
    active = nil
    service.disconnect()
  }

  private func checkAbort() throws {
    if isAborted.flag.withLock({ $0 }) { throw CancellationError() }
  }

  // MARK: Card

  /// Makes the connection to the card that is there, and finds out what the reader takes.
  ///
  /// - Returns: whether there is an ISO/IEC 15693 tag.
  private func enter(patience: Duration) throws -> Bool {
    var status = try call { () throws(SmartCardFailure) in try service.status(of: name) }
    if !status.isCardPresent {
      leave()
      guard patience > .zero else { return false }
      try call { () throws(SmartCardFailure) in
        try service.wait(forChangeOf: name, from: status, atMost: patience)
      }
      try checkAbort()
      status = try call { () throws(SmartCardFailure) in try service.status(of: name) }
    }
    guard status.isCardPresent, StorageCardATR(status.atr)?.isVicinity == true else {
      leave()
      return false
    }
    if let session, session.eventCount == status.eventCount { return true }
    leave()
    try call { () throws(SmartCardFailure) in try service.connect(to: name) }
    do {
      session = Session(eventCount: status.eventCount, dialect: try chooseDialect())
    } catch {
      leave()
      throw error
    }
    return true
  }

  private func chooseDialect() throws -> PCSCDialect {
    let start = try transmit(TransparentSession.startCommand)
    if isDone(start), isDone(try transmit(TransparentSession.vicinityCommand)) {
      return .transparentSession
    }
    guard let dialect = PCSCDialect.passThrough(of: name) else { return .storageCard }
    let probes: [ISO15693Command] = [.getSystemInformation, .readSingleBlock(0)]
    for probe in probes {
      let request = try ISO15693Request(probe).encoded()
      guard let command = dialect.command(for: request) else { continue }
      if try transmit(command).suffix(2) == Self.done { return dialect }
    }
    return .storageCard
  }

  private static let done: ArraySlice<UInt8> = [0x90, 0x00]

  /// Whether all objects of a session command were carried out.
  private func isDone(_ answer: [UInt8]) -> Bool {
    guard answer.suffix(2) == Self.done else { return false }
    switch TransparentSession.outcome(answer.dropLast(2)) {
    case .noAnswer, .answer: return true
    case .broken, .refused, .malformed: return false
    }
  }

  private func transmit(_ command: [UInt8]) throws -> [UInt8] {
    try checkAbort()
    return try call { () throws(SmartCardFailure) in try service.transmit(command) }
  }

  /// Runs a call and says of a failure what has been lost by it.
  private func call<Result>(
    _ body: () throws(SmartCardFailure) -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      leave()
      throw error.nfcError(reader: name)
    }
  }

  // MARK: Tags

  public func resetField() throws {
    active = nil
    guard session?.dialect == .transparentSession else { return }
    do {
      _ = try transmit(TransparentSession.fieldOffCommand)
      _ = try transmit(TransparentSession.fieldOnCommand)
    } catch let error as NFCError where error.code == .tagConnectionLost {
      // The next search finds whatever is there now.
    }
  }

  public func list(_ technology: TagTechnology) throws -> [Target] {
    guard technology == .iso15693 else {
      throw NFCError(.unsupported, "\(name) is used for ISO 15693 alone")
    }
    active = nil
    do {
      guard try enter(patience: Self.patience) else { return [] }
      let targets = try findTags()
      active = targets.last
      return targets
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return []
    }
  }

  private func findTags() throws -> [Target] {
    guard session?.dialect == .transparentSession else {
      guard let uid = try readUID() else { return [] }
      return [.iso15693(ISO15693Target(uid: uid))]
    }
    let link = ISO15693Link(
      maximumCommandLength: capabilities.maximumCommandLength,
      maximumResponseLength: capabilities.maximumResponseLength
    ) { frame, timeout in
      try self.exchange(frame, framing: .checked, timeout: timeout)
    }
    return try ISO15693Inventory.run(link).map {
      .iso15693(ISO15693Target(uid: $0.uid, dsfid: $0.dsfid))
    }
  }

  /// Get data: the UID (PC/SC part 3, 3.2.2.1.3).
  private static let getUID: [UInt8] = [0xFF, 0xCA, 0x00, 0x00, 0x00]
  /// What every UID begins with (ISO/IEC 15693-3, 4.1).
  private static let uidPrefix: UInt8 = 0xE0

  /// The UID, most significant byte first. Readers differ in the order; one that reads as a UID both
  /// ways is taken as the standard has it on the air.
  private func readUID() throws -> [UInt8]? {
    let answer = try transmit(Self.getUID)
    guard answer.count == 10, answer.suffix(2) == Self.done else { return nil }
    let uid = Array(answer.dropLast(2))
    if uid.last == Self.uidPrefix { return uid.reversed() }
    return uid.first == Self.uidPrefix ? uid : nil
  }

  public func select(_ target: Target) throws {
    if let active, active.isSame(as: target), session != nil { return }
    guard case .iso15693(let wanted) = target else {
      throw NFCError(.unsupported, "\(name) is used for ISO 15693 alone")
    }
    active = nil
    guard try enter(patience: .zero) else { throw Self.gone }
    if session?.dialect == .transparentSession {
      if try !isThere(wanted.uid) {
        // It may have been told to stay quiet.
        try resetField()
        guard try enter(patience: .zero), try isThere(wanted.uid) else { throw Self.gone }
      }
    } else {
      guard try readUID() == wanted.uid else { throw Self.gone }
    }
    active = target
  }

  private static let gone = NFCError(.tagConnectionLost, "the tag has left the field")
  private static let inventoryTimeout = Duration.milliseconds(60)

  /// Whether a tag answers an inventory for its UID alone.
  private func isThere(_ uid: [UInt8]) throws -> Bool {
    let value = uid.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let request = try ISO15693Request(
      .inventory(afi: nil, mask: ISO15693InventoryMask(length: 64, value: value)),
      flags: [.highDataRate, .inventoryOneSlot]
    ).encoded()
    let attempts = 2
    for _ in 0..<attempts {
      do {
        let answer = try exchange(request, framing: .checked, timeout: Self.inventoryTimeout)
        return try ISO15693InventoryAnswer(
          decoding: ISO15693Response(decoding: answer).checkedPayload()
        ).uid == uid
      } catch let error as NFCError where error.code == .tagResponseError {
        continue
      }
    }
    return false
  }

  public func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration
  ) throws -> [UInt8] {
    guard let session else { throw Self.gone }
    guard framing == .checked else {
      throw NFCError(.unsupported, "an ISO 15693 tag's frames have their check added by the reader")
    }
    let outcome: TransparentSession.Outcome
    if session.dialect == .transparentSession {
      let answer = try transmit(
        TransparentSession.exchangeCommand(command, timeout: timeout))
      outcome =
        answer.suffix(2) == Self.done
        ? TransparentSession.outcome(answer.dropLast(2)) : PCSCDialect.outcome(answer)
    } else {
      outcome = try exchangeCommand(command, session.dialect)
    }
    switch outcome {
    case .answer(let frame): return frame
    case .noAnswer:
      active = nil
      throw NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
    case .broken:
      active = nil
      throw NFCError(.tagResponseError, "the tag's answer was broken", cause: .checksum)
    case .refused(let word):
      active = nil
      throw NFCError(
        .tagResponseError, "the reader has not carried out the exchange", cause: .statusWord(word))
    case .malformed:
      active = nil
      throw NFCError(.tagResponseError, "the reader's answer makes no sense")
    }
  }

  private func exchangeCommand(
    _ request: [UInt8], _ dialect: PCSCDialect
  ) throws -> TransparentSession.Outcome {
    guard let command = dialect.command(for: request) else {
      // To procedures that try the larger command first it is as if the tag did not have it.
      let code = request.dropFirst().first
      let hasSmallerForm =
        code == ISO15693CommandCode.readMultipleBlocks
        || code == ISO15693CommandCode.getSystemInformation
      guard !hasSmallerForm else {
        return .answer(ISO15693Response(.commandNotSupported).encoded)
      }
      throw NFCError(.unsupported, "\(name) has no way to send this command to the tag")
    }
    return PCSCDialect.outcome(try transmit(command))
  }

  public func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    throw NFCError(.unsupported, "\(name) is used for ISO 15693 alone")
  }
}

extension SmartCardFailure {
  var cause: NFCError.Cause { .pcsc(code, description) }

  /// What a failure means for the reader and the tag in it.
  func nfcError(reader: String) -> any Error {
    switch self {
    case .cancelled: CancellationError()
    case .removedCard, .noSmartCard, .unpoweredCard, .unresponsiveCard, .notTransacted, .resetCard:
      NFCError(.tagConnectionLost, "the tag has left the field", cause: cause)
    case .readerUnavailable, .unknownReader, .noReaders:
      NFCError(.readerLost, "\(reader) has gone", cause: cause)
    case .noService, .serviceStopped, .communication:
      NFCError(.readerLost, "the PC/SC service has gone", cause: cause)
    default:
      NFCError(.readerUnavailable, "\(reader) cannot be used", cause: cause)
    }
  }
}
