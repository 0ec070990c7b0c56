import CSwiftNFCLibNFC
import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An open connection to a reader, from the lock on its port to a chip whose settings are known.
final class Connection {
  let device: LibNFC.Device
  let jewel: JewelExchange
  let settings: ChipSettings
  /// Holds the lock on a port.
  private var port: PortLock?

  /// A silent port takes libnfc some two seconds; one that sends slowly is abandoned after this
  /// time.
  private static let openingLimit = Duration.seconds(5)

  /// A reader that does not answer takes longer than this.
  private static let quickFailure = Duration.milliseconds(400)

  /// Opens a reader. Blocks, at most for ``openingLimit`` and a moment; once more for a reader that has answered, but
  /// whose settings could not be written.
  ///
  /// - Parameters:
  ///   - watchdog: bounds every call, from now on with this reader's means.
  ///   - restoresRate: whether a silent serial port is checked for a PN532 that another program has
  ///     left at another baud rate; not on a port that may lead to another device.
  /// - Throws: `readerNotFound`, `readerUnavailable`, `invalidParameter`.
  init(_ text: String, _ watchdog: Watchdog, restoresRate: Bool = true) throws {
    let string = ConnectionString(text)
    let address = try string.address()
    guard let traits = string.traits else {
      throw NFCError(.readerNotFound, "\"\(text)\" does not name a driver of libnfc")
    }
    let port = try address.lock()
    let lock = port?.descriptor
    let path = address.path
    func open() throws -> LibNFC.Device? {
      try watchdog.call(atMost: Self.openingLimit) {
        try LibNFC.open(
          text, traits, at: address, lockedBy: lock,
          unless: { watchdog.isCut || watchdog.isAborted })
      }
    }
    // The first frames of a chip may be broken, too. One that is silent takes longer, and is not waited for twice.
    func openAgain(after failure: Duration) throws -> LibNFC.Device? {
      guard failure < Self.quickFailure, !watchdog.isCut, !watchdog.isAborted else { return nil }
      return try open()
    }
    func openAtOtherRate() throws -> LibNFC.Device? {
      guard restoresRate, traits.isBareChip, traits.address == .serialPort, let lock,
        !watchdog.isCut, let rate = LineRate(on: lock, to: string.speed),
        rate.restore(unless: { watchdog.isAborted })
      else { return nil }
      return try open()
    }
    // A chip on a bus keeps the last answer for a program that was killed, and sends it to the next
    // one.
    func openAfterClearing() throws -> LibNFC.Device? {
      guard let input = traits.busInput, let lock, !watchdog.isCut, input.clear(lock) else {
        return nil
      }
      return try open()
    }
    if let input = traits.busInput, let lock, input.prepare(lock) == EBUSY {
      throw NFCError(
        .readerUnavailable,
        "a module of the kernel has the chip at \(text), for instance pn533_i2c; unload it",
        cause: .system(errno: EBUSY, text: String(cString: strerror(EBUSY))))
    }
    for isLastAttempt in [false, true] {
      watchdog.use(
        Watchdog.Actions(abort: {}, cut: { Line.cut(path: path, excluding: lock) }))
      let start = ContinuousClock.now
      guard
        let device = try open() ?? openAgain(after: ContinuousClock.now - start)
          ?? openAtOtherRate() ?? openAfterClearing()
      else { break }
      let (aborter, line) = (device.aborter, device.line)
      watchdog.use(Watchdog.Actions(abort: { aborter.abort() }, cut: { line?.cut() }))
      let settings = ChipSettings(device)
      do {
        try watchdog.call { try settings.establish() }
      } catch let failure as LibNFC.Failure {
        watchdog.finish { device.close() }
        // A frame may have been broken on the line: nothing has begun that could not begin again.
        if failure.isOfLine, !isLastAttempt, !watchdog.isCut, !watchdog.isAborted { continue }
        throw NFCError(
          .readerUnavailable, "the reader at \(text) does not answer as one",
          cause: failure.cause)
      }
      self.device = device
      self.settings = settings
      jewel = JewelExchange(device)
      self.port = port
      return
    }
    throw NFCError(
      .readerUnavailable,
      "no reader answers at \(text); "
        + (traits.defect ?? "check its cable, and that no other program uses it"))
  }

  /// Switches off the carrier and releases the port.
  func close() {
    device.close()
    port = nil
  }
}
