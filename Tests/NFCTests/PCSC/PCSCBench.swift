import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

/// A virtual PC/SC reader with tags before it, opened by the driver.
struct PCSCBench: Sendable {
  let field: VirtualField
  let virtual: VirtualPCSCReader
  let reader: Reader
  private let watch: FieldWatch

  init(field: VirtualField, virtual: VirtualPCSCReader, reader: Reader) {
    self.field = field
    self.virtual = virtual
    self.reader = reader
    watch = FieldWatch(field, #_sourceLocation)
  }
}

extension PCSCBench {
  /// Within the process, without a service.
  init(
    _ tags: VirtualTag..., dialect: VirtualPCSCReader.Dialect = .transparentSession
  ) async throws {
    try await self.init(tags, dialect: dialect)
  }

  init(_ tags: [VirtualTag], dialect: VirtualPCSCReader.Dialect) async throws {
    ReplayedReaders.begin()
    let field = VirtualField()
    for tag in tags { field.place(tag) }
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    self.init(
      field: field, virtual: virtual, reader: try await Reader.open(over: { virtual.service() }))
  }

  /// The first tag, connected. Where a service has to see it come, it is waited for.
  func tag() async throws -> any ISO15693Tag {
    let first = try await reader.awaitedTag()
    try await first.connect()
    guard case .iso15693(let tag) = first else { throw NFCError(.wrongTag, "not a vicinity tag") }
    return tag
  }

  /// The tags in the field, in the order in which they were placed; none is connected.
  func vicinityTags() async throws -> [any ISO15693Tag] {
    let found = try await reader.tagsInField()
    return try field.tags.map { chip in
      let tag = try #require(found.first { $0.identifier == chip.identifier }, "\(chip.name)")
      guard case .iso15693(let tag) = tag else { throw NFCError(.wrongTag, "\(tag)") }
      return tag
    }
  }

  /// Runs `body` with faults, and says how many frames went to tags.
  func counting<Result>(
    _ faults: [VirtualPCSCReader.Fault] = [], _ body: () async throws -> Result
  ) async throws -> (result: Result, exchanges: Int) {
    virtual.setFaults(faults)
    return (try await body(), virtual.statistics.exchanges)
  }
}

extension Reader {
  /// The first tag, within a few looks of a service, which come every 0.4 s. One that is in use is waited for.
  func awaitedTag() async throws -> DetectedTag {
    let attempts = 40
    for _ in 0..<attempts {
      do {
        if let tag = try await tagsInField().first { return tag }
      } catch let error as NFCError where error.isCardInUse {}
      try await Task.sleep(for: .milliseconds(100))
    }
    throw NFCError(.noTag, "the reader shows no tag")
  }
}

/// A service of this process's own, which its driver talks to, with a virtual reader.
///
/// pcsc-lite finds its daemon by the process's environment: there is one a process.
struct PCSCService: Sendable {
  let daemon: PrivatePCSCD
  let field = VirtualField()
  let virtual: VirtualPCSCReader
  let client: VirtualPCSCClient
  private let slot: PrivatePCSCD.Slot

  /// - Parameters:
  ///   - name: of the reader, without the number that the daemon adds.
  ///   - trace: called for every message of the daemon to the virtual reader, and for every answer.
  init(
    _ tags: VirtualTag..., name: String = "Virtual ACR1552 PICC",
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws {
    ReplayedReaders.begin()
    let daemon = try PrivatePCSCD(name: name)
    daemon.use()
    try self.init(tags, daemon, daemon.slots[0], trace: trace)
  }

  /// A reader of a daemon that this process uses already.
  init(
    _ tags: [VirtualTag], _ daemon: PrivatePCSCD, _ slot: PrivatePCSCD.Slot,
    dialect: VirtualPCSCReader.Dialect = .transparentSession,
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws {
    (self.daemon, self.slot) = (daemon, slot)
    for tag in tags { field.place(tag) }
    virtual = VirtualPCSCReader(field, dialect: dialect)
    client = try VirtualPCSCClient(virtual, port: slot.port, trace: trace)
  }

  /// Lets a paused daemon continue, and waits until it answers: on a busy machine, the calls that were abandoned
  /// meanwhile return only after a while, and an opening before that is refused, as it should be.
  func resume() async throws {
    daemon.resume()
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      do {
        let reader = try await Reader.open("pcsc:\(slot.name)")
        return await reader.close()
      } catch let error as NFCError
        where error.code == .readerUnavailable && ContinuousClock.now < deadline
      {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Opens the reader once the daemon has its card.
  func open() async throws -> Reader {
    let reader = try await Reader.open("pcsc:\(slot.name)")
    _ = try await reader.awaitedTag()
    return reader
  }

  func bench() async throws -> PCSCBench {
    PCSCBench(field: field, virtual: virtual, reader: try await open())
  }

  /// Lets another tag come, or the same once more, as the daemon notices it.
  func swap(for tag: VirtualTag) async throws {
    field.removeAll()
    try await Task.sleep(for: .seconds(1))
    field.place(tag)
  }
}

extension PrivatePCSCD {
  /// Has pcsc-lite in this process talk to this daemon, from its first call on.
  fileprivate func use() {
    for (key, value) in environment { setenv(key, value, 1) }
  }

  /// A daemon that this process uses, with a reader for each dialect, which its name shows.
  static func used(for dialects: [VirtualPCSCReader.Dialect]) throws -> (
    daemon: PrivatePCSCD, slots: [Slot]
  ) {
    let names = dialects.map { dialect in
      // The daemon numbers its slots itself.
      VirtualPCSCReader(VirtualField(), dialect: dialect).name.replacing(/\ \d\d\ \d\d$/, with: "")
    }
    // Two slots of a driver have one name.
    var drivers: [String] = []
    var indices: [Int] = []
    for name in Set(names).sorted() {
      let count = names.count { $0 == name }
      drivers += (0..<((count + 1) / 2)).map { "\(name) \($0)" }
    }
    var next: [String: Int] = [:]
    for name in names {
      let number = next[name, default: 0]
      next[name] = number + 1
      let driver = drivers.firstIndex(of: "\(name) \(number / 2)") ?? 0
      indices.append(2 * driver + number % 2)
    }
    let daemon = try PrivatePCSCD(names: drivers)
    daemon.use()
    return (daemon, indices.map { daemon.slots[$0] })
  }
}
