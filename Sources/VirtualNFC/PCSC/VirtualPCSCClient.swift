#if canImport(Glibc)
import Glibc
import SwiftNFCCore
import Synchronization

/// Shows a ``VirtualPCSCReader`` to a real PC/SC service through the virtual reader driver of
/// vsmartcard (vpcd): all PC/SC programs then see its tags.
///
/// ```
///   scriptor, pcsc_scan, nfc, …                       VirtualPCSCReader, VirtualField
///   (any process)      pcscd ── vpcd        TCP         ┌─────────────┐
///        │  SCard calls  ──▶  driver  ◀──────────────── │ ICODE SLIX2 │
///        │                ◀──         ─── APDUs ──────▶ │ ST25DV64K   │
///                                                       └─────────────┘
/// ```
///
/// The driver listens on a TCP port. It sees all tags in the field as one card: present while the
/// field has a tag, and absent for a moment whenever one comes or goes. The reader's name is the
/// one in the service's configuration.
public final class VirtualPCSCClient: Sendable {
  /// The default port of vpcd's first slot; the second slot uses the next one.
  public static let defaultPort: UInt16 = 35963

  private let shared: Shared
  private let thread: VirtualReaderThread

  /// The state shared by the thread and the owner of the client.
  private final class Shared: Sendable {
    struct State {
      var isClosed = false
      /// The number of commands to answer before the connection is broken.
      var commandsToHangUp: Int?
      var isMuteAtPowerOn = false
      /// The duration of an absence, in milliseconds. The service checks for a card every 0.4 s and does
      /// not notice a shorter absence.
      var absence: Int32 = 900
    }

    let state = Mutex(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var isMuteAtPowerOn: Bool { state.withLock { $0.isMuteAtPowerOn } }

    /// Returns whether the connection is to be broken at the command that has just been received.
    func countsDownToHangUp() -> Bool {
      state.withLock { state in
        guard let left = state.commandsToHangUp else { return false }
        state.commandsToHangUp = left > 0 ? left - 1 : nil
        return left == 0
      }
    }
  }

  /// Starts to serve. If the field has a tag, the connection to the driver exists when this
  /// returns.
  ///
  /// - Parameters:
  ///   - reader: the reader and its field.
  ///   - host: the machine on which the driver listens.
  ///   - port: the port on which it listens.
  ///   - trace: called on the client's thread for every command and answer, and when the service
  ///     switches the card on or off.
  /// - Throws: ``VirtualReader/Unavailable`` if there is a tag to show and no driver listens.
  public init(
    _ reader: VirtualPCSCReader, host: String = "127.0.0.1", port: UInt16 = defaultPort,
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws {
    let shared = Shared()
    self.shared = shared
    let status = reader.status
    let first = status.isCardPresent ? try VPCDConnection(host: host, port: port) : nil
    do {
      thread = try VirtualReaderThread {
        var loop = Loop(
          reader: reader, shared: shared, trace: trace ?? { _ in },
          connect: { try? VPCDConnection(host: host, port: port) },
          card: first.map { ($0, status.eventCount) })
        loop.run()
      }
    } catch {
      first?.close()
      throw error
    }
  }

  deinit { close() }

  /// Removes the tags from the driver. Calling it again does nothing.
  public func close() {
    shared.state.withLock { $0.isClosed = true }
    thread.join()
  }

  /// Breaks the connection in the middle of a command: to the service, the card was removed. It returns
  /// one second later if a tag is in the field.
  ///
  /// - Parameter command: the number of the APDU, counted from 0 from this call on; `nil` for none.
  package func hangUp(atCommand command: Int?) {
    shared.state.withLock { $0.commandsToHangUp = command }
  }

  /// Sets whether the service waits for the card when it switches its power on, until that is set again, as it does with
  /// a reader that has stopped answering.
  package func setMuteAtPowerOn(_ isMute: Bool) {
    shared.state.withLock { $0.isMuteAtPowerOn = isMute }
  }

  /// Sets the time for which the driver sees no card whenever a tag comes or goes. A card that is swapped by hand is
  /// away for less time than the service takes to notice it.
  ///
  /// - Parameter absence: the time in milliseconds.
  package func setAbsence(milliseconds absence: Int32) {
    shared.state.withLock { $0.absence = absence }
  }

  /// The loop that runs on the thread.
  private struct Loop {
    // The messages of one byte that the driver sends (vpcd.h).
    private static let powerOff: UInt8 = 0
    private static let powerOn: UInt8 = 1
    private static let reset: UInt8 = 2
    private static let getATR: UInt8 = 4
    private static let controls = [powerOff, powerOn, reset, getATR]

    /// Returns whether a message is a command for the card; it may have one byte, as some native commands of DESFire.
    private static func isCommand(_ message: [UInt8]) -> Bool {
      message.count != 1 || !controls.contains(message[0])
    }

    /// Class, instruction, P1 and P2; the answer to fewer bytes (ISO/IEC 7816-4, 5.1 and 5.6).
    private static let shortestCommand = 4
    private static let wrongLength: [UInt8] = [0x67, 0x00]

    /// The interval at which the field is checked, in milliseconds.
    private static let period: Int32 = 20
    let reader: VirtualPCSCReader
    let shared: Shared
    let trace: @Sendable (TraceEvent) -> Void
    let connect: () -> VPCDConnection?
    var card: (connection: VPCDConnection, eventCount: Int)?

    mutating func run() {
      while !shared.isClosed {
        let status = reader.status
        if let card {
          if reader.isUnplugged || card.eventCount != status.eventCount || !serve() {
            leave()
            pause(shared.state.withLock(\.absence))
          }
        } else if status.isCardPresent, !reader.isUnplugged, let connection = connect() {
          card = (connection, status.eventCount)
        } else {
          pause(Self.period)
        }
      }
      leave()
    }

    /// Waits for this time, or until the client is closed.
    private func pause(_ milliseconds: Int32) {
      var left = milliseconds
      while left > 0, !shared.isClosed {
        usleep(UInt32(Self.period) * 1000)
        left -= Self.period
      }
    }

    private mutating func leave() {
      guard let card else { return }
      self.card = nil
      card.connection.close()
      setPower(false)
    }

    private func setPower(_ isOn: Bool) {
      reader.setPower(isOn)
      trace(.carrier(isOn))
    }

    /// Answers the messages that the driver has sent so far; `false` if the connection has ended.
    private mutating func serve() -> Bool {
      guard card?.connection.receive(within: Self.period) == true else { return false }
      while let message = card?.connection.nextMessage() {
        if Self.isCommand(message), shared.countsDownToHangUp() { return false }
        guard let answer = answer(to: message) else { continue }
        guard card?.connection.send(answer) == true else { return false }
      }
      return true
    }

    private func answer(to message: [UInt8]) -> [UInt8]? {
      guard !Self.isCommand(message) else {
        trace(.command(message))
        let answer = reader.transmit(message)
        trace(.reply(answer))
        // The driver waits for an answer to each command; that to one of a single byte must not be missing.
        return answer.isEmpty && message.count < Self.shortestCommand ? Self.wrongLength : answer
      }
      switch message[0] {
      case Self.powerOff: setPower(false)
      case Self.powerOn: setPower(true)
      case Self.reset:
        setPower(false)
        setPower(true)
      case Self.getATR:
        while shared.isMuteAtPowerOn, !shared.isClosed { pause(Self.period) }
        return reader.status.atr
      default: break
      }
      return nil
    }
  }
}
#endif
