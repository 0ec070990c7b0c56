import NFC
import TagImages
import TestSupport
import Testing
import VirtualNFC

@testable import TagTools

/// Tests the exchanges that the image of a DESFire card takes: as few as with commands made for it alone.
@Suite(.replayed) struct DESFireImageTests {
  enum Kind: String, Sendable, CaseIterable {
    case libnfc, pcsc
  }

  /// A card on a virtual reader, and the number of frames to it.
  private struct Bench {
    let reader: Reader
    let tag: DetectedTag
    let exchanges: @Sendable () -> Int
    let close: @Sendable () -> Void

    init(_ kind: Kind, _ virtual: VirtualTag) async throws {
      ReplayedReaders.begin()
      let field = VirtualField()
      field.place(virtual)
      switch kind {
      case .libnfc:
        let virtual = try VirtualReader(field)
        reader = try await Reader.open(virtual.connectionString)
        exchanges = { virtual.statistics.exchanges }
        close = { virtual.close() }
      case .pcsc:
        let virtual = VirtualPCSCReader(field)
        reader = try await Reader.open(over: { virtual.service() })
        exchanges = { virtual.statistics.exchanges }
        close = {}
      }
      tag = try await reader.firstTag(within: .seconds(10))
      try await tag.connect()
    }

    func counting<Result>(_ body: (MemoryTag) async throws -> Result) async throws -> (Result, Int)
    {
      let memory = try #require(MemoryTag(tag))
      let before = exchanges()
      let result = try await body(memory)
      return (result, exchanges() - before)
    }

    func read() async throws -> (MemoryTag.Content, Int) {
      try await counting { try await $0.read(TagKeys(), password: nil) }
    }

    func end() async {
      await reader.close()
      close()
    }
  }

