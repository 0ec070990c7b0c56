import CSwiftNFCLibNFC
import SwiftNFCCore

/// A reader that libnfc drives.
package final class LibNFCDriver: ReaderDriver {
  package let name: String
  package let connectionString: String
  package let firmware: String?
  package let capabilities: ReaderCapabilities
  package let abort: @Sendable () -> Void
  package let announceClose: @Sendable () -> Void
  package let canReconnect = true

  let watchdog: Watchdog
  private var connection: Connection
  /// Where the reader is now.
  private let currentConnectionString: @Sendable () -> String
  /// The port that ``announceClose`` has named.
  private let port: String
  private let isCloseAnnounced: OnceFlag
  private var reservation: TerminalReservation?
  /// The USB adapter that the reader is connected to, for finding its current name.
  private let adapter: SerialAdapter?
  private let adapterOfPort: @Sendable (String) -> SerialAdapter?
  /// The technology that the chip is set up for, and the target that it has active.
  var active: Target? {
    didSet {
      interrupted = nil
      authenticatedBlock = nil
      if active == nil || oldValue != active { ultralightUse = .unknown }
    }
  }

  enum UltralightUse {
    case unknown
    /// It has answered GET_VERSION, or PWD_AUTH, which only chips with GET_VERSION have.
    case versionKnown
    case read
  }

  /// Whether the last command to the active target was given up between two frames.
  var isCommandCut = false
  /// The type B card that the last search has put into the HALT state, if no other has answered it, and when that was.
  var onlyHaltedCard: (target: Target, time: ContinuousClock.Instant)?
  /// The target whose last exchange has failed, until anything else happens.
  private var interrupted: Target?
  var framing: Framing?
  /// The card of ISO/IEC 14443-4 that runs its protocol, also when the chip has searched for something else since.
  var protocolCard: Target?
  /// The block of a MIFARE Classic whose sector the program has opened last.
  var authenticatedBlock: UInt8?
  /// What the active Ultralight or NTAG was asked since its power was switched on.
  var ultralightUse = UltralightUse.unknown
  /// Whether each search makes one attempt, because frames for phones follow.
  var isBroadcasting = false
  var rareSearches: [TagTechnology: Int] = [:]
  var feliCaSearches = 0
  /// Whether the reader has answered nothing to a search that has found no tag.
  var answersNothing = false
  /// The UID of a card that is known to support ISO/IEC 14443-4 in addition to its MIFARE Classic
  /// sectors.
  var cardWithSectors: [UInt8]?
  /// What is known of the chip while it acts as a card; `nil` if it looks for tags.
  var cardMode: CardMode?

  var device: LibNFC.Device { connection.device }
  var jewel: JewelExchange { connection.jewel }
  var settings: ChipSettings { connection.settings }

  private init(
    _ text: String, currently current: @escaping @Sendable () -> String,
    adapter adapterOfPort: @escaping @Sendable (String) -> SerialAdapter?
  ) throws {
    let watchdog = Watchdog(Watchdog.Actions(abort: {}, cut: {}))
    watchdog.begin()
    defer { watchdog.end() }
    self.watchdog = watchdog
    let connection = try Connection(text, watchdog)
    self.connection = connection
    connectionString = text
    currentConnectionString = current
    port = try ConnectionString(text).address().path
    reservation = TerminalReservation(port)
    self.adapterOfPort = adapterOfPort
    adapter = adapterOfPort(port)
    name = LibNFCConfiguration.own.name(of: text) ?? connection.device.name
    do {
      let supported = try Self.capabilities(of: connection.device)
      // Not before: for an unknown chip, libnfc would read a list that does not exist.
      firmware = connection.device.firmware
      var own = Self.capabilities(supported, of: firmware)
      own.emulation = Self.emulation(of: connection.device, firmware)
      own.pollingFrames = Self.pollingFrames(of: connection.device, firmware, own)
      capabilities = own
    } catch {
      watchdog.finish { connection.close() }
      throw NFCError(
        .readerUnavailable, "the reader at \(text) does not report what it supports",
        cause: error.cause)
    }
    abort = { watchdog.abort() }
    let isCloseAnnounced = OnceFlag()
    self.isCloseAnnounced = isCloseAnnounced
    announceClose = { [port] in if isCloseAnnounced.set() { ClosingPorts.add(port) } }
  }

  /// Opens a reader. Blocks for up to two seconds if a reader does not answer, and up to seven if
  /// it does not stop answering.
  ///
  /// The next round of polling opens a lost reader again.
  ///
  /// - Parameters:
  ///   - connectionString: as libnfc has it, `driver:address[:speed]`; `nil` for the first reader that libnfc
  ///     finds.
  ///   - current: returns the current location of a lost reader that is to be opened again; `nil`
  ///     if that does not change.
  /// - Throws: `readerNotFound`, `readerUnavailable`, `invalidParameter`.
  package static func open(
    _ connectionString: String?, currently current: (@Sendable () -> String)? = nil
  ) throws -> LibNFCDriver {
    guard let text = connectionString ?? list().first else {
      throw NFCError(.readerNotFound, "libnfc finds no reader")
    }
    return try open(text, currently: current) { SerialAdapter(of: $0) }
  }

  static func open(
    _ text: String, currently current: (@Sendable () -> String)?,
    adapter: @escaping @Sendable (String) -> SerialAdapter?
  ) throws -> LibNFCDriver {
    try LibNFCDriver(text, currently: current ?? { text }, adapter: adapter)
  }

  private static func technology(_ type: nfc_modulation_type) -> TagTechnology? {
    switch type {
    case NMT_ISO14443A: .iso14443a
    case NMT_ISO14443B: .iso14443b
    case NMT_FELICA: .feliCa
    case NMT_JEWEL: .jewel
    case NMT_ISO14443BI: .iso14443bPrime
    case NMT_ISO14443B2SR: .iso14443b2sr
    case NMT_ISO14443B2CT: .iso14443b2ct
    case NMT_BARCODE: .barcode
    case NMT_ISO14443BICLASS: .iClass
    default: nil
    }
  }

  private static func capabilities(
    of device: LibNFC.Device
  ) throws(LibNFC.Failure) -> ReaderCapabilities {
    var capabilities = ReaderCapabilities(
      technologies: [], bitRates: [:],
      maximumCommandLength: device.traits.maximumCommandLength,
      maximumResponseLength: device.traits.maximumResponseLength)
    for (type, rates) in try device.modulations() {
      guard let technology = technology(type) else { continue }
      capabilities.technologies.insert(technology)
      capabilities.bitRates[technology] = rates
    }
    // libnfc opens a chip on a serial line that does not report its firmware, and knows nothing
    // about it.
    guard !capabilities.technologies.isEmpty else {
      throw LibNFC.Failure(code: LibNFC.Failure.inputOutput)
    }
    return capabilities
  }

  /// The technologies that libnfc searches for with raw frames.
  private static let foundByHand: Set<TagTechnology> = [
    .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iClass,
  ]

  /// Returns what a chip supports of what libnfc says of all chips with its command set.
  ///
  /// - Parameter firmware: libnfc's name of chip and firmware.
  static func capabilities(
    _ capabilities: ReaderCapabilities, of firmware: String?
  ) -> ReaderCapabilities {
    var own = capabilities
    switch firmware {
    // Sony's RC-S956, which libnfc recognizes by version 1. It refuses raw frames before a target was selected, and
    // libnfc the searches that begin with them (pn53x.c, pn53x_initiator_select_passive_target_ext).
    case let name? where name.hasPrefix("PN533 v1."):
      own.technologies.subtract(foundByHand)
      own.bitRates = own.bitRates.filter { own.technologies.contains($0.key) }
    // It has no extended frames (nfcpy, pn531.py): LEN counts TFI, code, target or status, and 252 bytes.
    case let name? where name.hasPrefix("PN531 "):
      own.maximumCommandLength = min(own.maximumCommandLength, longestInNormalFrame)
      own.maximumResponseLength = min(own.maximumResponseLength, longestInNormalFrame)
    default: break
    }
    return own
  }

  private static let longestInNormalFrame = 252

  package func begin() { watchdog.begin() }
  package func end() { watchdog.end() }

  package func close() {
    watchdog.begin()
    watchdog.finish {
      try? jewel.restore()
      leaveCardMode()
      try? settings.restore()
      connection.close()
    }
    watchdog.end()
    watchdog.retire()
    // Kept after a loss, until nobody waits for the reader any more.
    if let reservation, !reservation.isHungUp { self.reservation = nil }
    if isCloseAnnounced.isSet { ClosingPorts.remove(port) }
  }

  package func commandWasInterrupted() { isCommandCut = true }

  package func disconnect() {
    active = nil
    protocolCard = nil
    framing = nil
    cardMode = nil
    guard !device.isClosed else { return }
    watchdog.finish { connection.close() }
  }

  private func reconnect() throws {
    if let reservation, reservation.isHungUp, reservation.isStillNamed(port) {
      throw NFCError(.readerLost, "the pseudo-terminal \(port) has gone and will not return")
    }
    if let adapter, let now = adapterOfPort(port), !now.isSame(as: adapter) {
      throw NFCError(
        .readerLost,
        "\(port) is another adapter now (\(now.name)), not the reader's (\(adapter.name))")
    }
    // libnfc's own descriptor is looked for on the same path.
    reservation = nil
    defer { reservation = TerminalReservation(port) }
    do {
      connection = try Connection(currentConnectionString(), watchdog)
    } catch let error as NFCError {
      throw NFCError(.readerLost, error.reason, cause: error.cause)
    }
  }

  // MARK: Calls

  /// Calls libnfc, and cleans up what an abort or a late answer would leave for the next call.
  func call<Result>(
    atMost limit: Duration = Watchdog.ordinaryLimit, _ body: () throws -> Result
  ) throws -> Result {
    defer { if watchdog.isAbortSent { device.aborter.closeOrphans() } }
    do {
      let result = try watchdog.call(atMost: limit, body)
      if watchdog.isAbortSent { device.clearAbort() }
      return result
    } catch let failure as LibNFC.Failure {
      if watchdog.isCut {
        disconnect()
      } else if watchdog.isAbortSent, failure.code != LibNFC.Failure.aborted {
        device.clearAbort()
        // Some drivers do not say that a call was aborted.
        if failure.isOfLine, device.traits.reportsSilenceAsAnswer {
          throw LibNFC.Failure(code: LibNFC.Failure.aborted)
        }
      } else if failure.isOfLine || failure.code == LibNFC.Failure.aborted {
        device.resynchronize()
      }
      if failure.isOfLine || watchdog.isAbortSent { settings.doubtChecks() }
      throw failure
    }
  }

  // MARK: The field and the tags

  package func resetField() throws {
    active = nil
    protocolCard = nil
    if device.isClosed { return try reconnect() }
    try reader("switching the carrier") {
      try device.set(NP_ACTIVATE_FIELD, false)
      try device.set(NP_ACTIVATE_FIELD, true)
    }
  }

  package func switchFieldOff() throws {
    active = nil
    protocolCard = nil
    guard !device.isClosed else { return }
    try reader("switching the carrier off") { try device.set(NP_ACTIVATE_FIELD, false) }
  }

  /// The four bits of a positive acknowledge of a type A tag (ISO/IEC 14443-3; NTAG21x data sheet, 9.3).
  private static let acknowledge: UInt8 = 0x0A

  package func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration
  ) throws -> [UInt8] {
    try exchange(command, framing: framing, timeout: timeout, isQuick: false)
  }

  /// - Parameter isQuick: whether the tag answers at once, if it does.
  func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration, isQuick: Bool
  ) throws -> [UInt8] {
    if let interrupted { active = interrupted }
    try device.traits.checkAnswerLength(of: command, to: active)
    let milliseconds = Self.milliseconds(timeout)
    if framing == .tagProtocol, case .jewel(_, let uid)? = active,
      !JewelExchange.isKnownToChip(command)
    {
      return try jewelExchange(command, uid: uid, timeout: milliseconds)
    }
    do {
      let bound = max(
        Watchdog.ordinaryLimit, .milliseconds(milliseconds) + .seconds(5))
      let answer = try call(atMost: bound) {
        try use(framing)
        var limit = milliseconds
        if isTimedByChip(framing) {
          try settings.allowProtocol()
        } else {
          // The chip itself reports silence, and must not be aborted before it does.
          let allowed =
            isQuick || (1...ChipSettings.quickAnswer).contains(milliseconds)
            ? try settings.allowQuickAnswer() : try settings.allow(milliseconds)
          limit = max(milliseconds, allowed + Self.lineAllowance)
        }
        return try device.transceive(command, timeout: limit)
      }
      note(command, answer)
      // A tag that has refused is mute until it is found again.
      if framing == .bare, answer.count == 1, answer[0] & 0x0F != Self.acknowledge { active = nil }
      return answer
    } catch let failure as LibNFC.Failure {
      let target = active
      interrupt(after: failure)
      if failure.isOfLine, device.traits.isTooLong(answerTo: command, of: target) {
        throw ChipStatus.tooLongAnswer(failure.cause)
      }
      throw exchangeError(failure, framing)
    }
  }

  /// Notes what a presence check may ask the tag for.
  private func note(_ command: [UInt8], _ answer: [UInt8]) {
    guard case .iso14443a(let tag)? = active, tag.sak == 0, answer.count > 1 else { return }
    switch command.first {
    case Type2Code.read, Type2Code.fastRead: ultralightUse = .read
    case Type2Code.getVersion, Type2Code.passwordAuthentication:
      if ultralightUse == .unknown { ultralightUse = .versionKnown }
    default: break
    }
  }

  /// A target whose exchange has failed may have fallen silent, and has to be found again before it is relied on,
  /// unless the exchange that follows repeats the one that has failed.
  private func interrupt(after failure: LibNFC.Failure? = nil) {
    let target = active
    active = nil
    interrupted = target
    // libnfc has forgotten the settings that it was about to write with the command.
    if failure?.isOfLine ?? false { framing = nil }
  }

  /// The longest command and answer at 9600 baud, in milliseconds.
  private static let lineAllowance: Int32 = 600

  /// Returns whether the chip itself knows how long the tag may take: a card of ISO/IEC 14443-4
  /// reports it.
  private func isTimedByChip(_ framing: Framing) -> Bool {
    guard framing == .tagProtocol else { return false }
    switch active {
    case .iso14443a(let card)?: return card.supportsISO14443Part4
    case .iso14443b?: return true
    default: return false
    }
  }

  private static func milliseconds(_ timeout: Duration) -> Int32 {
    // libnfc counts them in 32 bits.
    let parts = min(max(timeout, .zero), .milliseconds(Int32.max)).components
    return Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)
  }

  private func jewelExchange(
    _ command: [UInt8], uid: [UInt8], timeout: Int32
  ) throws -> [UInt8] {
    // The next command has to configure the chip.
    framing = nil
    do {
      return try call { try jewel.send(command, uid: uid, timeout: timeout) }
    } catch let failure as LibNFC.Failure {
      interrupt(after: failure)
      throw exchangeError(failure, .tagProtocol)
    } catch {
      if (error as? NFCError)?.code == .tagResponseError { interrupt() }
      throw error
    }
  }

  func use(_ framing: Framing) throws(LibNFC.Failure) {
    guard self.framing != framing else { return }
    try jewel.restore()
    try device.set(NP_EASY_FRAMING, framing == .tagProtocol)
    try device.set(NP_HANDLE_CRC, framing != .bare)
    // The settings of the search that has found the tag are known: with check bytes.
    if case .iso14443a(let tag)? = active,
      framing == .bare || self.framing == .bare
        || !settings.areChecksKnown && !tag.supportsISO14443Part4
    {
      try settings.setTypeAChecks(framing != .bare)
    }
    self.framing = framing
  }

  /// The maximum time for an authentication, in milliseconds: the time-out at power-up.
  private static let authenticationTime: Int32 = 51

  package func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    let code: UInt8 = keyType == .a ? 0x60 : 0x61
    do {
      let answer = try call {
        try use(.tagProtocol)
        _ = try settings.allow(Self.authenticationTime)
        return try device.transceive([code, block] + key + uid, timeout: 500)
      }
      authenticatedBlock = block
      // The chip authenticates by itself, and says only whether the card has. Data is a card's that took this for a
      // command.
      guard answer.isEmpty else {
        active = nil
        throw NFCError(.tagResponseError, "the card's answer is not one to an authentication")
      }
    } catch let failure as LibNFC.Failure {
      active = nil
      guard failure.code == LibNFC.Failure.authentication else {
        throw exchangeError(failure, .tagProtocol)
      }
      throw NFCError(
        .authenticationFailed, "the key does not open the sector", place: .block(Int(block)))
    }
  }

  // MARK: Errors

  private func exchangeError(_ failure: LibNFC.Failure, _ framing: Framing) -> any Error {
    switch failure.code {
    case LibNFC.Failure.aborted:
      return watchdog.isAborted
        ? CancellationError()
        : NFCError(.tagResponseError, "the exchange did not end", cause: .noAnswer)
    case LibNFC.Failure.transmission, LibNFC.Failure.targetReleased:
      return ChipStatus.error(failure.chipStatus)
    case LibNFC.Failure.authentication:
      return NFCError(.authenticationFailed, "the key does not open the sector")
    case LibNFC.Failure.chip where failure.chipStatus.map { $0 != 0 } ?? false:
      return ChipStatus.error(failure.chipStatus)
    default:
      return NFCError(.tagResponseError, "the exchange failed", cause: failure.cause)
    }
  }

  /// Returns the error of a call that was aborted: by its task, or because no call may take so
  /// long.
  func endedEarly(_ failure: LibNFC.Failure, _ activity: String) -> any Error {
    watchdog.isAborted ? CancellationError() : readerError(failure, activity)
  }

  func readerError(_ failure: LibNFC.Failure, _ activity: String) -> NFCError {
    NFCError(
      .readerUnavailable, "the reader failed while \(activity)",
      cause: failure.cause)
  }

  func reader(_ activity: String, _ body: () throws -> Void) throws {
    do {
      try call(body)
    } catch let failure as LibNFC.Failure {
      if failure.code == LibNFC.Failure.aborted { throw endedEarly(failure, activity) }
      throw readerError(failure, activity)
    }
  }
}
