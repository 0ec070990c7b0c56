import SwiftNFCJSONText
import NFC

/// What a person's card says about the person: balance and journeys, where the layout is public and no key is needed. It
/// is read only with `nfc info --personal`.
struct PersonalContent: Sendable {
  /// One entry of a card's history, the newest first.
  struct Entry: Hashable, Sendable {
    /// `fare`, `charge`, `purchase`, `bus`, or `other`.
    var kind: String
    /// In the form of ISO 8601; `nil` if the card has none.
    var date: String?
    /// The codes of line and station. The tables with their names are not free.
    var entry: String?
    var exit: String?
    /// The change of the balance; `nil` if the card does not say it.
    var amount: Int?
    var balance: Int
    var number: Int
  }

  var balance: Int
  /// The code of ISO 4217. Neither currency has a smaller unit.
  var currency: String
  var entries: [Entry]

  /// Reads what there is; `nil` for a card that shows nothing without a key, or whose layout is not public.
  ///
  /// - Throws: the errors of the connection.
  static func read(_ tag: DetectedTag) async throws -> PersonalContent? {
    switch tag {
    case .feliCa(let card): try await readJapaneseTransit(card, tag)
    case .iso7816(let card): try await readKoreanTransit(card, tag)
    default: nil
    }
  }

  // MARK: Output

  var json: JSONValue {
    .members([
      "balance": .integer(balance), "currency": .string(currency),
      "journeys": .array(
        entries.map { entry in
          .members([
            "kind": .string(entry.kind), "date": entry.date.map { .string($0) },
            "entry": entry.entry.map { .string($0) }, "exit": entry.exit.map { .string($0) },
            "amount": entry.amount.map { .integer($0) }, "balance": .integer(entry.balance),
            "number": .integer(entry.number),
          ])
        }),
    ])
  }

  func addRows(to table: inout FactTable) {
    table.add("balance", "\(balance) \(currency)")
    for entry in entries {
      let stations = [entry.entry, entry.exit].compactMap(\.self).joined(separator: " to ")
      let amount = entry.amount.map { $0 > 0 ? "+\($0)" : "\($0)" }
      let words = [
        entry.date, entry.kind, stations.isEmpty ? nil : "station \(stations)", amount,
        "balance \(entry.balance)",
      ]
      table.add("journey", words.compactMap(\.self).joined(separator: ", "))
    }
  }
}

// MARK: Japan

extension PersonalContent {
  /// The system and the history service of Japan's transit cards, such as Suica, PASMO and ICOCA (felicalib, wiki page
  /// "suica"; Metrodroid, wiki page "IC (Japan)").
  private static let japaneseSystem: UInt16 = 0x0003
  private static let history: UInt16 = 0x090F
  private static let historyLength = 20

  private static func readJapaneseTransit(
    _ card: any FeliCaTag, _ tag: DetectedTag
  ) async throws -> PersonalContent? {
    let systems = try await FeliCaCard.systems(of: card)
    guard let system = systems.first(where: { $0.code == japaneseSystem }) else { return nil }
    let blocks = try await TagDetails.answer(tag) {
      try await card.readBlocks(service: history, blocks: 0..<historyLength, system: system)
    }
    return blocks.flatMap(japaneseTransit)
  }

  /// Interprets the blocks of the history, the newest first; `nil` if they have no record.
  static func japaneseTransit(_ blocks: [[UInt8]]) -> PersonalContent? {
    let records = blocks.filter { $0.count == 16 && $0.contains { $0 != 0 } }
    guard let newest = records.first else { return nil }
    let entries = records.indices.map { index in
      let older = index + 1 < records.count ? records[index + 1] : nil
      return japaneseEntry(records[index], before: older)
    }
    return PersonalContent(balance: balance(newest), currency: "JPY", entries: entries)
  }

  /// Bytes 10 and 11, the only ones with the least significant first.
  private static func balance(_ record: [UInt8]) -> Int { Int(record[11]) << 8 | Int(record[10]) }

