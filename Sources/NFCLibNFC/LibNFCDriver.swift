import CLibNFC
import NFCCore

/// A reader that libnfc drives.
public final class LibNFCDriver: ReaderDriver {
  public let name: String
  public let connectionString: String
  public let capabilities: ReaderCapabilities
  public let abort: @Sendable () -> Void

  private let device: LibNFC.Device
  private let watchdog: Watchdog
  private let jewel: JewelExchange
  /// Holds the lock on a serial port.
  private var port: SerialPort?
  /// The technology that the chip is set up for, and the target that it has active.
  private var active: Target?
  private var framing: Framing?

  private init(_ device: LibNFC.Device, port: consuming SerialPort?) throws {
    self.device = device
    self.port = port
    jewel = JewelExchange(device)
    name = device.name
    connectionString = device.connectionString
    watchdog = Watchdog(device.aborter)
    let watchdog = watchdog
    abort = { watchdog.abort() }
    do {
      try device.initializeInitiator()
      // Else a search for a target that is not there would never end.
      try device.set(NP_INFINITE_SELECT, false)
      capabilities = try Self.capabilities(of: device)
    } catch {
      device.close()
      throw NFCError(
        .readerUnavailable, "the reader at \(device.connectionString) does not answer as one",
        cause: .libnfc(error.code, error.text))
    }
  }

  /// Opens a reader. Blocks, for a reader that does not answer up to two seconds.
  ///
  /// - Parameter connectionString: as libnfc has it, `driver:address[:speed]`; `nil` for the first
  ///   reader that libnfc finds.
  /// - Throws: `readerNotFound`, `readerUnavailable`, `invalidParameter`.
  public static func open(_ connectionString: String?) throws -> LibNFCDriver {
    guard let text = connectionString ?? LibNFC.list().first else {
      throw NFCError(.readerNotFound, "libnfc finds no reader")
    }
    let port = try ConnectionString(text).prepare()
    guard let device = try LibNFC.open(text) else {
      throw NFCError(.readerUnavailable, "no reader answers at \(text)")
    }
    return try LibNFCDriver(device, port: port)
  }

  /// The connection strings of all readers that libnfc finds without writing to serial ports.
  public static func list() -> [String] { LibNFC.list() }

  private static func technology(_ type: nfc_modulation_type) -> TagTechnology? {
    switch type {
    case NMT_ISO14443A: .iso14443a
    case NMT_ISO14443B: .iso14443b
    case NMT_FELICA: .felica
    case NMT_JEWEL: .jewel
    case NMT_ISO14443BI: .iso14443bPrime
    case NMT_ISO14443B2SR: .iso14443b2sr
    case NMT_ISO14443B2CT: .iso14443b2ct
    case NMT_BARCODE: .barcode
    case NMT_ISO14443BICLASS: .iclass
    default: nil
    }
  }

  private static func capabilities(
    of device: LibNFC.Device
  ) throws(LibNFC.Failure) -> ReaderCapabilities {
    var capabilities = ReaderCapabilities(
      technologies: [], bitRates: [:], maximumCommandLength: LibNFC.maximumCommandLength,
      maximumResponseLength: LibNFC.maximumResponseLength)
    for (type, rates) in try device.modulations() {
      guard let technology = technology(type) else { continue }
      capabilities.technologies.insert(technology)
      capabilities.bitRates[technology] = rates
    }
    return capabilities
  }

  public func begin() { watchdog.begin() }
  public func end() { watchdog.end() }

  public func close() {
    watchdog.retire()
    try? jewel.restore()
    device.close()
    port = nil
  }

  // MARK: Polling

  public func resetField() throws {
    active = nil
    try reader("switching the carrier") {
      try device.set(NP_ACTIVATE_FIELD, false)
      try device.set(NP_ACTIVATE_FIELD, true)
    }
  }

  /// More tags than this do not get enough power from one field.
  private static let maximumTags = 16

