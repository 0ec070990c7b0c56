import Foundation
import VirtualNFC

/// A PN532 on an I²C or SPI bus that is not there, with tags: the system's own libnfc talks to it, in a child
/// process.
///
/// umockdev shows the child a made-up `/dev`. A script does what the wires and the chip's bus interface would
/// and hands the frames to the chip.
///
/// ```
///   nfc, nfc-list, …      libnfc              bus_reader.py           VirtualReader
///   (child process)  ──▶  read, write,   ──▶  ready and status   ───▶ PN532 chip ─▶ tags
///                         ioctl               bytes taken off
/// ```
public final class BusReader: Sendable {
  /// What the chip is connected by.
  public enum Bus: String, Sendable, CaseIterable {
    case i2c
    case spi
  }

  /// What is wrong with it.
  public enum Condition: Sendable, Hashable {
    /// No chip is on the bus. What nothing drives is high on SPI.
    case absent
    /// The same, and low.
    case absentAndLow
    /// A module of the kernel has the chip's address; I²C only.
    case busy
    /// The wires come off at the n-th transfer, counted from 1.
    case unplugged(Int)
    /// The answer to the n-th command comes late.
    case late(Int, milliseconds: Int)
    /// So do all answers of tags.
    case slow(milliseconds: Int)
    /// Each n-th answer of a tag comes so late.
    case everyLate(Int, milliseconds: Int)
    /// From the n-th exchange with a tag on, counted from 1, none is answered while anybody waits.
    case silentFrom(Int)
    /// What the host has not fetched when it sends the next command stays before that one's ACK, as has been
    /// seen (ESPHome's issues, "PN532 over I2C stops responding after a while"). Otherwise it is dropped.
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

  /// What libnfc calls the reader.
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

  /// What to run instead of a program, so that it sees the reader: an executable and its arguments.
  public func command(
    _ program: [String], _ conditions: [Condition] = []
  ) throws -> (executable: String, arguments: [String]) {
    try Rig.command(
      "bus_reader.py",
      ["--bus", bus.rawValue, "--port", reader.path] + conditions.flatMap(\.arguments),
      running: program)
  }
}
