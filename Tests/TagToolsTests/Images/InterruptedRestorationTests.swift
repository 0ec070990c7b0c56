import NFC
import TagImages
import Testing
import VirtualNFC

@testable import TagTools

/// Tests of restorations, interrupted at every exchange.
@Suite struct InterruptedRestorationTests {
  /// A tag on a reader in this process.
  private struct Bench {
    let tag: VirtualTag
    let direct = DirectReader(VirtualField())
    let reader: Reader

    init(_ tag: VirtualTag) async throws {
      self.tag = tag
      direct.field.place(tag)
      reader = try await direct.open()
    }

    /// Returns the tag after it was found again, without faults.
    func found() async throws -> DetectedTag {
      direct.setFaults([])
      direct.field.place(tag)
      let found = try await reader.firstTag(within: .seconds(10))
      try await found.connect()
      return found
    }

    func image() async throws -> TagImage {
      try await #require(MemoryTag(found())).read(
        TagKeys(), password: nil, .everything
      ).image
    }

    /// - Parameter moment: the exchange at which the tag leaves, counted from the reading of the tag, which
    ///   changes nothing.
    /// - Returns: whether all data was written before the tag left.
    func restore(_ image: TagImage, leavingAt moment: Int?) async throws -> Bool {
      let memory = try await #require(MemoryTag(found()))
      let (restoration, _) = try await memory.restoration(of: image)
      direct.setFaults(moment.map { [Fault(.tagLeaves, at: .exchange($0))] } ?? [])
      do {
        _ = try await restoration.run()
        return true
      } catch let error as NFCError where error.group == .connection {
        return false
      }
    }
  }

  private static let mostMoments = 300

  /// Afterwards, the tag has its previous message, no message, or the message of the image.
  @Test(
    arguments: [
      "type4", "desfire", "type3", "felica-lite", "icode-slix2", "st25dv", "topaz96",
      "topaz512", "ntag213",
      "ultralight", "classic-1k", "classic-4k",
    ]) func restoresOrLeavesAMessage(
      _ name: String
    ) async throws
  {
    let bench = try await Bench(try VirtualTag.named(name))
    let (first, second) = (
      NDEFMessage(.text("the first message")), NDEFMessage(.text("the second, which is longer"))
    )
    try await bench.found().ndef?.writeNDEF(first)
    let wanted = bench.tag.memory
    let image = try await bench.image()
    try await bench.found().ndef?.writeNDEF(second)
    let old = bench.tag.memory
    var seen: Set<[UInt8]> = []
    var moment = 1
    while try await !bench.restore(image, leavingAt: moment) {
      let memory = bench.tag.memory
      if memory != old, memory != wanted, seen.insert(memory).inserted {
        let message = try await bench.found().ndef?.readNDEF()
        #expect(message == nil || message?.records.isEmpty == true || message == first, "\(moment)")
      }
      bench.tag.memory = old
      moment += 1
      try #require(moment < Self.mostMoments)
    }
    #expect(!seen.isEmpty)
    #expect(bench.tag.memory == wanted)
  }

  /// Returns a DESFire with a linear and a cyclic record file that everybody may read, write and delete.
  private static func card(_ linear: [UInt8], _ cyclic: [UInt8]) throws -> VirtualTag {
    var image = TagImage(.desfire)
    image.uid = [0x04, 1, 2, 3, 4, 5, 6]
    // This is the version of an EV1 of 4 KB. Without it, the card is not recognized as a DESFire.
    image.version =
      [0x04, 0x01, 0x01, 0x01, 0x00, 0x18, 0x05, 0x04, 0x01, 0x01, 0x01, 0x04, 0x18, 0x05]
      + [0x04, 1, 2, 3, 4, 5, 6, 0xBA, 0x54, 0x2A, 0x4A, 0x10, 0x20, 0x12]
    var application = TagImage.DESFire.Application(identifier: [0x56, 0x34, 0x12])
    func file(_ number: UInt8, _ type: UInt8, _ size: Int, _ data: [UInt8]) -> TagImage.DESFire.File
    {
      TagImage.DESFire.File(
        number: number, type: type, communication: 0, accessRights: [0xEE, 0xEE],
        settings: .records(
          size: UInt32(size), maximum: 4, count: UInt32(data.count / size)), data: data)
    }
    application.files = [file(3, 3, 60, linear), file(5, 4, 1, cyclic)]
    var card = TagImage.DESFire()
    card.applications = [application]
    image.desfire = card
    return try .image(image)
  }

  private static func records(_ tag: VirtualTag) -> [[UInt8]?] {
    (tag.image?.desfire?.applications.first?.files ?? []).map(\.data)
  }

  /// The card has its own records or the first ones of the image. The next restoration adds the rest.
  @Test func tornRecordsAreCompleted() async throws {
    // Each record is longer than a frame.
    let wanted = (0..<240).map { UInt8($0) }
    let image = try #require(try Self.card(wanted, [0x0A, 0x0B, 0x0C]).image)
    var moment = 1
    var isWhole = false
    var states: Set<[UInt8]> = []
    while !isWhole {
      let bench = try await Bench(
        try Self.card([UInt8](repeating: 9, count: 120), [0x0A, 0x0B]))
      isWhole = try await bench.restore(image, leavingAt: moment)
      let records = try #require(Self.records(bench.tag)[0])
      states.insert(records)
      #expect(
        records.count % 60 == 0
          && (wanted.starts(with: records) || records == [UInt8](repeating: 9, count: 120)),
        "\(moment)")
      #expect(try await bench.restore(image, leavingAt: nil), "\(moment)")
      #expect(Self.records(bench.tag) == [wanted, [0x0A, 0x0B, 0x0C]], "\(moment)")
      await bench.reader.close()
      moment += 1
      try #require(moment < Self.mostMoments)
    }
    // The states are the card's own records, no records, and each number of the image's records.
    #expect(states.count == 6)
  }

  /// Tests the transactions of a real card, with the virtual DESFire with keys. Its record file is open to
  /// everybody.
  @Test func recordsOfACardWithKeys() async throws {
    let bench = try await Bench(try VirtualTag.named("blank-desfire"))
    guard case .miFare(let card) = try await bench.found() else { throw NFCError(.wrongTag, "") }
    func send(_ bytes: [UInt8]) async throws {
      let answer = try await card.sendMiFareCommand(bytes)
      try #require(answer.first == 0x00)
    }
    // CreateApplication and CreateLinearRecordFile, which the card's settings permit for everybody.
    try await send([0xCA, 0x56, 0x34, 0x12, 0x0F, 0x01])
    try await send([0x5A, 0x56, 0x34, 0x12])
    try await send([0xC1, 0x03, 0x00, 0xEE, 0xEE, 60, 0, 0, 4, 0, 0])
    let wanted = (0..<180).map { UInt8($0) }
    var image = try #require(bench.tag.image)
    image.desfire?.applications[0].files?[0].data = wanted
    for old in [[], Array(wanted.prefix(60)), [UInt8](repeating: 7, count: 240)] {
      var before = image
      before.desfire?.applications[0].files?[0].data = old
      #expect(try await bench.restore(before, leavingAt: nil))
      #expect(Self.records(bench.tag) == [old])
      #expect(try await bench.restore(image, leavingAt: nil))
      #expect(Self.records(bench.tag) == [wanted])
    }
  }
}
