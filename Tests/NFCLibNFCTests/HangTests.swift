import Foundation
import NFC
import Synchronization
import Testing

@testable import VirtualNFC

extension LibNFCTests {
  /// Whatever a chip does, a call on it ends, and costs nobody else anything.
  @Suite struct HangTests {
    /// How many descriptors lead to a port. Other tests of the process open and close files meanwhile.
    private static func descriptors(of path: String) throws -> Int {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
    }

    private func tag(_ reader: Reader) async throws -> any MiFareTag {
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE tag") }
      return tag
    }

    @Test(arguments: [StubbornChip.Manner.trickling, .silent, .mute])
    func aCancelledCallEndsAndTheReaderIsUsableAgain(_ manner: StubbornChip.Manner) async throws {
      let chip = try StubbornChip()
      let reader = try await Reader.open(chip.connectionString)
      let before = try Self.descriptors(of: chip.path)
      #expect(before > 0)
      for _ in 0..<4 {
        let tag = try await tag(reader)
        chip.behave(manner)
        let command = Task { try await tag.sendMiFareCommand([0x30, 0x00], timeout: .seconds(60)) }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        command.cancel()
        await #expect(throws: (any Error).self) { _ = try await command.value }
        #expect(ContinuousClock.now - start < .seconds(4))
        chip.behave(.properly)
      }
      #expect(try await tag(reader).sendMiFareCommand([0x30, 0x00]).count == 16)
      #expect(try Self.descriptors(of: chip.path) <= before)
      await reader.close()
    }

    @Test func aPortThatTricklesIsAbandonedWhileItIsOpened() async throws {
      let chip = try StubbornChip(manner: .trickling)
      let start = ContinuousClock.now
      let error = await #expect(throws: NFCError.self) {
        _ = try await Reader.open(chip.connectionString)
      }
      #expect(error?.code == .readerUnavailable)
      #expect(ContinuousClock.now - start < .seconds(9))
      // The port is free again.
      chip.behave(.properly)
      try await Task.sleep(for: .milliseconds(300))
      await (try await Reader.open(chip.connectionString)).close()
    }

    /// The chip answers slowly when libnfc closes the port, because a setting was refused.
    @Test func aPortThatTricklesIsAbandonedWhileItIsReleased() async throws {
      let chip = try StubbornChip(manner: .tricklingAfterRefusal)
      let start = ContinuousClock.now
      let error = await #expect(throws: NFCError.self) {
        _ = try await Reader.open(chip.connectionString)
      }
      #expect(error?.code == .readerUnavailable)
      #expect(ContinuousClock.now - start < .seconds(9))
      #expect(chip.now.manner == .tricklingAtLength)
    }

    @Test func silentPortsDelayNoOne() async throws {
      let silent = try (0..<4).map { _ in try StubbornChip(manner: .silent) }
      let good = try StubbornChip()
      let attempts = silent.map { chip in
        Task { try? await Reader.open(chip.connectionString) }
      }
      try await Task.sleep(for: .milliseconds(100))
      let start = ContinuousClock.now
      let reader = try await Reader.open(good.connectionString)
      _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      #expect(ContinuousClock.now - start < .seconds(3))
      for attempt in attempts { #expect(await attempt.value == nil) }
      await reader.close()
    }

    @Test func manyReadersDoNotNoticeADeadAndATricklingOne() async throws {
      let chips = try (0..<32).map { _ in try StubbornChip() }
      let readers = try await withThrowingTaskGroup(of: Reader.self) { group in
        for chip in chips { group.addTask { try await Reader.open(chip.connectionString) } }
        return try await group.reduce(into: [String: Reader]()) { $0[$1.connectionString] = $1 }
      }
      chips[0].behave(.trickling)
      chips[1].behave(.silent)
      let rounds = chips.map { _ in Rounds() }
      let polls = zip(chips, rounds).map { chip, rounds in
        Task { [reader = readers[chip.connectionString]] in
          while !Task.isCancelled {
            _ = try await reader?.firstTag(polling: .iso14443a, within: .seconds(1))
            rounds.add()
          }
        }
      }
      try await Task.sleep(for: .seconds(2))
      for poll in polls { poll.cancel() }
      for poll in polls { _ = await poll.result }
      #expect(rounds.dropFirst(2).allSatisfy { $0.count > 20 }, "\(rounds.map(\.count))")
      for reader in readers.values { await reader.close() }
    }

    private final class Rounds: Sendable {
      private let value = Mutex(0)
      var count: Int { value.withLock { $0 } }
      func add() { value.withLock { $0 += 1 } }
    }

    @Test func aReaderThatIsDroppedCanBeOpenedAgainAtOnce() async throws {
      let chip = try StubbornChip()
      for _ in 0..<20 { _ = try await Reader.open(chip.connectionString) }
    }

    /// Tests beside this one open descriptors too, for a moment: what a reader leaves open is there every time.
    @Test func noProgramInheritsAReader() async throws {
      let chip = try StubbornChip()
      func inheritable() -> Set<Int32> {
        Set((0..<1024).filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 })
      }
      var everyTime: Int?
      for _ in 0..<5 {
        let before = inheritable()
        let reader = try await Reader.open(chip.connectionString)
        everyTime = min(everyTime ?? .max, inheritable().subtracting(before).count)
        await reader.close()
      }
      #expect(everyTime == 0)
    }

    @Test func pollingContinuesWhenAReaderIsUnpluggedAndComesBack() async throws {
      let link = FileManager.default.temporaryDirectory
        .appendingPathComponent("reader-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: link) }
      let field = VirtualField()
      field.place(.ntag213())
      var virtual = try VirtualReader(field)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: virtual.path)
      let reader = try await Reader.open("pn532_uart:\(link)")
      var events = reader.events(
        polling: .iso14443, survivesReaderLoss: true
      ).makeAsyncIterator()
      guard case .arrived(let tag)? = try await events.next() else {
        Issue.record("no arrival")
        return
      }
      virtual.close()
      try FileManager.default.removeItem(atPath: link)
      guard case .left(let gone)? = try await events.next(),
        case .readerLost? = try await events.next()
      else {
        Issue.record("no departure and loss")
        return
      }
      #expect(gone.identifier == tag.identifier)
      let carrier = Rounds()
      virtual = try VirtualReader(field) { event in
        if case .carrier(true) = event { carrier.add() }
      }
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: virtual.path)
      guard case .readerReturned? = try await events.next(),
        case .arrived(.miFare(let back))? = try await events.next()
      else {
        Issue.record("no return and arrival")
        return
      }
      // Opening has switched it on; the first round leaves it.
      #expect(carrier.count == 1)
      try await back.connect()
      #expect(try await back.sendMiFareCommand([0x30, 0x03]).count == 16)
      await reader.close()
    }
  }
}
