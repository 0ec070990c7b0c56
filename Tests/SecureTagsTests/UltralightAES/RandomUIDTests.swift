import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// A single-size UID that begins with 08 is drawn at each power-on, and identifies nothing (ISO/IEC 14443-3,
/// 6.5.4): a tag keeps its connection when its UID is drawn again, and another tag never gets it.
@Suite(.replayed, .asking(.accessRights)) struct RandomUIDTests {
  enum Kind: Sendable, CaseIterable {
    case libnfc, session, encapsulation, direct

    fileprivate var dialect: VirtualPCSCReader.Dialect? {
      switch self {
      case .libnfc: nil
      case .session: .transparentSession
      case .encapsulation: .springCard
      case .direct: .directTransmit
      }
    }
  }

  private struct Bench {
    let field = VirtualField()
    let reader: Reader
    private var virtual: VirtualReader?

    init(_ kind: Kind, _ tag: VirtualTag) async throws {
      field.place(tag)
      if let dialect = kind.dialect {
        let virtual = VirtualPCSCReader(field, dialect: dialect)
        reader = try await Reader.open(over: { virtual.service() })
      } else {
        let virtual = try VirtualReader(field)
        self.virtual = virtual
        reader = try await Reader.open(virtual.connectionString)
      }
    }

    func found() async throws -> DetectedTag {
      for try await tag in reader.tags(polling: .iso14443a) {
        try await tag.connect()
        return tag
      }
      throw NFCError(.noTag, "polling ended")
    }

    func ultralight() async throws -> any MiFareTag {
      guard case .miFare(let tag) = try await found() else {
        throw NFCError(.wrongTag, "no MIFARE")
      }
      return tag
    }

    func close() async {
      await reader.close()
      virtual?.close()
    }
  }

  private static let zeros = UltralightAESBench.factoryKey

  private static func setHiding(_ hides: Bool, _ tag: UltralightAESTag) async throws {
    let plan = try await tag.protectionPlan(
      UltralightAESProtection(key: nil, firstPage: 8, hidesIdentifier: hides), key: zeros)
    try await tag.perform(plan, accepting: Set(plan.effects))
  }

  @Test(arguments: Kind.allCases) func isSwitchedOnAndOff(_ kind: Kind) async throws {
    let chip = VirtualTag.ultralightAES()
    let bench = try await Bench(kind, chip)
    let before = try await UltralightAESTag(bench.ultralight())
    for hides in [true, false] {
      let tag = hides ? before : try await UltralightAESTag(bench.ultralight())
      try await Self.setHiding(hides, tag)
      // The same connection, and a refusal in between, after which the tag is woken.
      await #expect(throws: NFCError.self) { try await tag.commands.writePage(0x3C, [1, 2, 3, 4]) }
      try await tag.commands.writePage(0x06, [1, 2, 3, hides ? 4 : 5])
      try await tag.authenticate(.identifierRetrieval, Self.zeros)
      // A new connection.
      let found = try await bench.ultralight()
      let again = try await UltralightAESTag(found)
      if hides { #expect(try await again.identifier(Self.zeros) == chip.identifier) }
      try await again.authenticate(.dataProtection, Self.zeros)
      #expect(try await again.commands.readPages(0x06..<0x07) == [1, 2, 3, hides ? 4 : 5])
    }
    await bench.close()
  }

  /// Another tag with a random UID is another tag, also for a program that has a connection to the first.
  @Test(arguments: Kind.allCases) func anotherTagIsNotTheSame(_ kind: Kind) async throws {
    let (first, second) = (
      VirtualTag.ultralightAES(), VirtualTag.ultralightAES(uid: [4, 1, 2, 3, 4, 5, 6])
    )
    for tag in [first, second] { tag.memory[0x29 * 4] = 1 }
    let bench = try await Bench(kind, first)
    let tag = try await UltralightAESTag(bench.ultralight())
    bench.field.remove(first)
    bench.field.place(second)
    let before = second.memory
    // The first command finds that the tag is gone, and the next one searches for it.
    for _ in 0..<3 {
      await #expect(throws: NFCError.self) { try await tag.commands.writePage(0x06, [1, 2, 3, 4]) }
      try? await tag.tag.connect()
    }
    #expect(second.memory == before)
    await bench.close()
  }

  /// A card of ISO/IEC 14443-4 that was interrupted, and is connected again.
  @Test(arguments: Kind.allCases) func aSmartCardIsConnectedAgain(_ kind: Kind) async throws {
    let bench = try await Bench(kind, VirtualTag(DESFire(.ev2)))
    let found = try await bench.found()
    let card = try await DESFireCard(found)
    try await card.root.authenticate(0, .factory(.des))
    try await card.perform(
      try card.configurationPlan([.showsRandomUID]), accepting: [.showsRandomUID])
    for _ in 0..<2 {
      try await found.connect()
      #expect(try await card.version().uid.count == 7)
    }
    let again = try await bench.found()
    _ = try await DESFireCard(again).version()
    await bench.close()
  }
}
