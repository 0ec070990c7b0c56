import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// Cards that have MIFARE Classic sectors beside their applications, through the real libnfc.
@Suite(.replayed) struct SmartMXTests {

  /// Both sides of a card that was just found, none of them connected.
  private static func sides(
    _ bench: Bench
  ) async throws -> (card: any ISO7816Tag, classic: any MiFareTag) {
    guard case .iso7816(let card)? = try await bench.firstTag() else {
      throw NFCError(.wrongTag, "no smart card")
    }
    return (card, try #require(card.miFareClassic))
  }

  @Test(arguments: [("1k", UInt8(0x28), 64), ("4k", UInt8(0x38), 256)])
  func bothSidesAreReached(_ size: String, _ sak: UInt8, _ blocks: Int) async throws {
    let tag = try VirtualTag.named("blank-smartmx-\(size)")
    let bench = try await Bench(tag)
    let (card, side) = try await Self.sides(bench)
    #expect(card.sak == sak)
    #expect(side.family == .classic)
    #expect(side.identifier == card.identifier)
    try await card.connect()
    #expect(try await card.queryNDEFStatus().access == .readWrite)

    try await side.connect()
    let classic = try #require(side.classic)
    #expect(classic.geometry.blockCount == blocks)
    try await classic.authenticate(block: 4, with: .factory, as: .a)
    let data = [UInt8](1...16)
    try await classic.writeBlock(4, data)
    #expect(try await classic.readBlock(4) == data)
    #expect(Array(tag.memory[64..<80]) == data)
    // Only one side is connected at a time.
    let error = await #expect(throws: NFCError.self) {
      try await card.sendCommand(.select(aid: "D2760000850101"))
    }
    #expect(error?.code == .tagNotConnected)

    try await card.connect()
    let answer = try await card.sendCommand(.select(aid: "D2760000850101"))
    #expect(answer.statusWord == 0x9000)
    try await side.connect()
    await #expect(throws: NFCError.self) { _ = try await classic.readBlock(4) }
    try await classic.authenticate(block: 4, with: .factory, as: .a)
    #expect(try await classic.readBlock(4) == data)
  }

  /// A wrong key makes the sectors mute; they are found again without RATS.
  @Test func aWrongKeyIsNotAnEnd() async throws {
    let bench = try await Bench(.smartMX1K(formatted: false))
    let (_, side) = try await Self.sides(bench)
    try await side.connect()
    let classic = try #require(side.classic)
    let error = await #expect(throws: NFCError.self) {
      try await classic.authenticate(block: 4, with: .applicationDirectory, as: .a)
    }
    #expect(error?.code == .authenticationFailed)
    try await classic.authenticate(block: 4, with: .factory, as: .a)
    #expect(try await classic.readBlock(4).count == 16)
  }

  /// The sectors hold a message of their own, beside that of the Type 4 application.
  @Test func theSectorsAreAnNFCTagOfTheirOwn() async throws {
    let tag = VirtualTag.smartMX1K()
    let bench = try await Bench(tag)
    let (card, side) = try await Self.sides(bench)
    try await side.connect()
    try await side.writeNDEF(NDEFMessage(.uri("https://a.be")), verify: true)
    try await card.connect()
    #expect(try await card.readNDEF() == nil)
    try await card.writeNDEF(NDEFMessage(.uri("https://b.de")), verify: true)
    try await side.connect()
    #expect(try await side.readNDEF() == NDEFMessage(.uri("https://a.be")))
    let dump = try await #require(side.classic).dump()
    #expect(dump.bytes.count == 1024)
  }

  @Test func aCardThatHasLeftIsDetected() async throws {
    let tag = VirtualTag.smartMX1K(formatted: false)
    let bench = try await Bench(tag)
    let (_, side) = try await Self.sides(bench)
    try await side.connect()
    bench.field.remove(tag)
    let classic = try #require(side.classic)
    let error = await #expect(throws: NFCError.self) {
      try await classic.authenticate(block: 4, with: .factory, as: .a)
    }
    #expect(error?.code == .tagConnectionLost)
  }

  /// The next search activates applications again, and cards without sectors are what they were.
  @Test func nothingStaysBehind() async throws {
    let bench = try await Bench(.smartMX1K(formatted: false))
    let (_, side) = try await Self.sides(bench)
    try await side.connect()
    bench.field.removeAll()
    bench.field.place(.type4())
    guard case .iso7816(let card)? = try await bench.firstTag() else {
      throw NFCError(.wrongTag, "no smart card")
    }
    #expect(card.miFareClassic == nil)
    try await card.connect()
    #expect(try await card.queryNDEFStatus().access == .readWrite)
  }

  /// The sectors are reached without RATS. If the answers to the command for it are lost, libnfc believes that the chip
  /// still sends RATS, and a search for applications would leave it at that.
  @Test func lostAnswersLeaveNothingBehind() async throws {
    let commands = Mutex<[[UInt8]]>([])
    let bench = try await Bench(.smartMX1K(formatted: false)) { event in
      if case .command(let command) = event { commands.withLock { $0.append(command) } }
    }
    // The first time, the chip is in another state.
    for _ in 0..<2 {
      let (_, side) = try await Self.sides(bench)
      commands.withLock { $0 = [] }
      try await side.connect()
    }
    let withoutRATS = try #require(
      commands.withLock { $0.firstIndex { $0.starts(with: Self.setParametersWithoutRATS) } })
    let (_, again) = try await Self.sides(bench)
    bench.virtual.setFaults(
      (withoutRATS..<withoutRATS + 8).map { Fault(.replyBroken, at: .command($0)) })
    await #expect(throws: NFCError.self) { try await again.connect() }
    bench.virtual.setFaults([])
    bench.field.removeAll()
    bench.field.place(.type4())
    guard case .iso7816(let card)? = try await bench.firstTag() else {
      throw NFCError(.wrongTag, "no smart card")
    }
    try await card.connect()
    #expect(try await card.queryNDEFStatus().access == .readWrite)
  }

  /// SetParameters with fAutomaticATR_RES alone (UM0701-02, 7.2.9).
  private static let setParametersWithoutRATS: [UInt8] = [0x12, 0x04]

  /// Without libnfc, too.
  @Test func theDirectReaderReachesBoth() async throws {
    let field = VirtualField()
    field.place(.smartMX1K())
    ReplayedReaders.begin()
    let reader = try await Reader.open { DirectReader(field).driver() }
    guard case .iso7816(let card) = try await reader.firstTag(within: .seconds(10)) else {
      throw NFCError(.wrongTag, "no smart card")
    }
    let side = try #require(card.miFareClassic)
    try await side.connect()
    #expect(try await side.queryNDEFStatus().capacity == 716)
    try await card.connect()
    #expect(try await card.queryNDEFStatus().capacity == 2046)
  }

  /// A PC/SC reader has already sent RATS, and does not report the SAK: the applications are reached.
  @Test func aPCSCReaderReachesTheApplications() async throws {
    let field = VirtualField()
    field.place(.smartMX1K())
    let virtual = VirtualPCSCReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(over: { virtual.service() })
    guard case .iso7816(let card) = try await reader.awaitedTag() else {
      throw NFCError(.wrongTag, "no smart card")
    }
    #expect(card.miFareClassic == nil)
    try await card.connect()
    #expect(try await card.queryNDEFStatus().access == .readWrite)
  }
}
