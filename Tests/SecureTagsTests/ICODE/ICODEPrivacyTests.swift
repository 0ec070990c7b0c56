import NFC
import TestSupport
import Testing

@testable import SecureTags
@testable import VirtualNFC

/// Tests privacy mode and the destruction of ICODE chips.
@Suite(.replayed, .asking(.destruction)) struct ICODEPrivacyTests {
  private static let password = ICODETag.factoryPassword(.privacy)
  private static let wrong = SecretKey([0x99, 0x99, 0x99, 0x99])

  static let chips: [@Sendable () -> VirtualTag] = [
    { .icodeSLIX2() }, { .icodeSLIXL() }, { .icodeSLIXS() },
  ]

  /// A chip that hides is found by no search. Its UID reaches it if the reader sees another tag.
  @Test(arguments: chips.indices) func hiddenAndBack(_ index: Int) async throws {
    let bench = try await VicinityBench(Self.chips[index]())
    let label = try await ICODETag(bench.tag())
    bench.virtual.setFaults([])
    try await label.enablePrivacy(password: Self.password)
    #expect(bench.virtual.statistics.exchanges == 4)
    #expect(bench.placed.chip.isHidden)
    #expect(try await bench.reader.tagsInField().isEmpty)
    // The reader sees no card, so that it begins no session.
    #expect(try await bench.reader.vicinityTag(uid: bench.placed.identifier) == nil)
    let other = VirtualTag.st25tv()
    bench.field.place(other)
    #expect(try await bench.reader.tagsInField().map(\.identifier) == [other.identifier])
    let found = try await bench.reader.vicinityTag(uid: bench.placed.identifier)
    let back = try await ICODETag(try #require(found))
    #expect(
      await failure { try await back.leavePrivacy(password: Self.wrong) }?.code
        == .authenticationFailed)
    #expect(bench.placed.chip.isHidden)
    try await back.wake()
    bench.virtual.setFaults([])
    try await back.leavePrivacy(password: Self.password)
    #expect(bench.virtual.statistics.exchanges == 2)
    #expect(try await bench.reader.tagsInField().count == 2)
    #expect(bench.placed.irreversibleChanges.isEmpty)
  }

  /// A tag that is not in privacy mode stays as it is.
  @Test func leavingWithoutEntering() async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let label = try await ICODETag(bench.tag())
    try await label.leavePrivacy(password: Self.password)
    #expect(try await bench.tag().readBlocks(0..<1).count == 1)
  }

  @Test(arguments: chips.indices) func wrongPasswordsChangeNothing(_ index: Int) async throws {
    let bench = try await VicinityBench(Self.chips[index]())
    let label = try await ICODETag(bench.tag())
    let private1 = await failure { try await label.enablePrivacy(password: Self.wrong) }
    #expect(private1?.code == .authenticationFailed && private1?.recovery == nil)
    try await label.wake()
    let destroyed = await failure { try await label.destroyPermanently(password: Self.wrong) }
    #expect(destroyed?.code == .authenticationFailed && destroyed?.recovery == nil)
    #expect(!bench.placed.chip.isHidden)
    try await label.wake()
    let short = await failure { try await label.destroyPermanently(password: SecretKey([1])) }
    #expect(short?.code == .invalidParameter)
  }

  @Test(arguments: chips.indices) func destruction(_ index: Int) async throws {
    let bench = try await VicinityBench(Self.chips[index]())
    let label = try await ICODETag(bench.tag())
    bench.placed.allowedChanges = [.destruction]
    try await label.destroyPermanently(password: ICODETag.factoryPassword(.destroy))
    #expect(bench.placed.irreversibleChanges.map(\.kind) == [.destruction])
    bench.field.place(.st25tv())
    #expect(try await bench.reader.tagsInField().count == 1)
    #expect(try await bench.reader.vicinityTag(uid: bench.placed.identifier) == nil)
  }

  /// Nothing is sent to a chip that has neither.
  @Test(arguments: [VirtualTag.icodeSLIX(), .icodeDNA()])
  func chipsWithout(_ tag: VirtualTag) async throws {
    let bench = try await VicinityBench(tag)
    let label = try await ICODETag(bench.tag())
    bench.virtual.setFaults([])
    for body in [
      label.enablePrivacy(password:), label.leavePrivacy(password:),
      label.destroyPermanently(password:),
    ] {
      #expect(await failure { try await body(Self.password) }?.code == .unsupported)
    }
    #expect(bench.virtual.statistics.exchanges == 0)
  }

  /// Other readers do not reach a tag that no search finds, and say so.
  @Test(
    arguments: [
      VirtualPCSCReader.Dialect.acsPassThrough, .identivPassThrough, .springCard, .omnikey,
      .storageCard,
    ])
  func readersThatFindTagsThemselves(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let field = VirtualField()
    let label = VirtualTag.icodeSLIX2()
    _ = label.withChip(ICODESLIX2.self) { $0.security.isPrivate = true }
    field.place(label)
    field.place(.st25tv())
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    let reader = try await Reader.open(over: { virtual.service() })
    #expect(try await reader.vicinityTag(uid: label.identifier) == nil)
    #expect(label.chip.isHidden)
    await reader.close()
  }

  @Test func readersWithoutISO15693() async throws {
    let field = VirtualField()
    let virtual = VirtualPCSCReader(field, dialect: .directTransmit)
    let reader = try await Reader.open(over: { virtual.service() })
    let uid = [UInt8](repeating: 0xE0, count: 8)
    await #expect(throws: NFCError.self) { _ = try await reader.vicinityTag(uid: uid) }
    await reader.close()
    let other = try await DirectReader(field).open()
    let error = await failure { _ = try await other.vicinityTag(uid: [1, 2]) }
    #expect(error?.code == .invalidParameter)
    await other.close()
  }

  /// The reader in an app's unit tests reaches it, too.
  @Test func throughADirectReader() async throws {
    let field = VirtualField()
    let label = VirtualTag.icodeSLIXL()
    _ = label.withChip(ICODESLIXL.self) { $0.security.isPrivate = true }
    field.place(label)
    let reader = try await DirectReader(field).open()
    #expect(try await reader.tagsInField().isEmpty)
    let found = try await reader.vicinityTag(uid: label.identifier)
    try await ICODETag(try #require(found)).leavePrivacy(password: Self.password)
    #expect(!label.chip.isHidden)
    await reader.close()
  }
}
