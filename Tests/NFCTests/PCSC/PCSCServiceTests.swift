import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

extension PCSCService {
  /// A tag that is connected and will not answer its next command, and its reader.
  fileprivate func silentTag() async throws -> (tag: any ISO15693Tag, reader: Reader) {
    let bench = try await bench()
    let tag = try await bench.tag()
    virtual.setFaults([.init(.readerWaits, at: 0)])
    return (tag, bench.reader)
  }
}

/// The driver and a PC/SC daemon that stops, starts, and has a card that is silent.
///
/// Each test runs in a process of its own: pcsc-lite finds its daemon by the process's environment. One
/// at a time: Swift Testing holds a thread of Swift's pool for each that runs.
@Suite(.serialized) struct PCSCServiceTests {
  private typealias Service = PCSCService

  private static let readFirstBlock: [UInt8] = [0x02, 0x20, 0x00]

  @Test func comesBackWithItsService() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service(.icodeSLIX2())
      let reader = try await service.open()
      let tag = try await reader.awaitedTag()
      try await tag.connect()

      service.daemon.stop()
      let error = await #expect(throws: NFCError.self) {
        _ = try await reader.tagsInField()
      }
      #expect(error?.code == .readerLost)
      #expect(error?.description.contains("PC/SC service") == true)
      let again = await #expect(throws: NFCError.self) { _ = try await reader.tagsInField() }
      #expect(again?.code == .readerLost)
      let opening = await #expect(throws: NFCError.self) { _ = try await Reader.open("pcsc:") }
      #expect(opening?.code == .readerUnavailable)

      try service.daemon.start()
      #expect(try await reader.awaitedTag().identifier == tag.identifier)
      // The tag was found before: it is lost, its reader is not.
      let lost = await #expect(throws: NFCError.self) { try await tag.connect() }
      #expect(lost?.code == .tagConnectionLost)
      let opened = try await Reader.open("pcsc:")
      await reader.close()
      #expect(try await opened.awaitedTag().identifier == tag.identifier)
      service.client.close()
    }
  }

  @Test func endsAPollWhoseServiceStops() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service()
      let reader = try await Reader.open("pcsc:")
      let polling = Task { for try await _ in reader.tags() {} }
      try await Task.sleep(for: .milliseconds(300))
      service.daemon.stop()
      let error = await #expect(throws: NFCError.self) {
        try await within(.seconds(5)) { try await polling.value }
      }
      #expect(error?.code == .readerLost)
      try service.daemon.start()
      service.field.place(.icodeSLIX2())
      #expect(try await reader.awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  /// pcsc-lite frees its list of contexts when the process ends. Unless calls are kept out, a thread that is in
  /// one ends the process with SIGSEGV.
  @Test func canBeInUseWhenTheProcessEnds() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual reader")
    let environment = daemon.environment
    for _ in 0..<12 {
      await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
        limitThisProcess()
        for (name, value) in environment { setenv(name, value, 1) }
        #expect(try PCSCLite().readers().count == 2)
        for _ in 0..<4 {
          Thread.detachNewThread {
            while true {
              let service = try? PCSCLite()
              for _ in 0..<100 { _ = try? service?.readers() }
            }
          }
        }
        try await Task.sleep(for: .milliseconds(200))
      }
    }
    daemon.stop()
  }

  /// While the daemon was stopped and started nothing was asked: nothing is lost but the
  /// connection.
  @Test func doesNotMissAnIdleReadersService() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service(.icodeSLIX2())
      let reader = try await service.open()
      service.daemon.stop()
      try service.daemon.start()
      #expect(try await reader.awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  @Test func isCancelledAtOnce() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service()
      let reader = try await Reader.open("pcsc:")
      let polling = Task { for try await _ in reader.tags() {} }
      try await Task.sleep(for: .milliseconds(200))
      let start = ContinuousClock.now
      polling.cancel()
      await #expect(throws: CancellationError.self) { try await polling.value }
      #expect(ContinuousClock.now - start < .seconds(2))
      service.field.place(.icodeSLIX2())
      #expect(try await reader.awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  /// vpcd waits for a card without end, and SCardTransmit with it.
  @Test func abandonsACardThatIsSilent() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let chip = VirtualTag.icodeSLIX2()
      let service = try Service(chip)
      let (tag, reader) = try await service.silentTag()
      let start = ContinuousClock.now
      let error = await #expect(throws: NFCError.self) {
        try await tag.transceive(Self.readFirstBlock, timeout: .milliseconds(100))
      }
      #expect(error?.code == .tagConnectionLost)
      #expect(ContinuousClock.now - start < .seconds(7))
      // The daemon still waits for it: it is in use, for anybody, until it has gone.
      let held = await #expect(throws: NFCError.self) { _ = try await reader.tagsInField() }
      #expect(held?.isCardInUse == true, "\(String(describing: held))")
      try await service.swap(for: chip)
      let back = try await reader.awaitedTag()
      try await back.connect()
      guard case .iso15693(let tag) = back else { throw NFCError(.wrongTag, "no vicinity tag") }
      #expect(try await tag.readBlocks(0..<1).count == 1)
      service.client.close()
    }
  }

  /// A reader that has stopped answering holds up the daemon, and SCardConnect with it. The driver waits for it once;
  /// after that, it says at once that the card is in use, and makes no further call that would wait as well.
  @Test func abandonsAReaderThatIsStuck() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service(.icodeSLIX2())
      let reader = try await service.open()
      _ = try await reader.awaitedTag()
      await reader.close()
      let program = try PCSCLite()
      try program.connect(to: service.daemon.slots[0].name)
      program.powerOff()
      program.close()

      service.client.setMuteAtPowerOn(true)
      let again = try await Reader.open("pcsc:")
      let start = ContinuousClock.now
      for _ in 0..<10 {
        let error = await #expect(throws: NFCError.self) { _ = try await again.tagsInField() }
        #expect(error?.isCardInUse == true, "\(String(describing: error))")
      }
      #expect(ContinuousClock.now - start < .seconds(9))
      service.client.setMuteAtPowerOn(false)
      #expect(try await again.firstTag(within: .seconds(10)).technology == .iso15693)
      service.client.close()
    }
  }

  @Test func isCancelledWhileACardIsSilent() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let chip = VirtualTag.icodeSLIX2()
      let service = try Service(chip)
      let (tag, reader) = try await service.silentTag()
      let waiting = Task { try await tag.transceive(Self.readFirstBlock, timeout: .seconds(5)) }
      try await Task.sleep(for: .milliseconds(200))
      let start = ContinuousClock.now
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(ContinuousClock.now - start < .seconds(2))
      try await service.swap(for: chip)
      #expect(try await reader.awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  @Test func reportsReadersThatComeAndGo() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let name = "Virtual ACR1552 PICC"
      let service = try Service(name: name)
      let slots = ["pcsc:\(name) 00 00", "pcsc:\(name) 00 01"]
      try await within(.seconds(20)) {
        var changes = Reader.changes().makeAsyncIterator()
        func next() async throws -> Set<String> {
          var texts: Set<String> = []
          for _ in slots {
            switch try await changes.next() {
            case .appeared(let found): texts.insert("+\(found.address)")
            case .disappeared(let found): texts.insert("-\(found.address)")
            case nil: break
            }
          }
          return texts
        }
        #expect(try await next() == Set(slots.map { "+" + $0 }))
        service.daemon.stop()
        #expect(try await next() == Set(slots.map { "-" + $0 }))
        try service.daemon.start()
        #expect(try await next() == Set(slots.map { "+" + $0 }))
      }
      // Nothing changes: the daemon is waited for, not asked again and again.
      let readers = PCSCReaders()
      #expect(readers.list() == slots)
      let idle = ContinuousClock.now
      #expect(readers.wait(atMost: .milliseconds(300)))
      #expect(ContinuousClock.now - idle > .milliseconds(250))

      let waiting = Task { for try await _ in Reader.changes() {} }
      try await Task.sleep(for: .milliseconds(200))
      let start = ContinuousClock.now
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(ContinuousClock.now - start < .seconds(2))
      service.client.close()
    }
  }

  @Test func isOpenedWithoutAName() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      setenv("LIBNFC_AUTO_SCAN", "false", 1)
      unsetenv("NFC_READER")
      let name = "Virtual Identiv uTrust 3720"
      let service = try Service(name: name)
      let slots = ["pcsc:\(name) 00 00", "pcsc:\(name) 00 01"]
      #expect(try await Reader.list().map(\.address.description) == slots)
      #expect(try await Reader.open().connectionString == slots[0])
      service.daemon.stop()
      #expect(try await Reader.list().isEmpty)
      let error = await #expect(throws: NFCError.self) { _ = try await Reader.open() }
      #expect(error?.code == .readerNotFound)
      service.client.close()
    }
  }

  /// Each kind of card, and again after the field was off, which SCardReconnect does.
  @Test func reachesEveryKindOfCard() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let cards: [(tag: VirtualTag, technology: TagTechnology)] = [
        (.type4(), .iso14443a), (.ntag215(), .iso14443a), (.classic1K(), .iso14443a),
        (.feliCaLiteS(), .feliCa), (.type4B(), .iso14443b),
      ]
      let message = NDEFMessage(records: [TextRecord("PC/SC").record])
      let service = try Service()
      let reader = try await Reader.open("pcsc:")
      for card in cards {
        try await service.swap(for: card.tag)
        let first = try await reader.awaitedTag()
        #expect(first.technology == card.technology)
        try await first.connect()
        try await first.ndef?.writeNDEF(message, verify: true)
        let second = try await reader.awaitedTag()
        #expect(second.identifier == card.tag.identifier)
        try await second.connect()
        #expect(try await second.ndef?.readNDEF() == message, "\(card.tag.name)")
      }
      service.client.close()
    }
  }

  // MARK: ISO/IEC 15693

  /// The procedures of a group side by side, each on a reader of its own.
  @Test(arguments: VicinityProcedure.groups.map(\.name))
  func runsProcedures(_ group: String) async throws {
    await #expect(processExitsWith: .success) { [group = group as String] in
      limitThisProcess()
      let group = try #require(VicinityProcedure.groups.first { $0.name == group })
      let (daemon, slots) = try PrivatePCSCD.used(for: group.procedures.map(\.dialect))
      // What the procedures are asked by name to make final; the traits of the test stay in its own process.
      let asked: Set<IrreversibleChange.Kind> = [
        .blockLock, .identifierLock, .configurationLock, .counter, .destruction,
      ]
      await PermittedChanges.$kinds.withValue(asked) {
        await withDiscardingTaskGroup { tasks in
          for (procedure, slot) in zip(group.procedures, slots) {
            tasks.addTask {
              do {
                let service = try PCSCService(
                  procedure.tags(), daemon, slot, dialect: procedure.dialect)
                try await procedure.body(try await service.bench())
                service.client.close()
              } catch {
                // An error that ends the process would not be shown.
                Issue.record(VicinityProcedure.Failure(procedure: procedure.name, error: error))
              }
            }
          }
        }
      }
    }
  }

  /// The second exchange finds a card that is torn from the reader in the middle of the command, and
  /// one that is silent, so that the service waits for it without end.
  @Test func losesACardBetweenTwoExchanges() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let pairs = VicinityPair.allCases
      let (daemon, slots) = try PrivatePCSCD.used(for: pairs.map { _ in .transparentSession })
      try await withThrowingDiscardingTaskGroup { tasks in
        for (pair, slot) in zip(pairs, slots) {
          tasks.addTask {
            let chip = VirtualTag.icodeSLIX2()
            let service = try PCSCService([chip], daemon, slot)
            let bench = try await service.bench()
            let tornOff = try await bench.tag()
            service.client.hangUp(atCommand: 1)
            #expect(try await pair.run(on: tornOff) == .error(.tagConnectionLost))
            let silent = try await bench.tag()
            service.virtual.setFaults([.init(.readerWaits, at: 1)])
            #expect(try await pair.run(on: silent) == .error(.tagConnectionLost))
            // The daemon still waits for it: it is in use until it has gone.
            let held = await #expect(throws: NFCError.self) { try await bench.reader.tagsInField() }
            #expect(held?.isCardInUse == true, "\(String(describing: held))")
            try await service.swap(for: chip)
            #expect(try await pair.run(on: try await bench.tag()) == pair.expected)
            service.client.close()
          }
        }
      }
    }
  }
}
