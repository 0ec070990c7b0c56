import Foundation
import NFC
import SwiftNFCCore
import Synchronization
import Testing
import VirtualNFC

/// Several readers as one.
@Suite struct ReadersTests {
  /// Virtual readers, each with a field of its own.
  private struct Group {
    let fields: [VirtualField]
    let virtual: [VirtualReader]
    let readers: Readers

    init(_ count: Int) async throws {
      fields = (0..<count).map { _ in VirtualField() }
      virtual = try fields.map { try VirtualReader($0) }
      readers = try await Readers.open(virtual.map { ReaderAddress($0.connectionString) })
    }

    func close() async {
      await readers.close()
      for reader in virtual { reader.close() }
    }
  }

  @Test func theFirstTagOfAnyReaderIsTaken() async throws {
    let group = try await Group(3)
    group.fields[1].place(.ntag216())
    let tag = try await within(.seconds(10)) { try await group.readers.firstTag() }
    #expect(try await tag.ndef?.queryNDEFStatus().access == .readWrite)
    await group.close()
  }

  @Test func aTagThatDoesNotFitIsPassedOver() async throws {
    let group = try await Group(2)
    group.fields[0].place(.suica())
    group.fields[1].place(.ntag215())
    let tag = try await within(.seconds(10)) {
      try await group.readers.firstTag { tag in if case .miFare = tag { true } else { false } }
    }
    #expect(tag.technology == .iso14443a)
    await group.close()
  }

