import Testing

@testable import SwiftNFCCore

@Suite struct FeliCaChipTests {
  /// PMm as cards gave them, or made up around the IC type, and what the chip is.
  @Test(
    arguments: [
      // Dumps and logs of real cards: Suica of 2019, Suica with two systems, a student card, Lite, Lite-S.
      ("100B4B428485D0FF", "FeliCa Standard", nil, nil),
      ("0531434546 82B7FF", "FeliCa Standard", nil, nil),
      ("03324282824 7AAFF", "FeliCa Standard", nil, nil),
      ("00F0000002060300", "FeliCa Lite", 4, 1), ("00F1000000014300", "FeliCa Lite-S", 4, 1),
      // By IC type: nfcpy's and Proxmark3's tables.
      ("0000FFFFFFFFFFFF", "FeliCa Standard", 8, 8), ("0101FFFFFFFFFFFF", "FeliCa Standard", 12, 8),
      ("0108FFFFFFFFFFFF", "FeliCa Standard", 12, 8),
      ("0109FFFFFFFFFFFF", "FeliCa Standard", 12, 8),
      ("010CFFFFFFFFFFFF", "FeliCa Standard", 12, 8),
      ("010DFFFFFFFFFFFF", "FeliCa Standard", 12, 10),
      ("0120FFFFFFFFFFFF", "FeliCa Standard", 12, 10),
      ("0106FFFFFFFFFFFF", "Mobile FeliCa", nil, nil),
      ("0110FFFFFFFFFFFF", "Mobile FeliCa", nil, nil),
      ("0114FFFFFFFFFFFF", "Mobile FeliCa", nil, nil),
      ("0116FFFFFFFFFFFF", "Apple Wallet FeliCa", nil, nil),
      ("0117FFFFFFFFFFFF", "Mobile FeliCa", nil, nil),
      ("011FFFFFFFFFFFFF", "Mobile FeliCa", nil, nil),
      ("0124FFFFFFFFFFFF", "FeliCa Standard", nil, nil),
      ("0143FFFFFFFFFFFF", "FeliCa Standard", nil, nil),
      ("01A2FFFFFFFFFFFF", "FeliCa Standard", nil, nil),
      ("01E0FFFFFFFFFFFF", "FeliCa Plug", nil, nil), ("01E1FFFFFFFFFFFF", "FeliCa Link", nil, nil),
      ("00F2000000014300", "FeliCa Link", 4, 1), ("00FF00FFFFFFFFFF", "FeliCa Link", nil, nil),
      ("FFFFFFFFFFFFFFFF", nil, nil, nil), ("01F8FFFFFFFFFFFF", nil, nil, nil),
      ("00F1", nil, nil, nil),
    ] as [(String, String?, Int?, Int?)])
  func chips(_ pmm: String, name: String?, read: Int?, write: Int?) throws {
    let pmm = try #require([UInt8](hexadecimal: pmm.filter { $0 != " " }))
    let type = FeliCaChip(pmm: pmm)
    #expect(type?.product.name == name)
    #expect(type?.blocksPerRead == read && type?.blocksPerWrite == write)
    let limits = FeliCaBlockLimits(pmm: pmm)
    #expect(limits.read == read ?? 12 && limits.write == write ?? 8)
  }

  /// Only of Lite and Lite-S is it known that no wires can change them.
  @Test(arguments: [
    (0xF0, false), (0xF1, false), (0xF2, true), (0xE0, true), (0xE1, true), (0x20, true),
  ])
  func wires(_ type: UInt8, _ mayBeChanged: Bool) {
    let pmm: [UInt8] = [0, type, 0, 0, 0, 0, 0, 0]
    #expect(FeliCaChip(pmm: pmm)?.mayBeChangedByWire == mayBeChanged)
  }

  /// A = 5, B = 0, E = 2 for reading 12 blocks of a Suica: 302.065 µs × 18 × 16.
  @Test func promises() {
    #expect(FeliCaResponseTime.promise(0x85, 12) == .nanoseconds(302_065 * 18 * 16))
    #expect(FeliCaResponseTime.promise(0x00, 0) == .nanoseconds(302_065))
    #expect(FeliCaResponseTime.promise(0xFF, 15) == .nanoseconds(302_065 * 128 * 64))
    let idm = [UInt8](repeating: 1, count: 8)
    let list = FeliCaBlockList(serviceCodes: [0x090F], blocks: (0..<15).map { FeliCaBlock($0) })
    let read = FeliCaReadWithoutEncryption(idm: idm, list: list).encoded
    let slow: [UInt8] = [0, 1, 0, 0, 0, 0xFF, 0, 0]
    #expect(
      FeliCaResponseTime.timeout(of: read, pmm: slow)
        == .nanoseconds(302_065 * 128 * 64) + .milliseconds(100))
    // Never less than what cards need that promise too little; and any bytes give a time.
    #expect(
      FeliCaResponseTime.timeout(of: read, pmm: [0, 1, 0, 0, 0, 0, 0, 0]) == .milliseconds(500))
    for command: [UInt8] in [[], [6], [6, 1], [8] + idm, [6] + idm + [255], [2]] {
      #expect(FeliCaResponseTime.timeout(of: command, pmm: slow) >= .milliseconds(500))
      #expect(FeliCaResponseTime.timeout(of: command, pmm: []) == .milliseconds(500))
    }
    // Polling ends after its last slot, whatever the card promises.
    for pmm in [slow, []] {
      for command: [UInt8] in [[0], [0, 0xFF, 0xFF, 0, 0]] {
        #expect(FeliCaResponseTime.timeout(of: command, pmm: pmm) == .milliseconds(10))
      }
      #expect(
        FeliCaResponseTime.timeout(of: [0, 0xFF, 0xFF, 0, 15], pmm: pmm)
          == .microseconds(2417 + 17 * 1208))
    }
  }

  @Test func systemsOfACard() {
    let card: [UInt8] = [0x01, 2, 3, 4, 5, 6, 7, 8]
    func answer(_ idm: [UInt8]) -> Bool {
      FeliCaPollingAnswer(idm: idm, pmm: [], requestData: []).isSystem(ofCard: card)
    }
    #expect(answer(card) && answer([0x11, 2, 3, 4, 5, 6, 7, 8]))
    // Another card, whose first byte alone differs in its low half.
    #expect(!answer([0x02, 2, 3, 4, 5, 6, 7, 8]))
    #expect(!answer([0x01, 2, 3, 4, 5, 6, 7, 9]) && !answer([]) && !answer([0x01]))
  }
}