  /// Byte 1 of a record: the kinds whose meaning the source has.
  private static let purchases: Set<UInt8> = [70, 73, 74, 75, 198, 203]
  private static let buses: Set<UInt8> = [13, 15, 31, 35]

  private static func japaneseEntry(_ record: [UInt8], before older: [UInt8]?) -> Entry {
    func code(_ offset: Int) -> String? {
      let bytes = record[offset..<offset + 2]
      return bytes.contains { $0 != 0 }
        ? bytes.map { [$0].hexadecimal }.joined(separator: "-") : nil
    }
    var entry = Entry(
      kind: "other", date: japaneseDate(Int(record[4]) << 8 | Int(record[5])),
      amount: older.map { balance(record) - balance($0) }, balance: balance(record),
      number: Int(record[12]) << 16 | Int(record[13]) << 8 | Int(record[14]))
    switch record[1] {
    case 1: (entry.kind, entry.entry, entry.exit) = ("fare", code(6), code(8))
    case 2, 20: (entry.kind, entry.entry) = ("charge", code(6))
    // In place of the stations are the time and the machine, or the stop of a bus.
    case let process where purchases.contains(process): entry.kind = "purchase"
    case let process where buses.contains(process): entry.kind = "bus"
    default: break
    }
    return entry
  }

  /// Returns a date: the year from 2000 in 7 bits, the month in 4, the day in 5.
  private static func japaneseDate(_ value: Int) -> String? {
    let (year, month, day) = (2000 + value >> 9, value >> 5 & 0x0F, value & 0x1F)
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(digits(month))-\(digits(day))"
  }
}

// MARK: Korea

extension PersonalContent {
  private static let purse: ApplicationIdentifier = "D4100000030001"
  /// The balance, four bytes (KS X 6924, as Proxmark3, ksx6924core.c, and Metrodroid send it).
  private static let getBalance = APDU(
    instructionClass: 0x90, instructionCode: 0x4C, p1: 0, p2: 0, data: [], expectedLength: 4)
  /// The file with the transactions, by its short identifier, and the size of its records (Metrodroid).
  private static let (transactions, recordSize): (UInt8, Int) = (4, 46)
  private static let longestHistory: UInt8 = 20

  private static func readKoreanTransit(
    _ card: any ISO7816Tag, _ tag: DetectedTag
  ) async throws -> PersonalContent? {
    func answer(_ command: APDU) async throws -> [UInt8]? {
      let response = try await TagDetails.answer(tag) { try await card.ask(command) }
      return response.flatMap { $0.isSuccess ? $0.data : nil }
    }
    guard try await answer(.select(aid: purse)) != nil,
      let balance = try await answer(getBalance).flatMap(number)
    else { return nil }
    var records: [[UInt8]] = []
    for index in 1...longestHistory {
      let read = APDU(
        instructionClass: 0x00, instructionCode: 0xB2, p1: index, p2: transactions << 3 | 4,
        data: [], expectedLength: recordSize)
      guard let record = try await answer(read) else { break }
      records.append(record)
    }
    return PersonalContent(
      balance: balance, currency: "KRW", entries: records.compactMap(koreanEntry))
  }

  /// Returns the number in four bytes, most significant first; `nil` for any other count.
  private static func number(_ bytes: [UInt8]) -> Int? {
    bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
  }

  /// Interprets a record: 01 for a fare or 02 for a charge, the length, balance, number and amount.
  static func koreanEntry(_ record: [UInt8]) -> Entry? {
    guard record.count >= 14, let balance = number(Array(record[2..<6])),
      let count = number(Array(record[6..<10])), let amount = number(Array(record[10..<14]))
    else { return nil }
    let kinds: [UInt8: (String, Int)] = [0x01: ("fare", -1), 0x02: ("charge", 1)]
    let kind = kinds[record[0]]
    return Entry(
      kind: kind?.0 ?? "other", amount: kind.map { $0.1 * amount }, balance: balance, number: count)
  }
}
