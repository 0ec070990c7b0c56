import SwiftNFCCore

/// The content of a Suica-like card: a FeliCa Standard card with the services of the Japanese transit
/// cards.
///
/// The services are those in a dump of such a card; the records are fictitious. Their fields are the
/// published ones of the history (felicalib's and Metrodroid's descriptions).
enum Suica {
  static let systemCode: UInt16 = 0x0003
  static let commonAreaSystemCode: UInt16 = 0xFE00
  /// IC type 0B; the PMm of a card with a public dump.
  static let pmm: [UInt8] = [0x10, 0x0B, 0x4B, 0x42, 0x84, 0x85, 0xD0, 0xFF]

  private static let blockSize = FeliCaBlockAccess.blockSize

  // MARK: Systems

  static let systems: [FeliCaStandard.System] = [
    FeliCaStandard.System(
      code: systemCode,
      nodes: [
        .area(0x0000, last: 0xFFFE), .area(0x0040, last: 0x07FF),
        .service(0x0048), .service(0x004A), .service(0x0088), .service(0x008B),
        .area(0x0800, last: 0x0FBF),
        .service(0x0810), .service(0x0812), .service(0x0816),
        .service(0x08C8), .service(0x08CA), .service(0x090A), .service(0x090C),
        .service(0x090F),
        .area(0x1000, last: 0x17BF),
        .service(0x1008), .service(0x100A), .service(0x108C), .service(0x108F),
        .service(0x10C8), .service(0x10CB),
      ],
      blocks: byServiceCode([
        (0x0048, zeros(2)), (0x008B, [attributes]), (0x0816, zeros(1)), (0x08CA, zeros(1)),
        (0x090F, history), (0x100A, zeros(2)), (0x108F, gateLog), (0x10CB, lastEntry),
      ])),
    FeliCaStandard.System(
      code: commonAreaSystemCode,
      nodes: [
        .area(0x0000, last: 0xFFFE), .area(0x3940, last: 0x39FF),
        .service(0x3948), .service(0x394B), .service(0x3988), .service(0x398B),
        .service(0x39C9),
      ],
      blocks: byServiceCode([(0x394B, zeros(1)), (0x398B, zeros(1)), (0x39C9, zeros(16))])),
  ]

  private static func byServiceCode(
    _ blocks: [(UInt16, [[UInt8]])]
  ) -> [UInt16: [[UInt8]]] {
    Dictionary(uniqueKeysWithValues: blocks.map { ($0 >> 6, $1) })
  }

  private static func zeros(_ count: Int) -> [[UInt8]] {
    [[UInt8]](repeating: [UInt8](repeating: 0, count: blockSize), count: count)
  }

  // MARK: Records

  /// The kind of terminal that wrote a record: byte 0 of the history.
  private enum Terminal {
    static let ticketMachine: UInt8 = 0x08
    static let gate: UInt8 = 0x16
    static let vendingMachine: UInt8 = 0xC8
  }

  /// The kind of transaction: byte 1 of the history.
  private enum Process {
    static let fare: UInt8 = 0x01
    static let charge: UInt8 = 0x02
    static let purchase: UInt8 = 0x46
  }

  /// A line and the number of a station on it.
  private typealias Station = (line: UInt8, order: UInt8)

  private static let home: Station = (0x01, 0x07)
  private static let work: Station = (0x25, 0x02)
  /// The balance before the first record, in yen.
  private static let firstBalance = 500
  private static let fare = 208
  private static let firstSequenceNumber = 3

  /// The events, the oldest first, each with its day, counted from the beginning of June 2026 up to 1
  /// July.
  private static let events: [(day: Int, what: Event)] = [
    (1, .charge(3000)), (1, .ride(home, work)), (1, .ride(work, home)), (2, .ride(home, work)),
    (2, .purchase(130, hour: 12, minute: 41)), (2, .ride(work, home)), (3, .ride(home, work)),
    (3, .ride(work, home)), (4, .ride(home, work)), (4, .ride(work, home)), (5, .charge(2000)),
    (5, .ride(home, work)), (5, .purchase(160, hour: 18, minute: 5)), (5, .ride(work, home)),
    (8, .ride(home, work)), (8, .ride(work, home)), (9, .ride(home, work)),
    (9, .ride(work, home)), (10, .ride(home, work)), (10, .ride(work, home)),
  ]