  /// Files of each kind, with free access.
  private static func image(
    version: [UInt8] = [0x01, 0x01], data: [UInt8], backup: [UInt8], value: UInt8,
    records: [UInt8]
  ) -> TagImage {
    var image = TagImage(.desfire)
    image.uid = [0x04, 1, 2, 3, 4, 5, 6]
    // Without an ATS, a card takes frames of 32 bytes.
    image.ats = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]
    image.version =
      [0x04, 0x01, 0x01] + version + [0x18, 0x05, 0x04, 0x01, 0x01] + version + [0x18, 0x05]
      + [0x04, 1, 2, 3, 4, 5, 6, 0xBA, 0x54, 0x2A, 0x4A, 0x10, 0x20, 0x12]
    var application = TagImage.DESFire.Application(identifier: [0x56, 0x34, 0x12])
    application.keySettings = .init(0x0F, 0x02)
    application.keyVersions = [0x05, 0x06]
    func file(
      _ number: UInt8, _ type: UInt8, _ settings: TagImage.DESFire.FileSettings, _ data: [UInt8]
    ) -> TagImage.DESFire.File {
      TagImage.DESFire.File(
        number: number, type: type, communication: 0, accessRights: [0xEE, 0xEE],
        settings: settings, data: data)
    }
    application.files = [
      file(0, 0, .data(size: UInt32(data.count)), data),
      file(1, 1, .data(size: UInt32(backup.count)), backup),
      file(
        2, 2,
        .value(
          lowerLimit: 0, upperLimit: 1000, limitedCredit: 0, isLimitedCreditEnabled: false),
        [value, 0, 0, 0]),
      file(3, 3, .records(size: 2, maximum: 4, count: UInt32(records.count / 2)), records),
    ]
    var card = TagImage.DESFire()
    card.freeMemory = 1024
    card.keySettings = .init(0x0F, 0x01)
    card.keyVersions = [0x07]
    card.applications = [application]
    image.desfire = card
    return image
  }

  private static let original = image(
    data: (0..<200).map { UInt8($0) }, backup: [1, 2, 3, 4], value: 100,
    records: [1, 2, 3, 4, 5, 6])

  /// A file that only additional access rights open is read, and its image has them.
  @Test(arguments: Kind.allCases) func additionalAccessRights(_ kind: Kind) async throws {
    var image = Self.original
    image.desfire?.applications[0].files?[0].accessRights = [0x00, 0x00]
    image.desfire?.applications[0].files?[0].additionalAccessRights = [0x1F, 0x11, 0xFF, 0xEF]
    let bench = try await Bench(kind, try .image(image))
    let (content, _) = try await bench.read()
    #expect(content.image.desfire?.applications == image.desfire?.applications)
    await bench.end()
  }

  @Test(arguments: Kind.allCases) func reads(_ kind: Kind) async throws {
    // An EV2 sends the data in one answer, which a PN532 receives in four blocks.
    let whole = kind == .libnfc ? 4 : 1
    for (version, frames) in [([0x01, 0x01] as [UInt8], 4), ([0x12, 0x00], whole)] {
      var image = Self.original
      image.version?.replaceSubrange(3..<5, with: version)
      image.version?.replaceSubrange(10..<12, with: version)
      let bench = try await Bench(kind, try .image(image))
      let (content, exchanges) = try await bench.read()
      #expect(content.missing == nil)
      #expect(content.image.desfire == image.desfire)
      #expect(content.image.version == image.version)
      // The version; free memory; the card, its keys and its applications; the application, its keys and
      // files; the settings of four files, their content; the card again.
      #expect(exchanges == 3 + 1 + 4 + 5 + 4 + frames + 3 + 1)
      await bench.end()
    }
  }

  /// A card with keys gives the same image as without a reader.
  @Test(arguments: Kind.allCases, [DESFireModel.ev1, .ev2, .ev3])
  func readsACardWithKeys(_ kind: Kind, _ model: DESFireModel) async throws {
    let virtual = VirtualTag.desfire(model)
    let bench = try await Bench(kind, virtual)
    let (content, exchanges) = try await bench.read()
    #expect(content.missing == nil)
    #expect(content.image.desfire == virtual.image?.desfire)
    #expect(exchanges <= 86)
    await bench.end()
  }

  @Test(arguments: Kind.allCases) func restores(_ kind: Kind) async throws {
    let other = Self.image(
      data: [UInt8](repeating: 0xFF, count: 200), backup: [1, 2, 0, 4], value: 200,
      records: [1, 2, 9, 9])
    let virtual = try VirtualTag.image(other)
    let bench = try await Bench(kind, virtual)
    let now = try await bench.read().0.image
    let (report, exchanges) = try await bench.counting { _ in
      guard case .miFare(let card) = bench.tag else { throw NFCError(.wrongTag, "") }
      return try await DESFireRestoration(card, Self.original, now: now).run()
    }
    #expect(report.allSatisfy { $0.omissions.isEmpty })
    #expect(virtual.image?.desfire?.applications == Self.original.desfire?.applications)
    // For each file, the selection; four frames of data; one and a commit; the debit and a commit; the records
    // are cleared and written, each with a commit.
    #expect(exchanges == 4 + 4 + 2 + 2 + 2 + 3 * 2)
    await bench.end()
  }

  /// The values of a card can be as far apart as two commands are needed for.
  @Test(arguments: Kind.allCases) func restoresAValue(_ kind: Kind) async throws {
    func card(_ value: Int32) -> TagImage {
      var image = Self.original
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      image.desfire?.applications[0].files?[2].settings = .value(
        lowerLimit: UInt32(bitPattern: .min), upperLimit: UInt32(bitPattern: .max),
        limitedCredit: 0, isLimitedCreditEnabled: false)
      image.desfire?.applications[0].files?[2].data = bytes
      return image
    }
    let virtual = try VirtualTag.image(card(-2_000_000_000))
    let bench = try await Bench(kind, virtual)
    let now = try await bench.read().0.image
    guard case .miFare(let tag) = bench.tag else { throw NFCError(.wrongTag, "") }
    let report = try await DESFireRestoration(tag, card(2_000_000_000), now: now).run()
    #expect(report.allSatisfy { $0.omissions.isEmpty })
    #expect(
      virtual.image?.desfire?.applications == card(2_000_000_000).desfire?.applications)
    await bench.end()
  }

  /// A DESFire Light has one application, without a number and keys settings that could be asked for.
  @Test(arguments: Kind.allCases) func readsADESFireLight(_ kind: Kind) async throws {
    let bench = try await Bench(kind, .desfire(.light))
    let (content, _) = try await bench.read()
    let application = try #require(content.image.desfire?.applications.first)
    #expect(application.identifier == [1, 0, 0])
    #expect(application.files?.isEmpty == false)
    #expect(content.missing?.contains("lists its applications") != true)
    await bench.end()
  }
}
