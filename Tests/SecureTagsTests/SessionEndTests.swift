import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// Tests the state of a tag after a session, for the next program.
@Suite(.replayed) struct SessionEndTests {
  /// A wrapped GetCardUID, which requires a session; it is sent without the driver.
  private static let askForUID: [UInt8] = [0x90, 0x51, 0x00, 0x00, 0x00]
  private static let getVersion: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]
  private static let noSession: [UInt8] = [0x91, 0xAE]

  private static func withTag(
    _ tag: VirtualTag, _ body: (DetectedTag) async throws -> Void
  ) async throws {
    let field = VirtualField()
    field.place(tag)
    let virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(virtual.connectionString)
    for try await found in reader.tags(polling: .iso14443) {
      try await found.connect()
      try await body(found)
      break
    }
    await reader.close()
    virtual.close()
  }

  @Test(arguments: [DESFireModel.ev1, .ev2, .ev3]) func ofACard(_ model: DESFireModel) async throws
  {
    let tag = VirtualTag(DESFire(model, formatted: false))
    try await Self.withTag(tag) { found in
      let card = try await DESFireCard(found)
      try await card.root.authenticate(0, .factory(.des))
      #expect(try await card.cardUID() == model.defaultUID)
      #expect(tag.withChip(DESFire.self) { $0.process(Self.askForUID) } != Self.noSession)
      try await card.root.authenticate(0, .factory(.des))
      try await card.endSession()
      #expect(tag.withChip(DESFire.self) { $0.process(Self.askForUID) } == Self.noSession)
      let error = await #expect(throws: NFCError.self) { try await card.cardUID() }
      #expect(error?.code == .notAuthenticated)
      // Nothing is sent without a session, and the card can be used as before.
      try await card.endSession()
      #expect(try await card.applications() == [])
    }
  }

  @Test func ofAnNTAG424() async throws {
    let tag = VirtualTag.ntag424()
    try await Self.withTag(tag) { found in
      let chip = try await NTAG424Tag(found)
      try await chip.authenticate(0, .factory(.aes))
      #expect(try await chip.uid() == tag.identifier)
      // In a session, the chip refuses commands without a MAC, so it cannot be identified.
      #expect(tag.withChip(NTAG424.self) { $0.process(Self.getVersion).suffix(1) } != [0xAF])
      try await chip.authenticate(0, .factory(.aes))
      try await chip.endSession()
      #expect(tag.withChip(NTAG424.self) { $0.process(Self.getVersion).suffix(1) } == [0xAF])
    }
  }
}