  public func list(_ technology: TagTechnology) throws -> [Target] {
    switch technology {
    case .iso14443a: return try listAll(NMT_ISO14443A)
    case .iso14443b: return try listTypeB()
    case .felica: return try listFeliCa()
    case .jewel: return try find(NMT_JEWEL, NBR_106).map { [$0] } ?? []
    case .iso14443bPrime: return try findTypeBPrime().map { [$0] } ?? []
    case .iso14443b2sr: return try find(NMT_ISO14443B2SR, NBR_106).map { [$0] } ?? []
    case .iso14443b2ct: return try find(NMT_ISO14443B2CT, NBR_106).map { [$0] } ?? []
    case .barcode: return try find(NMT_BARCODE, NBR_106).map { [$0] } ?? []
    case .iclass: return try find(NMT_ISO14443BICLASS, NBR_106).map { [$0] } ?? []
    case .iso15693:
      throw NFCError(
        .unsupported, "libnfc's readers have no ISO 15693; a PC/SC reader that has it is needed")
    }
  }

  public func find(_ technology: TagTechnology, besides found: [Target]) throws -> Target? {
    switch technology {
    case .iso14443a: return try find(NMT_ISO14443A, besides: found)
    case .iso14443b: return try find(NMT_ISO14443B, besides: found)
    case .felica: return try findFeliCa(besides: found)
    // One at a time is all that a PN53x finds of the others.
    default: return found.isEmpty ? try list(technology).first : nil
    }
  }

  /// Finds one tag after the other, each put to sleep so that the next can be heard.
  private func listAll(_ type: nfc_modulation_type) throws -> [Target] {
    var targets: [Target] = []
    while let target = try find(type, besides: targets) { targets.append(target) }
    return targets
  }

  /// Puts the active tag to sleep and looks for another. One that has been found before comes up again
  /// when it had fallen back to IDLE by itself, after a refusal for instance, and is put to sleep too.
  private func find(_ type: nfc_modulation_type, besides found: [Target]) throws -> Target? {
    guard found.count < Self.maximumTags else { return nil }
    for _ in 0...found.count {
      if let active, [.iso14443a, .iso14443b].contains(active.technology) { try deselect() }
      guard let target = try find(type, NBR_106) else { return nil }
      if !found.contains(where: { $0.isSame(as: target) }) { return target }
    }
    return nil
  }

  /// Type B cards can be put to sleep and not be woken by a PN53x: it sends REQB, never WUPB. A card that
  /// is alone is started anew, since it may draw another PUPI whenever the carrier goes, and left
  /// active.
  private func listTypeB() throws -> [Target] {
    let targets = try listAll(NMT_ISO14443B)
    guard targets.count == 1 else { return targets }
    try resetField()
    return try find(NMT_ISO14443B, NBR_106).map { [$0] } ?? []
  }

  /// Polling for any system, with the system code in the answer, in four time slots.
  private static let feliCaPolling: [UInt8] = [0x00, 0xFF, 0xFF, 0x01, 0x03]
  /// A FeliCa card has no sleep: others are found as long as Polling, whose slots cards draw anew each
  /// time, brings up another one within this many tries.
  private static let feliCaTries = 3

  private func listFeliCa() throws -> [Target] {
    var targets: [Target] = []
    while let target = try findFeliCa(besides: targets) { targets.append(target) }
    return targets
  }

  private func findFeliCa(besides found: [Target]) throws -> Target? {
    guard case .feliCa(let card)? = found.first else {
      // A card that answers at 212 kbit/s is the same at 424.
      return try findFeliCa(NBR_212) ?? findFeliCa(NBR_424)
    }
    guard found.count < Self.maximumTags else { return nil }
    for _ in 0..<Self.feliCaTries {
      guard let target = try findFeliCa(Self.bitRate(of: card)) else { return nil }
      if !found.contains(where: { $0.isSame(as: target) }) { return target }
    }
    return nil
  }

  private func findFeliCa(_ rate: nfc_baud_rate) throws -> Target? {
    try find(NMT_FELICA, rate, initiatorData: Self.feliCaPolling)
  }

  private static func bitRate(of card: FeliCaTarget) -> nfc_baud_rate {
    card.bitRate == 424 ? NBR_424 : NBR_212
  }

