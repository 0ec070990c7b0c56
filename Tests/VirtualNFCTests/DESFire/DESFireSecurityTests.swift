import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("MIFARE DESFire authentication and secure messaging")
struct DESFireSecurityTests {
  /// Returns an application with a file of 64 bytes for each communication mode: 1 plain, 2 with MACs, 3
  /// encrypted; key 0 reads and writes, key 1 reads.
  private static func reader(_ kind: DESFireKey.Kind) throws -> DESFireReader {
    var reader = DESFireReader(DESFire(formatted: false))
    #expect(reader.send([0xCA, 1, 0, 0, 0x0F, 0x02 | kind.rawValue]).status == 0)
    #expect(reader.send([0x5A, 1, 0, 0]).status == 0)
    for (number, communication) in zip(UInt8(1)..., [UInt8(0), 1, 3]) {
      #expect(
        reader.send([0xCD, number, communication, 0x00, 0x10, 64, 0, 0]).status == 0)
    }
    return reader
  }

  struct Way: Sendable, CustomTestStringConvertible {
    let code: UInt8
    let kind: DESFireKey.Kind
    var testDescription: String { "\([code].hexadecimal) \(kind)" }
  }

  static let ways = [
    Way(code: 0x0A, kind: .des), Way(code: 0x1A, kind: .des), Way(code: 0x1A, kind: .tripleDES),
    Way(code: 0xAA, kind: .aes),
  ]

  @Test(arguments: ways)
  func dataIsProtected(_ way: Way) throws {
    var reader = try Self.reader(way.kind)
    let data = (0..<64).map { UInt8($0) }
    let communications = [
      DESFireCommunication.plain, .authenticated, .encrypted,
    ]
    for (file, communication) in zip(UInt8(1)..., communications) {
      #expect(reader.send([0xBD, file, 0, 0, 0, 1, 0, 0]).status == 0xAE)
      try reader.authenticate(way.code, 0, .zero(way.kind))
      #expect(reader.write(file, data, communication) == 0)
      let all = reader.read(file, count: 64, communication)
      #expect(all.status == 0 && all.data == data)
      let part = reader.read(file, offset: 5, count: 3, communication)
      #expect(part.status == 0 && part.data == [5, 6, 7])
      // Key 1 may read but not write; the refusal ends the session, unless it is one of the first generation.
      try reader.authenticate(way.code, 1, .zero(way.kind))
      #expect(reader.read(file, count: 64, communication).data == data)
      #expect(reader.write(file, data, communication) == 0xAE)
      if way.code == 0x0A {
        #expect(reader.read(file, count: 64, communication).data == data)
        #expect(reader.send([0x5A, 1, 0, 0]).status == 0)
      }
      #expect(reader.send([0xBD, file, 0, 0, 0, 1, 0, 0]).status == 0xAE)
    }
  }

  @Test(arguments: ways)
  func plainCommandsWorkInASession(_ way: Way) throws {
    var reader = try Self.reader(way.kind)
    try reader.authenticate(way.code, 0, .zero(way.kind))
    #expect(reader.sendPlain([0x6F]).data == [1, 2, 3])
    #expect(reader.sendPlain([0x45]).data == [0x0F, 0x02 | way.kind.rawValue])
    // There are three frames, and the last has the CMAC over all of them.
    #expect(reader.sendPlain([0x60]).data.count == 28)
    #expect(reader.cardUID() == DESFireModel.ev1.defaultUID)
    #expect(reader.sendPlain([0x6F]).data == [1, 2, 3])
    #expect(reader.sendPlain([0xC7]).status == 0x0C)
  }

  @Test(arguments: ways)
  func settingsAreChanged(_ way: Way) throws {
    var reader = try Self.reader(way.kind)
    try reader.authenticate(way.code, 0, .zero(way.kind))
    #expect(reader.sendEncrypted([0x5F, 1], [0x00, 0x00, 0xE0]).status == 0)
    #expect(reader.sendPlain([0xF5, 1]).data == [0, 0, 0x00, 0xE0, 64, 0, 0])
    #expect(reader.sendEncrypted([0x54], [0x09]).status == 0)
    #expect(reader.sendPlain([0x45]).data.first == 0x09)
    #expect(reader.sendEncrypted([0x54], [0x01]).status == 0)
    // The settings are frozen now.
    #expect(reader.sendEncrypted([0x54], [0x0F]).status == 0x9D)
    if way.code == 0x0A { #expect(reader.send([0x5A, 1, 0, 0]).status == 0) }
    // Lists and new files require the master key; free reading does not.
    #expect(reader.send([0x6F]).status == 0xAE)
    #expect(reader.send([0x45]).status == 0xAE)
    #expect(reader.send([0xCD, 4, 0, 0x00, 0x10, 64, 0, 0]).status == 0xAE)
    #expect(reader.send([0xBD, 1, 0, 0, 0, 1, 0, 0]).data == [0])
  }

  @Test(arguments: ways)
  func keysAreChanged(_ way: Way) throws {
    var reader = try Self.reader(way.kind)
    let size = way.kind.keySize
    let isAES = way.kind == .aes
    let version: [UInt8] = isAES ? [0x42] : []
    try reader.authenticate(way.code, 0, .zero(way.kind))
    // Another key: it is combined with the old one (zeros), and followed by an additional check of the
    // new key.
    let other = (0..<size).map { UInt8($0 * 2 + 0x10) }
    let check =
      way.code == 0x0A ? CyclicRedundancyCheck.a(other) : DESFireCipher.checksum(other)
    #expect(reader.sendEncrypted([0xC4, 1], other + version, extraCheck: check).status == 0)
    #expect(reader.sendPlain([0x64, 1]).data == [isAES ? 0x42 : 0])
    // Changing the session's own key ends the session.
    let own = (0..<size).map { UInt8($0 | 1) }
    #expect(reader.sendEncrypted([0xC4, 0], own + version).status == 0)
    #expect(reader.send([0x51]).status == 0xAE)
    try reader.authenticate(way.code, 1, DESFireKey(way.kind, bytes: other))
    // All bits are the number: these are not key 1.
    for number: UInt8 in [5, 0x11, 0x41] {
      try reader.authenticate(way.code, 0, DESFireKey(way.kind, bytes: own))
      #expect(reader.sendEncrypted([0xC4, number], own + version).status == 0x40)
    }
    // The old key is no longer valid.
    let start = reader.send([way.code, 0])
    #expect(start.status == 0xAF)
    let wrong = [UInt8](repeating: 0, count: 2 * start.data.count)
    #expect(reader.card.process([0xAF] + wrong) == [0xAE])
  }

  @Test func brokenProtectionIsRefused() throws {
    for way in Self.ways {
      var reader = try Self.reader(way.kind)
      try reader.authenticate(way.code, 0, .zero(way.kind))
      let header: [UInt8] = [0x3D, 2, 0, 0, 0, 1, 0, 0]
      let macSize = way.code == 0x0A ? 4 : 8
      #expect(
        reader.card.process(header + [UInt8](repeating: 0, count: 1 + macSize)) == [0x1E])
      try reader.authenticate(way.code, 0, .zero(way.kind))
      let blockSize = way.kind == .aes ? 16 : 8
      #expect(
        reader.card.process([0x54] + [UInt8](repeating: 0, count: blockSize)) == [0x1E])
      try reader.authenticate(way.code, 0, .zero(way.kind))
      #expect(reader.card.process([0x54, 0x0F]) == [0x7E])
      try reader.authenticate(way.code, 0, .zero(way.kind))
      #expect(
        reader.card.process(
          [0xC4, 0]
            + [UInt8](
              repeating: 0,
              count: way.kind == .aes
                ? 32 : way.kind == .des && way.code == 0x0A ? 24 : way.kind == .tripleDES ? 32 : 24)
        ) == [0x1E])
    }
  }

  @Test func authenticationIsRefused() throws {
    var card = DESFire(formatted: false)
    card.powerOn()
    #expect(card.process([0x0A]) == [0x7E])
    #expect(card.process([0x0A, 1]) == [0x40])
    #expect(card.process([0xAA, 0]) == [0xAE])
    #expect(card.process([0x0A, 0])[0] == 0xAF)
    #expect(card.process([0xAF, 1, 2, 3]) == [0xAE])
    #expect(card.process([0x0A, 0])[0] == 0xAF)
    #expect(card.process([0x60]) == [0xCA])
    // Two challenges differ; two cards with the same UID draw the same ones.
    let first = card.process([0x0A, 0])
    _ = card.process([0x60])
    #expect(card.process([0x0A, 0]) != first)
  }

  /// Keys 10 to 12 of later generations are those for delegated applications.
  @Test(arguments: [
    (DESFireModel.ev1, [UInt8(0x10), 0x11, 0x91]), (.ev3, [0x0F, 0x13, 0x93]),
  ])
  func aCardHasOneKey(_ model: DESFireModel, _ numbers: [UInt8]) throws {
    var reader = DESFireReader(DESFire(model))
    for number in numbers {
      try reader.authenticate(0x0A, 0, .zero(.des))
      #expect(
        reader.sendEncrypted([0xC4, number], [UInt8](repeating: 1, count: 16)).status == 0x40)
    }
  }

  /// The values of key sets follow the third byte of key settings only if its bit 0 says so (NXP's reader library;
  /// liblogicalaccess).
  @Test(
    arguments: [
      ([0x00], UInt8(0x00)), ([0x02], 0x00), ([0x06], 0x00),
      ([0x01, 0x00, 0x02, 0x10, 0x00], 0x00),
      ([0x01], 0x7E), ([0x08], 0x9E), ([0x00, 0x02, 0x10], 0x00),
    ] as [([UInt8], UInt8)])
  func thirdKeySettings(_ settings: [UInt8], _ status: UInt8) throws {
    var reader = DESFireReader(DESFire(.ev3, formatted: false))
    try reader.authenticate(0x0A, 0, .zero(.des))
    let named: UInt8 = settings == [0x00, 0x02, 0x10] ? 0x20 : 0x00
    #expect(reader.send([0xCA, 1, 0, 0, 0x0F, 0x92 | named] + settings).status == status)
  }

  @Test(arguments: [(DESFireModel.ev1, false), (.ev3, true)])
  func memoryOfWhatIsDeleted(_ model: DESFireModel, isReleased: Bool) throws {
    var reader = DESFireReader(DESFire(model))
    try reader.authenticate(0x0A, 0, .zero(.des))
    #expect(reader.send([0xFC]).status == 0)
    let empty = reader.send([0x6E]).data
    #expect(reader.send([0xCA, 1, 0, 0, 0x0F, 1]).status == 0)
    #expect(reader.send([0x5A, 1, 0, 0]).status == 0)
    #expect(reader.send([0xCD, 1, 0, 0xEE, 0xEE, 0, 4, 0]).status == 0)
    let full = reader.send([0x6E]).data
    #expect(full != empty)
    #expect(reader.send([0xDF, 1]).status == 0)
    #expect((reader.send([0x6E]).data == full) == !isReleased)
    #expect(reader.send([0x5A, 0, 0, 0]).status == 0)
    try reader.authenticate(0x0A, 0, .zero(.des))
    #expect(reader.send([0xDA, 1, 0, 0]).status == 0)
    #expect(reader.send([0x6E]).data == (isReleased ? empty : full))
    #expect(reader.send([0xFC]).status == 0)
    #expect(reader.send([0x6E]).data == empty)
  }

  /// The commands that libfreefare's `mifare-desfire-format` and `mifare-desfire-create-ndef` send to an
  /// EV1.
  @Test func formattedByAReader() throws {
    var reader = DESFireReader(DESFire())
    try reader.authenticate(0x0A, 0, .zero(.des))
    #expect(reader.sendEncrypted([0x54], [0x0F]).status == 0)
    #expect(reader.send([0xFC]).status == 0)
    #expect(reader.send([0x6A]).data.isEmpty)
    #expect(reader.send([0x6E]).data == [0x00, 0x13, 0x00])
    #expect(reader.card.memory.isEmpty)

    #expect(reader.send([0x5A, 0, 0, 0]).status == 0)
    try reader.authenticate(0x0A, 0, .zero(.des))
    let name: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
    #expect(reader.send([0xCA, 1, 0, 0, 0x0F, 0x21, 0x10, 0xE1] + name).status == 0)
    #expect(reader.send([0x5A, 1, 0, 0]).status == 0)
    try reader.authenticate(0x0A, 0, .zero(.des))
    #expect(reader.send([0xCD, 1, 0x03, 0xE1, 0, 0x00, 0xE0, 15, 0, 0]).status == 0)
    let container: [UInt8] = [
      0x00, 0x0F, 0x20, 0x00, 0x3B, 0x00, 0x34, 0x04, 0x06, 0xE1, 0x04, 0x10, 0x00, 0x00, 0x00,
    ]
    #expect(reader.send([0x3D, 1, 0, 0, 0, 15, 0, 0] + container).status == 0)
    #expect(reader.send([0xCD, 2, 0x04, 0xE1, 0, 0xE0, 0xEE, 0x00, 0x10, 0]).status == 0)
    // The result is the same as a card that is created formatted.
    #expect(reader.card.memory == DESFire().memory)
    #expect(reader.card.process([0x00, 0xA4, 0x04, 0x0C, 7] + name) == [0x90, 0x00])
    #expect(reader.card.process([0x00, 0xA4, 0x00, 0x0C, 2, 0xE1, 0x04]) == [0x90, 0x00])
  }
}
