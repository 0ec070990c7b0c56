import DriverConformance
import NFC
import NFCDiagnosis
import Testing

/// A driver that is no part of this package: registered, opened by its address, and put through the checks.
@Suite struct OutsideDriverTests {
  @Test(arguments: DriverCheck.all)
  func aDriverFromOutsideConforms(_ check: DriverCheck) async throws {
    let outcome = try await check.run { MemoryBench() }
    if case .notApplicable(let reason) = outcome {
      #expect(reason == "the driver finds all tags at once")
    }
  }

  @Test func aRegisteredDriverIsOpenedByItsAddress() async throws {
    ReaderSources.register(MemorySource())
    let bench = MemoryBench()
    _ = try bench.present(.iso14443a)
    let reader = try await Reader.open(bench.address)
    #expect(reader.address == bench.address)
    let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(2))
    #expect(tag.identifier == [0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06])
    await reader.close()
    #expect(try await Reader.list().contains { $0.address == bench.address })
  }

  /// `nfc doctor` of a program with this driver.
  @Test func aRegisteredDriverReportsItsProblems() async throws {
    ReaderSources.register(MemorySource())
    let bench = MemoryBench()
    let name = bench.address.description
    let present = await ReaderDiagnosis.current().readers.filter { $0.connectionString == name }
    #expect(present.map(\.canBeOpened) == [true])
    let examined = await ReaderDiagnosis.examine(name).readers
    #expect(examined.map(\.wasOpened) == [true])

    bench.reader.state.withLock { $0.isPluggedIn = false }
    for diagnosis in [await ReaderDiagnosis.current(), await ReaderDiagnosis.examine(name)] {
      let reader = try #require(diagnosis.readers.first { $0.connectionString == name })
      #expect(!reader.canBeOpened && !reader.wasOpened)
      #expect(
        reader.findings
          == [ReaderFinding(.notThere, "it was unplugged", advice: "plug it in again")])
    }
    let unknown = await ReaderDiagnosis.examine("memory:none").readers
    #expect(unknown.flatMap(\.findings).map(\.detail) == ["no reader has this number"])
  }

  /// A suite that finds nothing wrong with a faulty driver would be of no use.
  @Test(arguments: FaultyDriver.Fault.allCases)
  func aFaultyDriverIsFound(_ fault: FaultyDriver.Fault) async throws {
    var complaints = 0
    for check in DriverCheck.all {
      do {
        try await check.run { FaultyBench(fault: fault) }
      } catch {
        complaints += 1
      }
    }
    #expect(complaints > 0)
  }
}

/// The driver in memory, with one thing wrong.
final class FaultyDriver: ReaderDriver {
  enum Fault: CaseIterable, Sendable {
    case findsTagsThatAreGone, selectsAnything, answersForTheSilent, acceptsAnyLength
    case keepsAnAbort, hasNoName, listsEverything
  }

  private let inner: MemoryDriver
  private let fault: Fault
  private var last: [Target] = []

  init(_ inner: MemoryDriver, _ fault: Fault) {
    self.inner = inner
    self.fault = fault
  }

  var name: String { fault == .hasNoName ? "" : inner.name }
  var connectionString: String { inner.connectionString }
  var capabilities: ReaderCapabilities { inner.capabilities }
  var canReconnect: Bool { inner.canReconnect }
  var abort: @Sendable () -> Void { inner.abort }
  func begin() { if fault != .keepsAnAbort { inner.begin() } }
  func end() {}
  func resetField() throws { try inner.resetField() }

  func list(_ technology: TagTechnology) throws -> [Target] {
    if fault == .listsEverything, technology != .iso14443a { return [] }
    let found = try inner.list(technology)
    if !found.isEmpty { last = found }
    return fault == .findsTagsThatAreGone ? last : found
  }

  func select(_ target: Target) throws {
    if fault != .selectsAnything { try inner.select(target) }
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    if fault == .acceptsAnyLength, command.count > 64 { return [] }
    do {
      return try inner.exchange(command, framing: framing, timeout: timeout)
    } catch let error as NFCError where fault == .answersForTheSilent {
      if error.code == .readerLost { throw error }
      return [0x00]
    }
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    try inner.authenticate(block: block, keyType: keyType, key: key, uid: uid)
  }

  func close() { inner.close() }
}

struct FaultyBench: DriverBench {
  let fault: FaultyDriver.Fault
  private let inner = MemoryBench()

  init(fault: FaultyDriver.Fault) { self.fault = fault }

  var technologies: [TagTechnology] { inner.technologies }
  var address: ReaderAddress { inner.address }
  func makeDriver() throws -> any ReaderDriver {
    FaultyDriver(MemoryDriver(inner.reader), fault)
  }
  func present(_ technology: TagTechnology) throws -> BenchTag { try inner.present(technology) }
  func removeTags() throws { try inner.removeTags() }
  func cause(_ fault: BenchFault) throws -> Bool { try inner.cause(fault) }
}