  private enum Event {
    case charge(Int)
    case ride(Station, Station)
    case purchase(Int, hour: Int, minute: Int)
  }

  /// Returns a date: year from 2000 in 7 bits, month in 4, day in 5; most significant byte first.
  private static func date(day: Int) -> [UInt8] {
    let value = 26 << 9 | 6 << 5 | day
    return UInt16(value).bigEndianBytes
  }

  private static let ledger: (history: [[UInt8]], balance: Int, sequenceNumber: Int) = {
    var balance = firstBalance
    var sequenceNumber = firstSequenceNumber
    var records: [[UInt8]] = []
    for (day, event) in events {
      let head: [UInt8]
      let middle: [UInt8]
      switch event {
      case .charge(let amount):
        balance += amount
        head = [Terminal.ticketMachine, Process.charge]
        middle = [home.line, home.order, 0, 0]
      case .ride(let from, let to):
        balance -= fare
        head = [Terminal.gate, Process.fare]
        middle = [from.line, from.order, to.line, to.order]
      case .purchase(let price, let hour, let minute):
        balance -= price
        head = [Terminal.vendingMachine, Process.purchase]
        // Hour in 5 bits, minute in 6; followed by the terminal.
        let time = hour << 11 | minute << 5
        middle = UInt16(time).bigEndianBytes + [0x52, 0x8A]
      }
      sequenceNumber += 1
      records.append(
        head + [0x00, 0x00] + date(day: day) + middle + UInt16(balance).littleEndianBytes + [0x00]
          + UInt16(sequenceNumber).bigEndianBytes + [0x00])
    }
    return (records.reversed(), balance, sequenceNumber)
  }()

  /// Service 090F, the newest record first: terminal, process, 2 bytes, date, stations in and out or time
  /// and terminal, balance (least significant byte first), sequence number in 3 bytes, region.
  private static let history = ledger.history

  /// Service 008B: the kind of card in byte 8, the balance in bytes 11 and 12 (least significant first),
  /// the sequence number in the last two.
  private static let attributes: [UInt8] =
    [UInt8](repeating: 0, count: 8) + [0x20, 0x00, 0x00]
    + UInt16(ledger.balance).littleEndianBytes + [0x00]
    + UInt16(ledger.sequenceNumber).bigEndianBytes

  /// Service 108F, the newest record first: 20 for entry or A0 for exit, 0, station, 2 bytes, date, time
  /// in BCD, fare (least significant byte first).
  private static let gateLog: [[UInt8]] = [
    gateRecord(isEntry: false, at: home, hour: 0x18, minute: 0x52, fare: fare),
    gateRecord(isEntry: true, at: work, hour: 0x18, minute: 0x21, fare: 0),
    gateRecord(isEntry: false, at: work, hour: 0x08, minute: 0x47, fare: fare),
  ]

  private static func gateRecord(
    isEntry: Bool, at station: Station, hour: UInt8, minute: UInt8, fare: Int
  ) -> [UInt8] {
    [isEntry ? 0x20 : 0xA0, 0x00, station.line, station.order, 0x00, 0x00] + date(day: 10)
      + [hour, minute] + UInt16(fare).littleEndianBytes + [0, 0, 0, 0]
  }

  /// Service 10CB: the place of the last entry.
  private static let lastEntry: [[UInt8]] = [
    [work.line, work.order] + [UInt8](repeating: 0, count: blockSize - 2),
    [UInt8](repeating: 0, count: blockSize),
  ]
}

extension VirtualTag {
  /// Returns a Suica-like FeliCa Standard card with 20 records of history.
  public static func suica(
    idm: [UInt8] = [0x01, 0x01, 0x06, 0x12, 0xB4, 0x1C, 0x7D, 0x2A]
  ) -> VirtualTag {
    VirtualTag(FeliCaStandard.suica(idm: idm))
  }
}

extension FeliCaStandard {
  /// Returns a Suica-like card.
  package static func suica(idm: [UInt8]) -> FeliCaStandard {
    FeliCaStandard(name: "suica", idm: idm, pmm: Suica.pmm, systems: Suica.systems)
  }
}
