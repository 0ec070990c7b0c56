import Foundation
import VirtualNFC

/// A simulated PN532 on an I²C or SPI bus, with tags. The system's own libnfc communicates with it in a child
/// process.
///
/// umockdev shows a simulated `/dev` to the child. A script performs the functions of the wires and of the
/// chip's bus interface, and passes the frames to the chip.
///
/// ```
///   nfc, nfc-list, …      libnfc              bus_reader.py           VirtualReader
///   (child process)  ──▶  read, write,   ──▶  ready and status   ───▶ PN532 chip ─▶ tags
///                         ioctl               bytes taken off
/// ```
public final class BusReader: Sendable {
  /// The bus to which the chip is connected.
  public enum Bus: String, Sendable, CaseIterable {
    case i2c
    case spi
  }

  /// A fault of the reader.
  public enum Condition: Sendable, Hashable {
    /// There is no chip on the bus. Undriven lines of SPI are high.
    case absent
    /// There is no chip on the bus. Undriven lines of SPI are low.
    case absentAndLow
    /// A kernel module uses the chip's address; I²C only.
    case busy
    /// The chip is disconnected at the n-th transfer, counted from 1.
    case unplugged(Int)
    /// The answer to the n-th command is late.
    case late(Int, milliseconds: Int)
    /// All answers of tags are late.
    case slow(milliseconds: Int)
    /// Each n-th answer of a tag is late.
    case everyLate(Int, milliseconds: Int)
    /// From the n-th exchange with a tag on, counted from 1, no answer arrives while the host waits.
    case silentFrom(Int)
    /// An answer that the host has not fetched when it sends the next command remains before the ACK of that
    /// command. This has been observed (ESPHome's issues, "PN532 over I2C stops responding after a while").
    /// Without this condition, the answer is dropped.
    case keepsAnswers

    fileprivate var arguments: [String] {
      switch self {
      case .absent: ["--absent"]
      case .absentAndLow: ["--absent", "--low"]
      case .busy: ["--busy"]
      case .unplugged(let transfer): ["--unplug", "\(transfer)"]
      case .late(let command, let time): ["--late", "\(command):\(time)"]
      case .slow(let time): ["--slow", "\(time)"]
      case .everyLate(let number, let time): ["--late-exchange", "\(number):\(time)"]
      case .silentFrom(let number): ["--silent", "\(number)"]
      case .keepsAnswers: ["--keep"]
      }
    }
  }

  public let field = VirtualField()
  public let reader: VirtualReader
  public let bus: Bus

  /// The name of the reader in libnfc.
  public var connectionString: String {
    switch bus {
    case .i2c: "pn532_i2c:/dev/i2c-1"
    case .spi: "pn532_spi:/dev/spidev0.0"
    }
  }

  public init(_ bus: Bus, _ tags: VirtualTag...) throws {
    self.bus = bus
    reader = try VirtualReader(field)
    for tag in tags { field.place(tag) }
  }

  deinit { reader.close() }

  /// Returns the command line that runs a program so that it finds the reader: an executable and its
  /// arguments.
  public func command(
    _ program: [String], _ conditions: [Condition] = []
  ) throws -> (executable: String, arguments: [String]) {
    try Rig.command(
      "bus_reader.py",
      ["--bus", bus.rawValue, "--port", reader.path] + conditions.flatMap(\.arguments),
      running: program)
  }
}