  /// Looks once for a target. A search that goes wrong on the air has found nothing; one whose frame
  /// breaks on the line is made once more, for it changes nothing.
  private func find(
    _ type: nfc_modulation_type, _ rate: nfc_baud_rate, initiatorData: [UInt8]? = nil
  ) throws -> Target? {
    active = nil
    var isRepeated = false
    while true {
      do {
        try prepare(for: type)
        let found = try watchdog.call {
          try device.select(type, rate, initiatorData: initiatorData)
        }
        try settle(after: type)
        active = found.flatMap { Target($0) }
        return active
      } catch let failure as LibNFC.Failure {
        try? settle(after: type)
        switch failure.code {
        case LibNFC.Failure.transmission, LibNFC.Failure.targetReleased,
          LibNFC.Failure.authentication:
          return nil
        case LibNFC.Failure.aborted: throw CancellationError()
        case LibNFC.Failure.inputOutput where !isRepeated, LibNFC.Failure.timeout where !isRepeated:
          isRepeated = true
        default: throw readerError(failure, "looking for tags")
        }
      }
    }
  }

  /// libnfc leaves the chip set up for the last protocol that it ran by hand.
  private func prepare(for type: nfc_modulation_type) throws(LibNFC.Failure) {
    framing = nil
    try jewel.restore()
    try device.set(NP_HANDLE_CRC, true)
    try device.set(NP_HANDLE_PARITY, true)
    try device.set(NP_EASY_FRAMING, true)
    // The others are set up by the chip's own search.
    if type == NMT_BARCODE {
      try device.set(NP_FORCE_ISO14443_A, true)
      try device.set(NP_FORCE_SPEED_106, true)
    }
  }

  /// The search for an NFC Barcode switches checks and parity off and does not always switch them on
  /// again; and the one for iCLASS lets broken frames through.
  private func settle(after type: nfc_modulation_type) throws(LibNFC.Failure) {
    guard type == NMT_BARCODE || type == NMT_ISO14443BICLASS else { return }
    try device.set(NP_HANDLE_CRC, true)
    try device.set(NP_HANDLE_PARITY, true)
    try device.set(NP_ACCEPT_INVALID_FRAMES, false)
  }

  private func deselect() throws {
    active = nil
    try reader("putting a tag to sleep") { try device.deselect() }
  }

  // MARK: B'

  private static let apgen: [UInt8] = [0x01, 0x0B, 0x3F, 0x80]
  private static let repgen: UInt8 = 0x07
  private static let attrib: UInt8 = 0x0F

  /// Finds and selects a B' card by libnfc's raw frames.
  ///
  /// libnfc has a search of its own, but takes lengths from the card's answer without looking: one that
  /// is too short makes it copy without end.
  private func findTypeBPrime() throws -> Target? {
    active = nil
    do {
      try forceTypeB()
      let answer = try watchdog.call { try device.transceive(Self.apgen, timeout: 300) }
      guard let target = Self.typeBPrime(answer), case .iso14443bPrime(let div, _, _, _) = target
      else { return nil }
      _ = try watchdog.call {
        try device.transceive([answer[0], Self.attrib] + div, timeout: 300)
      }
      active = target
      framing = .checked
      return target
    } catch let failure as LibNFC.Failure {
      switch failure.code {
      case LibNFC.Failure.transmission, LibNFC.Failure.targetReleased: return nil
      case LibNFC.Failure.aborted: throw CancellationError()
      default: throw readerError(failure, "looking for tags")
      }
    }
  }

  private func forceTypeB() throws(LibNFC.Failure) {
    framing = nil
    try jewel.restore()
    try device.set(NP_FORCE_ISO14443_B, true)
    try device.set(NP_FORCE_SPEED_106, true)
    try device.set(NP_HANDLE_CRC, true)
    try device.set(NP_HANDLE_PARITY, true)
    try device.set(NP_EASY_FRAMING, false)
  }

  /// Reads REPGEN: address, code, DIV, version, and for long answers configuration and ATR.
  private static func typeBPrime(_ answer: [UInt8]) -> Target? {
    guard answer.count >= 7, answer[1] == repgen else { return nil }
    let version = answer[6]
    let isLong = version & 0x80 != 0 && answer.count > 7
    let configuration = isLong ? answer[7] : nil
    let hasATR = configuration.map { $0 & 0x40 != 0 } ?? false
    return .iso14443bPrime(
      div: Array(answer[2..<6]), version: version, configuration: configuration,
      atr: hasATR ? Array(answer.dropFirst(8)) : [])
  }

  // MARK: Tags

  public func select(_ target: Target) throws {
    if let active, active.isSame(as: target) { return }
    if case .iso14443a(let card)? = active, card.supportsISO14443Part4 { try deselect() }
    switch target {
    case .iso14443a, .feliCa:
      if try wake(target) { return }
    default: break
    }
    // A card that was broken off in the middle of a command, or that has no way to be woken, hears
    // nothing but the carrier's going.
    try resetField()
    guard try wake(target) else {
      throw NFCError(.tagConnectionLost, "the tag has left the field")
    }
  }

