import SwiftNFCCore
import Testing

@testable import SecureTags

/// Tests that the driver sends the same bytes to a recorded card as another reader sent to the real one.
@Suite struct EV1RecordingTests {
  private static func key(_ kind: DESFireKey.Kind, _ text: String) throws -> DESFireKey {
    try DESFireKey(kind, bytes: hex(text), version: kind == .aes ? 0x10 : nil)
  }

  /// The keys that each part of the recording changes in both directions.
  struct Part: Sendable {
    let application: UInt32
    let kind: DESFireKey.Kind
    let first: String
    let second: String
  }

  private static let parts = [
    Part(
      application: 0x00_DE16, kind: .des, first: "00102031405060708090A0B0B0A09080",
      second: "10182029303840485058606870788088"),
    Part(
      application: 0x00_DE24, kind: .threeKeyTripleDES,
      first: "00102031405060708090A0B0B0A090807060504030201000",
      second: "101820293038404850586068707880889098A0A8B0B8C0C8"),
    Part(
      application: 0x00_AE16, kind: .aes, first: "00102030405060708090A0B0B0A09080",
      second: "10182028303840485058606870788088"),
  ]

  private static func method(_ kind: DESFireKey.Kind) -> DESFireAuthentication {
    kind == .aes ? .aes : .iso
  }

  @Test func wholeRecording() throws {
    let card = try RecordedCard(
      EV1Recording.exchanges, challenges: EV1Recording.challenges)
    var procedure = card.procedure(.ev1)
    try Self.cardLevel(&procedure)
    for part in Self.parts { try Self.changeKeys(part, &procedure) }
    try Self.fileCommands(&procedure)
    try procedure.select(.card)
    try procedure.authenticate(0, .factory(.des), by: .iso)
    try procedure.format()
    #expect(card.deviations == [])
    #expect(card.remaining == 0)
  }

  private static func cardLevel(_ procedure: inout DESFireProcedure) throws {
    try procedure.select(.card)
    #expect(try procedure.keyVersion(0) == 0)
    try procedure.authenticate(0, .factory(.des), by: .iso)
    let version = try procedure.version()
    #expect(version.uid == (try hex("04063F72633480")))
    #expect(version.hardware.storageSize == 8192)
    #expect(version.productionWeek == 49 && version.productionYear == 2013)
    try procedure.format()
    for (number, count, kind) in [
      (0x00_DE16, 2, DESFireKey.Kind.des), (0x00_DE24, 2, .threeKeyTripleDES),
      (0x00_AE16, 2, .aes), (0xAA_BBCC, 1, .des),
    ] {
      try procedure.createApplication(
        DESFireApplicationDescription(
          try #require(DESFireApplicationIdentifier(UInt32(number))), keyCount: count, kind: kind))
    }
    #expect(
      try procedure.applications().map(\.description) == ["00DE16", "00DE24", "00AE16", "AABBCC"])
    try procedure.deleteApplication(try #require(DESFireApplicationIdentifier(0xAA_BBCC)))
    #expect(try procedure.applications().count == 3)
    try procedure.select(try #require(DESFireApplicationIdentifier(0x00_DE16)))
    try procedure.authenticate(0, .factory(.des), by: .iso)
    var summary = try procedure.keySummary()
    #expect(summary.keyCount == 2 && summary.kind == .des && summary.settings == .factory)
    summary.settings.listsFreely = false
    try procedure.changeKeySettings(summary.settings)
    #expect(try procedure.keySummary().settings.byte == 0x0D)
  }

  private static func changeKeys(_ part: Part, _ procedure: inout DESFireProcedure) throws {
    procedure.state.selection = nil
    try procedure.select(try #require(DESFireApplicationIdentifier(part.application)))
    let factory = DESFireKey.factory(part.kind)
    let first = try key(part.kind, part.first)
    let second = try key(part.kind, part.second)
    let method = method(part.kind)
    try procedure.authenticate(0, factory, by: method)
    try procedure.changeKey(0, from: nil, to: first, isCard: false)
    #expect(procedure.state.session == nil)
    try procedure.authenticate(0, first, by: method)
    try procedure.changeKey(0, from: nil, to: second, isCard: false)
    try procedure.authenticate(0, second, by: method)
    #expect(try procedure.keyVersion(0) == 0x10)
    try procedure.changeKey(0, from: nil, to: factory, isCard: false)
    try procedure.authenticate(0, factory, by: method)
    try procedure.changeKey(1, from: factory, to: first, isCard: false)
    try procedure.changeKey(1, from: first, to: second, isCard: false)
    try procedure.authenticate(1, second, by: method)
  }

  private static func fileCommands(_ procedure: inout DESFireProcedure) throws {
    let rights = DESFireAccessRights(
      read: .key(0), write: .key(0), readWrite: .key(1), change: .key(1))
    try procedure.createFile(
      5,
      DESFireFileSettings(
        communication: .plain, rights: rights, content: .standardData(size: 80)),
      isoIdentifier: nil)
    #expect(try procedure.files() == [5])
    let settings = try procedure.fileSettings(5)
    #expect(settings.size == 80 && settings.communication == .plain)
    let data = (0..<80).map { UInt8($0) }
    for span in [0..<52, 52..<80] {
      _ = try procedure.send(
        DESFireCommand(
          code: .writeData, header: DESFireProcedure.span(5, span.lowerBound, span.count),
          data: Array(data[span]), protection: .data(.plain)))
    }
    var read: [UInt8] = []
    for span in [0..<48, 48..<80] {
      read += try procedure.send(
        DESFireCommand(
          code: .readData, header: DESFireProcedure.span(5, span.lowerBound, span.count),
          protection: .data(.plain), answer: .data(count: span.count)))
    }
    #expect(read == data)
    try procedure.deleteFile(5)
    #expect(try procedure.files() == [])
  }
}
