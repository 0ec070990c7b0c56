import SwiftNFCCore
import Synchronization

/// A reader that the PC/SC service drives.
///
/// The service shows one card at a time. For a tag without ISO/IEC 14443-4, it has only a name from
/// the reader. Commands use one of these ways, the best that reader and tag support;
/// ``ReaderCapabilities/commandPaths`` lists those of a reader:
///
/// | Way | Carries | Loses |
/// |---|---|---|
/// | APDUs | ISO/IEC 14443-4, types A and B | native DESFire commands, which are put into APDUs |
/// | Transparent session (`FF C2`) | frames of type A, FeliCa and ISO/IEC 15693 | the cipher of MIFARE Classic |
/// | Direct transmit (`FF 00 00 00 … D4 42`, ACR122U) | frames of type A and FeliCa | codes of refusals |
/// | Encapsulated frames (`FF FE`, SpringCard) | frames of type A, FeliCa and ISO/IEC 15693 | the cipher of MIFARE Classic, all tags but one |
/// | Type A frames (`FF EF`, Identiv; `FF 00 00 00`, ACS) | frames of Ultralight and NTAG | Identiv: a second sector; ACS: codes of refusals |
/// | Maker's pass-through (`FF FB`, `FF FC`, `FF F6`) | commands of ISO/IEC 15693 | flags, error codes, all tags but one |
/// | OMNIKEY commands (`FF 30`) | blocks, locks, AFI, DSFID, what the tag reports | flags, error codes, custom commands, all tags but one |
/// | Storage card (`FF B0`, `FF D6`) | READ and WRITE of Ultralight, Classic and ISO/IEC 15693 blocks | locks, versions, FAST_READ, passwords, error codes |
/// | Keys (`FF 82`, `FF 86`) | MIFARE Classic's authentication; the reader runs the cipher | value operations |
/// | FeliCa frames (`FF 00 00 00`, ACS) | frames of FeliCa | |
/// | FeliCa commands (`FF 42` to `FF 4A`, Identiv) | Request Service, Request Response, reads, writes, Request System Code | everything else |
/// | FeliCa blocks (`FF A4`, `FF B0`, Sony) | Read Without Encryption | everything else |
/// | Get data (`FF CA`) | UID, IDm, PUPI | everything else |
///
/// The way that a reader supports is found out when a tag is present, from its name and with
/// commands that change nothing on the tag; a tag that does not answer is asked again. ATQA, SAK
/// and ATS are not available.
///
/// A reader may not report the UID. An Ultralight has it in its first pages; the identifier of other
/// cards of type A and of smart cards is then empty, and such a card is the same as long as the service
/// sees it stay.
///
/// The commands are those of makers' manuals, published code and records; none of this was tried on
/// a real reader.
///
/// A reader that was unplugged, or whose service has stopped, throws `readerLost` and can be used
/// again once it is back.
package final class PCSCDriver: ReaderDriver {
  /// The prefix of a reader's name in a connection string.
  package static let scheme = "pcsc:"

  package let name: String
  package let connectionString: String
  package let capabilities: ReaderCapabilities
  package let canReconnect = true
  package let abort: @Sendable () -> Void

  let model: PCSCReaderModel
  let service: any SmartCardService
  private let isAborted = Aborted()
  var session: Session?
  /// The tag that is known to be there and listening.
  var active: Target?
  /// The slots for keys that the reader has accepted one in.
  var keySlots: StorageCardCommands.KeySlots?
  /// The identifiers that the present card has shown since its arrival. While the service sees it
  /// stay, it is one card, whatever random UIDs it draws.
  var shown: (event: Int, identifiers: Set<[UInt8]>)?
  /// Whether a search has waited for a card since the last round began.
  private var hasWaited = false
  /// The event of the arrival of a card that the reader does not identify: it is not asked again.
  private var unrecognizedEvent: Int?
  /// The event of the arrival of a card that did not answer in this round.
  var silentEvent: Int?
  /// The event of the arrival of the last card that did not answer, and the number of rounds
  /// without an answer.
  private var silence: (event: Int, rounds: Int)?
  /// The number of rounds in which a card may be silent because it is being put down; after that,
  /// it counts as what it shows.
  private static let patientRounds = 10

  /// A connection to the card that was there at an event.
  struct Session {
    let eventCount: Int
    var path: CardPath
    /// The card, unless an inventory finds the tags.
    var target: Target?
    /// Whether a transparent session is open.
    var isTransparent = false
    /// Whether commands may have extended length fields.
    var hasExtendedLengths = false
    /// How frames get to a MIFARE Classic, while the reader leaves the card to us.
    var classicFrames: ClassicFrames = .unused
    /// Whether the card may hold something that the next program would inherit.
    var holdsState = false
    /// Whether the card may be mute until its power is switched: after a refusal, a tag of type A accepts only
    /// REQA and WUPA (ISO/IEC 14443-3, 6.3).
    var isMute = false
  }

  /// Frames to a card whose cipher the reader runs.
  enum ClassicFrames {
    /// The reader handles the card.
    case unused
    case open(CardPath)
    /// The reader has no way to send them.
    case unavailable
  }

  /// How commands get to the card.
  enum CardPath {
    case apdus
    case transparent(TransparentSession.Standard)
    case encapsulated(Encapsulation.Standard)
    case direct
    case passedThrough(TypeAPassThrough)
    case feliCaFrames
    case feliCaCommands
    case vicinity(any VicinityDialect)
    case pages
    case classic
    case feliCaBlocks
    case identifierOnly
  }

  private final class Aborted: Sendable {
    let flag = Mutex(false)
  }

  /// The time that a search waits for a card to arrive, once per round.
  private static let patience = Duration.milliseconds(50)
  /// The time limit for a command that is not sent to a tag, or for which the reader itself waits.
  static let readerTimeout = Duration.seconds(1)
  /// The maximum time limit, whatever a program allows; no tag takes longer.
  private static let longestTimeout = Duration.seconds(60)

  /// Opens a reader.
  ///
  /// - Parameters:
  ///   - name: its name, or a part of it; empty for the first.
  ///   - service: the connection to the service.
  /// - Throws: `readerNotFound`, `readerUnavailable`.
  package init(_ name: String, over service: any SmartCardService) throws {
    let names: [String]
    do {
      names = PCSCReaderModel.antennas(try service.readers())
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
      throw NFCError(.readerNotFound, "no PC/SC reader has \"\(name)\" in its name; \(present)")
    }
    self.name = found
    connectionString = Self.scheme + found
    self.service = service
    model = PCSCReaderModel(name: found)
    let rates: [TagTechnology: [Int]] = [
      .iso14443a: [106], .iso14443b: [106], .feliCa: [212, 424], .jewel: [106], .iso15693: [26],
    ]
    capabilities = ReaderCapabilities(
      technologies: model.technologies,
      bitRates: rates.filter { [model] in model.technologies.contains($0.key) },
      maximumCommandLength: Self.longestAPDU, maximumResponseLength: Self.longestAnswer,
      supportsOnlyAPDUs: true, commandPaths: model.commandPaths)
    let (isAborted, cancel) = (isAborted, service.cancel)
    abort = {
      isAborted.flag.withLock { $0 = true }
      cancel()
    }
  }

  /// Opens a reader of a PC/SC service.
  ///
  /// - Throws: `readerNotFound`, `readerUnavailable`.
  package static func open(
    _ name: String, of service: PCSCSource.Service = PCSCSource.system
  ) throws -> PCSCDriver {
    try PCSCDriver(name, over: try reach(service))
  }

  /// Returns why a PC/SC service cannot be reached; `nil` if it can.
  static func availabilityError(of service: PCSCSource.Service) -> NFCError? {
    do {
      _ = try readers(of: service)
      return nil
    } catch {
      return error
    }
  }

  private static func reach(
    _ service: PCSCSource.Service
  ) throws(NFCError) -> any SmartCardService {
    do {
      return try service()
    } catch {
      throw unreachable(error)
    }
  }

  private static func unreachable(_ failure: SmartCardFailure) -> NFCError {
    let reason =
      switch failure {
      case .securityViolation: "to use PC/SC readers, allow access_pcsc and access_card in polkit"
      case .communication: "to use PC/SC readers, restart pcscd"
      default: "to use PC/SC readers, start pcscd"
      }
    return NFCError(.readerUnavailable, reason, cause: failure.cause)
  }

  /// Returns the connection strings of the readers that a PC/SC service has.
  ///
  /// Takes a few milliseconds, or several seconds if a service does not answer.
  ///
  /// - Throws: `readerUnavailable` if the service does not run, refuses or does not answer.
  package static func readers(
    of service: PCSCSource.Service = PCSCSource.system
  ) throws(NFCError) -> [String] {
    let service = try reach(service)
    defer { service.close() }
    do {
      return try list(service)
    } catch {
      throw unreachable(error)
    }
  }

  /// Returns ``readers(of:)``, or none if the service cannot be reached.
  static func list(of service: PCSCSource.Service = PCSCSource.system) -> [String] {
    (try? readers(of: service)) ?? []
  }

  static func list(_ service: any SmartCardService) throws(SmartCardFailure) -> [String] {
    PCSCReaderModel.antennas(try service.readers()).map { scheme + $0 }
  }

  package func begin() { isAborted.flag.withLock { $0 = false } }
  package func end() {}

  package func close() {
    try? closeClassicFrames()
    try? endTransparentSession()
    if case .vicinity(var dialect) = session?.path {
      try? dialect.close { try transmit($0) }
    }
    leave()
    service.close()
  }

  /// - Parameter startsAnew: whether the next program has to find a card that starts again; also if the session says
  ///   so.
  private func leave(startsAnew: Bool = false) {
    let startsAnew = startsAnew || session.map { $0.holdsState || $0.isMute } ?? false
    session = nil
    active = nil
    // The service leaves the card powered for a while, or as long as another program waits for it.
    if startsAnew { service.powerOff() } else { service.disconnect() }
  }

  /// Records that the card has to be woken before the next command, by this program or another one.
  func becomeMute() {
    active = nil
    session?.isMute = true
  }

  package func tagHoldsState(_ holdsState: Bool) { session?.holdsState = holdsState }

  package func commandWasInterrupted() {
    session?.holdsState = true
    active = nil
  }

  private func checkAbort() throws {
    if isAborted.flag.withLock({ $0 }) { throw CancellationError() }
  }

  // MARK: Card

  /// Connects to the card, and finds out its kind and what the reader supports.
  ///
  /// - Returns: whether there is a card that the reader identifies.
  func enter(patience: Duration) throws -> Bool {
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
    let isMute = status.isCardPresent && status.atr.isEmpty
    if isMute {
      leave()
      guard try connectToMuteCard(status.eventCount) else { return false }
      status = try call { () throws(SmartCardFailure) in try service.status(of: name) }
    }
    guard status.isCardPresent, let atr = ContactlessATR(status.atr) else {
      leave()
      return false
    }
    if isMute {
      (silence, silentEvent) = (nil, nil)
    } else {
      if let session, session.eventCount == status.eventCount { return true }
      leave()
      guard ![unrecognizedEvent, silentEvent].contains(status.eventCount) else { return false }
      try call { () throws(SmartCardFailure) in try service.connect(to: name) }
    }
    if silence?.event != status.eventCount { silence = nil }
    do {
      session = try recognize(atr).map { path, target in
        let isTransparent = if case .transparent = path { true } else { false }
        return Session(
          eventCount: status.eventCount, path: path, target: target, isTransparent: isTransparent,
          hasExtendedLengths: hasExtendedLengths(path))
      }
      active = session?.target
      if let target = active { remember(target, at: status.eventCount) }
    } catch {
      leave(startsAnew: true)
      if (error as? NFCError)?.code == .tagResponseError {
        silentEvent = status.eventCount
        silence = (status.eventCount, (silence?.rounds ?? 0) + 1)
      }
      throw error
    }
    if session == nil {
      leave()
      unrecognizedEvent = status.eventCount
    }
    return session != nil
  }

  /// Connects to a card that has not answered when the service switched its power on, as when a person puts it down
  /// slowly. The service does so once for each arrival, and again only for a program that connects (pcsc-lite,
  /// eventhandler.c and winscard.c). Tried once a round, and after some rounds less often.
  ///
  /// - Returns: whether the service has connected to it.
  private func connectToMuteCard(_ event: Int) throws -> Bool {
    guard ![unrecognizedEvent, silentEvent].contains(event) else { return false }
    silentEvent = event
    let rounds = silence?.event == event ? silence?.rounds ?? 0 : 0
    silence = (event, rounds + 1)
    guard rounds < Self.patientRounds || rounds.isMultiple(of: Self.patientRounds) else {
      return false
    }
    do {
      try call { () throws(SmartCardFailure) in try service.connect(to: name) }
    } catch let error as NFCError
      where error.code == .tagConnectionLost || error.code == .tagResponseError
    {
      return false
    }
    return true
  }

  /// Whether a silent card is asked again in the next round.
  var isPatient: Bool { (silence?.rounds ?? 0) < Self.patientRounds }

  /// Throws if the card has left, as far as the service knows: a reader reports a tag that has left
  /// like one that refuses.
  func checkPresence() throws {
    let status = try call { () throws(SmartCardFailure) in try service.status(of: name) }
    guard status.isCardPresent, status.eventCount == session?.eventCount else {
      leave()
      throw Self.gone
    }
  }

  // MARK: Commands to the reader

  /// Sends an APDU.
  ///
  /// - Parameter timeout: the time limit for the exchange over the air.
  private static let shortestTimeout = Duration.milliseconds(500)

  func transmit(_ command: [UInt8], timeout: Duration = readerTimeout) throws -> [UInt8] {
    try checkAbort()
    // The limit is for the tag; the service and the reader take time of their own.
    let timeout = min(max(timeout, Self.shortestTimeout), Self.longestTimeout)
    func send(_ command: [UInt8]) throws -> [UInt8] {
      try call { () throws(SmartCardFailure) in try service.transmit(command, atMost: timeout) }
    }
    let answer = try send(command)
    guard model.hasDirectTransmit,
      let getResponse = StorageCardCommands.getResponse(to: command, answer)
    else { return answer }
    return try send(getResponse)
  }

  /// Whether a card is connected, through which an APDU can reach the reader.
  var isConnected: Bool { session != nil }

  /// Sends a command to the reader itself.
  func control(_ command: [UInt8]) throws -> [UInt8] {
    try checkAbort()
    do {
      return try service.control(command, of: name, atMost: Self.readerTimeout)
    } catch  where [.unsupportedFeature, .notTransacted].contains(error) {
      // libccid asks for it (README, ifdDriverOptions), as some commands change a reader permanently.
      throw NFCError(
        .unsupported,
        "the driver of the PC/SC service does not pass commands on to \(name); for libccid, set ifdDriverOptions "
          + "to 0x0001 in its Info.plist, and restart pcscd", cause: error.cause)
    } catch {
      throw error.nfcError(reader: name)
    }
  }

  func resetCard() throws {
    try call { () throws(SmartCardFailure) in try service.reset() }
    session?.holdsState = false
    session?.isMute = false
  }

  /// Runs a call; if it fails, records what is lost.
  private func call<Result>(
    _ body: () throws(SmartCardFailure) -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      // A card that was away for a moment has lost what the service and the reader know of it: only its power brings it
      // back. While the service sees it stay, it would fail each time.
      leave(startsAnew: true)
      throw error.nfcError(reader: name)
    }
  }

  // MARK: Tags

  package func resetField() throws {
    active = nil
    hasWaited = false
    silentEvent = nil
    do {
      try closeClassicFrames()
      guard let session, session.isTransparent else { return }
      guard case .transparent(.vicinity) = session.path else { return try endTransparentSession() }
      _ = try transmit(TransparentSession.fieldOffCommand)
      _ = try transmit(TransparentSession.fieldOnCommand)
      self.session?.holdsState = false
    } catch let error as NFCError where [.tagConnectionLost, .readerLost].contains(error.code) {
      // The next search finds whatever is present then, over a new connection if necessary.
    }
  }

  package func list(_ technology: TagTechnology) throws -> [Target] {
    guard capabilities.technologies.contains(technology) else {
      throw NFCError(.unsupported, "\(name) cannot poll \(technology.rawValue)")
    }
    do {
      let patience = hasWaited ? .zero : Self.patience
      hasWaited = true
      guard try enter(patience: patience), let session else { return [] }
      if let target = session.target { return target.technology == technology ? [target] : [] }
      guard technology == .iso15693 else { return [] }
      let targets = try findVicinityTags()
      active = targets.last
      if targets.isEmpty {
        // In a session, a reader may notice neither that a tag has left nor that another has
        // arrived.
        try endTransparentSession()
        leave()
      }
      return targets
    } catch let error as NFCError
      where error.code == .tagConnectionLost || error.code == .tagResponseError
    {
      // There is nothing that could be distinguished in this round.
      return []
    }
  }

  package func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration
  ) throws -> [UInt8] {
    guard let session else { throw Self.gone }
    do {
      switch session.path {
      case .apdus: return try exchangeAPDU(command, framing, timeout)
      case .transparent(.vicinity), .vicinity:
        return try exchangeVicinity(command, framing, timeout)
      case .passedThrough(let way) where way.leavesToReader(command):
        return try exchangeStorage(command, framing)
      case .transparent, .encapsulated, .direct, .passedThrough, .feliCaFrames, .feliCaCommands:
        return try exchangeFrame(command, framing, timeout)
      case .pages: return try exchangeStorage(command, framing)
      case .classic: return try exchangeClassic(command, framing, timeout)
      case .feliCaBlocks: return try exchangeFeliCaBlocks(command)
      case .identifierOnly:
        throw NFCError(
          .unsupported,
          "\(name) reports the UID of this tag and accepts no commands for it: "
            + (session.target == nil
              ? "it has none of a known manufacturer, and nothing shows how it numbers blocks"
              : "it has neither a transparent session nor a pass-through for its kind"),
          cause: .unsupportedByReader)
      }
    } catch let error as NFCError where error.code == .tagResponseError {
      // Whatever its state: it is woken before the next command.
      becomeMute()
      throw error
    }
  }
}