  private func wake(_ target: Target) throws -> Bool {
    switch target {
    case .iso14443a(let card):
      let found = try find(NMT_ISO14443A, NBR_106, initiatorData: card.uid)
      return found?.isSame(as: target) ?? false
    case .iso14443b:
      return try wakeTypeB(target)
    case .feliCa(let card):
      for _ in 0..<Self.maximumTags {
        guard let found = try findFeliCa(Self.bitRate(of: card)) else { return false }
        if found.isSame(as: target) { return true }
      }
      return false
    case .iso14443bPrime, .iso14443b2sr, .iso14443b2ct:
      // The search for iCLASS switches the chip's checks off behind libnfc's back, which then thinks them
      // on. In a poll the chip's own searches put that right.
      try reader("waking a tag") {
        try device.set(NP_HANDLE_CRC, false)
        try device.set(NP_HANDLE_CRC, true)
      }
      return try list(target.technology).contains { $0.isSame(as: target) }
    case .jewel, .barcode, .iclass, .iso15693:
      return try list(target.technology).contains { $0.isSame(as: target) }
    }
  }

  private func wakeTypeB(_ target: Target) throws -> Bool {
    for _ in 0..<Self.maximumTags {
      guard let found = try find(NMT_ISO14443B, NBR_106) else { return false }
      if found.isSame(as: target) { return true }
      try deselect()
    }
    return false
  }

  /// The four bits of a positive acknowledge of a type A tag (ISO/IEC 14443-3; NTAG21x data sheet, 9.3).
  private static let acknowledge: UInt8 = 0x0A

  public func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration
  ) throws -> [UInt8] {
    let milliseconds = Int32(
      clamping: timeout.components.seconds * 1000
        + timeout.components.attoseconds / 1_000_000_000_000_000)
    if framing == .tagProtocol, case .jewel(_, let uid)? = active,
      !JewelExchange.isKnownToChip(command)
    {
      return try jewelExchange(command, uid: uid, timeout: milliseconds)
    }
    do {
      try use(framing)
      let answer = try watchdog.call { try device.transceive(command, timeout: milliseconds) }
      // A tag that has refused is mute until it is found anew.
      if framing == .bare, answer.count == 1, answer[0] & 0x0F != Self.acknowledge { active = nil }
      return answer
    } catch let failure as LibNFC.Failure {
      active = nil
      throw exchangeError(failure, framing)
    }
  }

  private func jewelExchange(
    _ command: [UInt8], uid: [UInt8], timeout: Int32
  ) throws -> [UInt8] {
    // Whatever comes next has to set up the chip.
    framing = nil
    do {
      return try watchdog.call {
        try jewel.send(command, uid: uid, timeout: timeout)
      }
    } catch let failure as LibNFC.Failure {
      active = nil
      throw exchangeError(failure, .tagProtocol)
    } catch {
      if (error as? NFCError)?.code == .tagResponseError { active = nil }
      throw error
    }
  }

  private func use(_ framing: Framing) throws(LibNFC.Failure) {
    guard self.framing != framing else { return }
    try jewel.restore()
    try device.set(NP_EASY_FRAMING, framing == .tagProtocol)
    try device.set(NP_HANDLE_CRC, framing != .bare)
    self.framing = framing
  }

  public func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    let code: UInt8 = keyType == .a ? 0x60 : 0x61
    do {
      try use(.tagProtocol)
      _ = try watchdog.call {
        try device.transceive([code, block] + key + uid, timeout: 500)
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
      return NFCError(
        .tagResponseError, "the exchange failed", cause: .libnfc(failure.code, failure.text))
    }
  }

  private func readerError(_ failure: LibNFC.Failure, _ activity: String) -> NFCError {
    NFCError(
      .readerUnavailable, "the reader failed while \(activity)",
      cause: .libnfc(failure.code, failure.text))
  }

  private func reader(_ activity: String, _ body: () throws -> Void) throws {
    do {
      try watchdog.call(body)
    } catch let failure as LibNFC.Failure {
      if failure.code == LibNFC.Failure.aborted { throw CancellationError() }
      throw readerError(failure, activity)
    }
  }
}
