/// The time that a card may take to answer, as it announces it in PMm.
///
/// The last six bytes of PMm are each for some commands; the time is 302 µs × ((B + 1) × n + A + 1) × 4^E
/// with A in bits 0 to 2, B in bits 3 to 5 and E in bits 6 and 7, and n the number of blocks or nodes
/// (JIS X 6319-4; NFC Forum Digital Protocol 1.1, 6.6.2).
enum FeliCaResponseTime {
  /// The minimum time limit: some cards announce less than they need, and readers add their own
  /// delay.
  static let least = Duration.milliseconds(500)

  private static let unit = Duration.nanoseconds(302_065)
  /// The allowance for the path between the host and the reader's antenna.
  private static let allowance = Duration.milliseconds(100)

  /// The byte of PMm with the time for a command.
  private enum Place {
    static let requestService = 2
    static let requestResponse = 3
    static let authentication = 4
    static let read = 5
    static let write = 6
    static let other = 7
  }

  /// Returns the time-out for a command without its LEN byte.
  static func timeout(of command: [UInt8], pmm: [UInt8]) -> Duration {
    if command.first == FeliCaCommandCode.polling {
      return ofPolling(slots: byte(4, of: command) + 1)
    }
    guard pmm.count == 8, let code = command.first else { return least }
    let (place, count): (Int, Int) =
      switch code {
      case FeliCaCommandCode.requestService, FeliCaCommandCode.requestServiceV2:
        (Place.requestService, Self.byte(9, of: command))
      case FeliCaCommandCode.requestResponse: (Place.requestResponse, 0)
      case FeliCaCommandCode.readWithoutEncryption: (Place.read, Self.blockCount(command))
      case FeliCaCommandCode.writeWithoutEncryption: (Place.write, Self.blockCount(command))
      case 0x10...0x17: (Place.authentication, 1)
      default: (Place.other, 1)
      }
    return max(least, promise(pmm[place], count) + allowance)
  }

  /// The time to the first slot of Polling, and of each slot (FeliCa Card User's Manual, 4.4.2).
  private static let (firstSlot, slot) = (Duration.microseconds(2417), Duration.microseconds(1208))
  /// Readers count in steps, and some begin late.
  private static let leastOfPolling = Duration.milliseconds(10)

  /// Returns the time in which a card answers Polling, whatever its PMm: silence is often the expected answer, and says
  /// that the card lacks the system.
  private static func ofPolling(slots: Int) -> Duration {
    max(leastOfPolling, firstSlot + slot * (slots + 1))
  }

  /// Returns what one byte of PMm promises for `count` blocks or nodes.
  static func promise(_ byte: UInt8, _ count: Int) -> Duration {
    let fixed = Int(byte & 0x07) + 1
    let each = Int(byte >> 3 & 0x07) + 1
    let factor = 1 << (2 * Int(byte >> 6))
    return unit * ((each * count + fixed) * factor)
  }

  private static func byte(_ index: Int, of command: [UInt8]) -> Int {
    command.indices.contains(index) ? Int(command[index]) : 0
  }

  /// Returns the number of blocks, which follows the code, IDm, the number of services and the
  /// services.
  private static func blockCount(_ command: [UInt8]) -> Int {
    byte(10 + 2 * byte(9, of: command), of: command)
  }
}