  @Test func noTagIsAnError() async throws {
    let group = try await Group(2)
    let error = await #expect(throws: NFCError.self) {
      _ = try await group.readers.firstTag(polling: .iso14443, within: .milliseconds(300))
    }
    #expect(error?.code == .noTag)
    let unsupported = await #expect(throws: NFCError.self) {
      _ = try await group.readers.firstTag(polling: [.iso14443, .iso15693])
    }
    #expect(unsupported?.code == .unsupported)
    await group.close()
  }

  /// One is unplugged and one answers nothing any more: the third finds its tag all the same.
  @Test func deadReadersCostOnlyThemselves() async throws {
    let group = try await Group(3)
    group.virtual[0].close()
    group.virtual[1].setFaults([Fault(.chipFallsSilent, at: .command(0))])
    group.fields[2].place(.ntag216())
    let start = ContinuousClock.now
    let tag = try await within(.seconds(10)) { try await group.readers.firstTag() }
    #expect(ContinuousClock.now - start < .seconds(3))
    #expect(tag.technology == .iso14443a)
    let present = try await within(.seconds(20)) { try await group.readers.tagsInField() }
    #expect(present.map(\.identifier) == [tag.identifier])
    await group.close()
  }

  @Test func whereNoReaderIsLeftTheLossIsReported() async throws {
    let group = try await Group(2)
    for virtual in group.virtual { virtual.close() }
    let error = await #expect(throws: NFCError.self) {
      _ = try await within(.seconds(10)) { try await group.readers.firstTag() }
    }
    #expect(error?.code == .readerLost)
    await #expect(throws: NFCError.self) { _ = try await group.readers.tagsInField() }
    await group.close()
  }

  @Test func tagsOfAllReadersCome() async throws {
    let group = try await Group(2)
    let expected: Set = [
      try place(.ntag216(), group.fields[0]), try place(.suica(), group.fields[1]),
    ]
    let readers = Dictionary(
      uniqueKeysWithValues: zip(group.fields, group.virtual).map {
        ($0.tags.first?.identifier ?? [], $1.connectionString)
      })
    let found = try await within(.seconds(10)) {
      var found: Set<[UInt8]> = []
      for try await tag in group.readers.tags() {
        try await tag.connect()
        #expect(tag.reader.connectionString == readers[tag.identifier])
        found.insert(tag.identifier)
        if found.count == 2 { break }
      }
      return found
    }
    #expect(found == expected)
    await group.close()
  }

  private func place(_ tag: VirtualTag, _ field: VirtualField) throws -> [UInt8] {
    field.place(tag)
    return tag.identifier
  }

  @Test func waitingForAnEventIsCancelled() async throws {
    let group = try await Group(2)
    let task = Task { for try await _ in group.readers.events() {} }
    try await Task.sleep(for: .milliseconds(300))
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - start < .seconds(3))
    // They are ready for the next call.
    group.fields[0].place(.ntag216())
    #expect(try await group.readers.tagsInField().count == 1)
    await group.close()
  }

  /// What the caller throws ends polling, also if it is a reader's error.
  @Test func whatTheCallerThrowsIsThrown() async throws {
    let group = try await Group(1)
    group.fields[0].place(.ntag216())
    let error = await #expect(throws: NFCError.self) {
      try await within(.seconds(10)) {
        try await group.readers.forEachEvent { _ in throw NFCError(.readerLost, "mine") }
      }
    }
    #expect(error?.reason == "mine")
    await group.close()
  }

  /// A reader that is unplugged and comes back is opened again by its name.
  @Test func aReaderThatComesBackPollsOn() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "nfc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let port = directory.appending(path: "ttyUSB0")
    @Sendable func plugIn(_ tag: VirtualTag) throws -> VirtualReader {
      let field = VirtualField()
      field.place(tag)
      let virtual = try VirtualReader(field)
      try FileManager.default.createSymbolicLink(
        atPath: port.path, withDestinationPath: virtual.path)
      return virtual
    }
    let first = try plugIn(.ntag216())
    let readers = try await Readers.open(["pn532_uart:\(port.path)"])
    let log = Mutex<[String]>([])
    let second = Mutex<VirtualReader?>(nil)
    try await within(.seconds(20)) {
      try await readers.forEachEvent { event in
        switch event {
        case .arrived(let tag, _):
          let count = log.withLock { log in
            log.append("arrived \(tag.identifier.hexadecimal)")
            return log.count
          }
          if count > 1 { return false }
          first.close()
          try FileManager.default.removeItem(at: port)
        case .left(let tag, _): log.withLock { $0.append("left \(tag.identifier.hexadecimal)") }
        case .readerLost(let reader, let error):
          #expect(reader.connectionString == "pn532_uart:\(port.path)")
          #expect(error.code == .readerLost)
          log.withLock { $0.append("lost") }
          let virtual = try plugIn(.ntag215())
          second.withLock { $0 = virtual }
        case .readerReturned: log.withLock { $0.append("back") }
        case .readerMissing(let address, _): log.withLock { $0.append("missing \(address)") }
        }
        return true
      }
    }
    let (tag1, tag2) = (VirtualTag.ntag216().identifier, VirtualTag.ntag215().identifier)
    #expect(
      log.withLock { $0 }
        == [
          "arrived \(tag1.hexadecimal)", "left \(tag1.hexadecimal)", "lost", "back",
          "arrived \(tag2.hexadecimal)",
        ])
    #expect(try await readers.first.tagsInField().map(\.identifier) == [tag2])
    await readers.close()
    second.withLock { $0 }?.close()
  }

  // MARK: Readers that are missing at the start

  /// A port at which a reader is plugged in later.
  private final class Port: Sendable {
    private let directory: URL
    let address: ReaderAddress
    private let path: String
    private let reader = Mutex<VirtualReader?>(nil)

    init() throws {
      directory = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      path = directory.appending(path: "ttyUSB0").path
      address = ReaderAddress("pn532_uart:\(path)")
    }

    func plugIn(_ tag: VirtualTag) throws {
      let field = VirtualField()
      field.place(tag)
      let virtual = try VirtualReader(field)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: virtual.path)
      reader.withLock { $0 = virtual }
    }

    deinit {
      reader.withLock { $0 }?.close()
      try? FileManager.default.removeItem(at: directory)
    }
  }

  /// Two readers at a door, one of which is plugged in later: the group begins with the other.
  @Test func aMissingReaderIsWaitedFor() async throws {
    let port = try Port()
    let field = VirtualField()
    field.place(.ntag216())
    let virtual = try VirtualReader(field)
    let addresses = [port.address, ReaderAddress(virtual.connectionString)]
    let refusal = await #expect(throws: NFCError.self) { try await Readers.open(addresses) }
    #expect(refusal?.group == .reader)
    let readers = try await Readers.open(addresses, polling: .iso14443, ifMissing: .wait)
    #expect(readers.missing == [port.address])
    #expect(readers.all.map(\.address) == [addresses[1]])
    let log = Mutex<[String: [String]]>([:])
    @Sendable func note(_ event: String, _ address: ReaderAddress) -> Bool {
      log.withLock { log in
        log["\(address)", default: []].append(event)
        return log.count < 2 || log.values.contains { $0.last != "arrived" }
      }
    }
    try await within(.seconds(20)) {
      try await readers.forEachEvent(polling: .iso14443) { event in
        switch event {
        case .readerMissing(let address, let error):
          #expect(error.group == .reader)
          try port.plugIn(.ntag215())
          return note("missing", address)
        case .readerReturned(let reader): return note("back", reader.address)
        case .arrived(let tag, let reader):
          #expect(tag.reader === reader)
          return note("arrived", reader.address)
        case .left, .readerLost: return note("\(event)", port.address)
        }
      }
    }
    #expect(
      log.withLock { $0 } == [
        "\(port.address)": ["missing", "back", "arrived"], "\(addresses[1])": ["arrived"],
      ])
    #expect(readers.missing.isEmpty)
    #expect(Set(readers.all.map(\.address)) == Set(addresses))
    await readers.close()
    virtual.close()
  }

  /// A missing reader may support what the others do not; if it does not either, that is an error when it comes.
  @Test func aMissingReaderMaySupportMore() async throws {
    let port = try Port()
    let virtual = try VirtualReader(VirtualField())
    let readers = try await Readers.open(
      [ReaderAddress(virtual.connectionString), port.address], polling: .iso15693, ifMissing: .wait)
    let error = await #expect(throws: NFCError.self) {
      try await within(.seconds(20)) {
        try await readers.forEachEvent(polling: .iso15693) { event in
          if case .readerMissing = event { try port.plugIn(.ntag215()) }
          return true
        }
      }
    }
    #expect(error?.code == .unsupported)
    await readers.close()
    virtual.close()
  }

  /// No group without a reader, and no waiting for an address that none can have.
  @Test func whatCannotComeIsNotWaitedFor() async throws {
    let port = try Port()
    let virtual = try VirtualReader(VirtualField())
    let present = ReaderAddress(virtual.connectionString)
    let absent = await #expect(throws: NFCError.self) {
      try await Readers.open([port.address], ifMissing: .wait)
    }
    #expect(absent?.group == .reader)
    let unknown = await #expect(throws: NFCError.self) {
      try await Readers.open([present, ReaderAddress("door:1")], ifMissing: .wait)
    }
    #expect(unknown?.code == .readerNotFound)
    // The other one was closed again.
    await #expect(throws: Never.self) { await (try Reader.open(present)).close() }
    virtual.close()
  }

  /// Cancelling the task ends the wait.
  @Test func waitingForAMissingReaderIsCancelled() async throws {
    let port = try Port()
    let virtual = try VirtualReader(VirtualField())
    let readers = try await Readers.open(
      [port.address, ReaderAddress(virtual.connectionString)], ifMissing: .wait)
    let task = Task { try await readers.forEachEvent(polling: .iso14443) { _ in true } }
    try await Task.sleep(for: .milliseconds(700))
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - start < .seconds(3))
    #expect(readers.missing == [port.address])
    await readers.close()
    virtual.close()
  }

  /// Thirty-two readers, one unplugged and one silent: each of the others finds its tag in time.
  @Test func thirtyTwoReadersDoNotWaitForEachOther() async throws {
    let group = try await Group(32)
    group.virtual[5].close()
    group.virtual[17].setFaults([Fault(.chipFallsSilent, at: .command(0))])
    for field in group.fields { field.place(.ntag216()) }
    let arrived = Mutex<Set<String>>([])
    try await within(.seconds(30)) {
      try await group.readers.forEachEvent(polling: .iso14443) { event in
        guard case .arrived(_, let reader) = event else { return true }
        return arrived.withLock { arrived in
          arrived.insert(reader.connectionString)
          return arrived.count < 30
        }
      }
    }
    #expect(arrived.withLock { $0.count } == 30)
    await group.close()
  }
}
