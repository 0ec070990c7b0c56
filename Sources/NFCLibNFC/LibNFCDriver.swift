import CLibNFC
import NFCCore

/// A reader that libnfc drives.
public final class LibNFCDriver: ReaderDriver {
  public let name: String
  public let connectionString: String
  public let capabilities: ReaderCapabilities
  public let abort: @Sendable () -> Void

  let device: LibNFC.Device
  let watchdog: Watchdog
  let jewel: JewelExchange
  /// Holds the lock on a serial port.
  private var port: SerialPort?
  /// The technology that the chip is set up for, and the target that it has active.
  var active: Target?
  var framing: Framing?

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
      throw NFCError(
        .readerUnavailable,
        "no reader answers at \(text); check its cable, and that no other program uses it")
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

  // MARK: The field and the tags

  public func resetField() throws {
    active = nil
    try reader("switching the carrier") {
      try device.set(NP_ACTIVATE_FIELD, false)
      try device.set(NP_ACTIVATE_FIELD, true)
    }
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

  /// What a call has ended with that was aborted: by its task, or because no call may take so long.
  func endedEarly(_ failure: LibNFC.Failure, _ activity: String) -> any Error {
    watchdog.isAborted ? CancellationError() : readerError(failure, activity)
  }

  func readerError(_ failure: LibNFC.Failure, _ activity: String) -> NFCError {
    NFCError(
      .readerUnavailable, "the reader failed while \(activity)",
      cause: .libnfc(failure.code, failure.text))
  }

  func reader(_ activity: String, _ body: () throws -> Void) throws {
    do {
      try watchdog.call(body)
    } catch let failure as LibNFC.Failure {
      if failure.code == LibNFC.Failure.aborted { throw endedEarly(failure, activity) }
      throw readerError(failure, activity)
    }
  }
}
