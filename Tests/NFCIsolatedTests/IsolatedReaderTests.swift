import Foundation
import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCIsolated

/// What a program has of a reader whose driver runs in another process.
@Suite struct IsolatedReaderTests {
  @Test func findsATagReadsAndWritesItAndLeavesNothingBehind() async throws {
    let bench = try await IsolatedBench(
      .ntag213(ndef: NDEFMessage(records: [.uri("https://a.example")])))
    let tag = try #require(try await bench.tag().ndef)
    #expect(try await tag.readNDEF()?.records.count == 1)
    let message = NDEFMessage(records: [.uri("https://b.example")])
    try await tag.writeNDEF(message)
    #expect(try await tag.readNDEF() == message)
    #expect(bench.reader.connectionString == "isolated:" + bench.virtual.connectionString)
    let helper = try bench.helper()
    await bench.reader.close()
    #expect(await HelperProcesses.isGone(helper))
    #expect(!bench.field.isPowered)
  }

  @Test func findsEveryTechnologyThatLibnfcFinds() async throws {
    let tags: [VirtualTag] = [
      .ntag213(), .type4(), .type4B(), .suica(), .topaz96(), .classic1K(),
    ]
    for tag in tags {
      let bench = try await IsolatedBench(tag)
      #expect(try await bench.tag().identifier.starts(with: tag.identifier.prefix(4)))
      await bench.reader.close()
    }
  }

  @Test func aCardOfISO14443Part4AnswersLongCommands() async throws {
    let bench = try await IsolatedBench(.type4())
    guard case .iso7816(let card) = try await bench.tag(.iso14443a) else {
      throw NFCError(.wrongTag, "no card")
    }
    #expect(try await card.sendCommand(.select(aid: "D2760000850101")).isSuccess)
    await bench.reader.close()
  }

  @Test func knowsTheSameLimitsAsLibnfcInTheProcess() async throws {
    let bench = try await IsolatedBench(.ntag213())
    let capabilities = bench.reader.capabilities
    let name = bench.reader.name
    let tag = try await bench.miFare()
    let error = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([UInt8](repeating: 0x30, count: 300))
    }
    #expect(error?.code == .commandTooLong)
    await bench.reader.close()
    let direct = try await Reader.open(bench.virtual.connectionString)
    #expect(direct.capabilities == capabilities)
    #expect(direct.name == name)
    await direct.close()
  }

  @Test func aTagThatIsRemovedIsLostAndTheNextOneFound() async throws {
    let bench = try await IsolatedBench(.ntag213())
    let tag = try await bench.miFare()
    bench.field.removeAll()
    let error = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0x00])
    }
    #expect(error?.code == .tagConnectionLost)
    bench.field.place(.ntag215())
    #expect(try await bench.miFare().sendMiFareCommand([0x30, 0x00]).count == 16)
    await bench.reader.close()
  }

  @Test func cancellingStopsTheRadioAndLeavesTheSameHelper() async throws {
    let bench = try await IsolatedBench()
    let helper = try bench.helper()
    for _ in 0..<3 {
      let poll = Task { try await bench.reader.firstTag(polling: .all, within: .seconds(60)) }
      try await Task.sleep(for: .milliseconds(50))
      let start = ContinuousClock.now
      poll.cancel()
      await #expect(throws: CancellationError.self) { _ = try await poll.value }
      #expect(ContinuousClock.now - start < .milliseconds(1500))
    }
    bench.field.place(.ntag213())
    _ = try await bench.miFare()
    #expect(try bench.helper() == helper)
    await bench.reader.close()
  }

  @Test func aCommandWhoseAnswerNeverComesIsCancelled() async throws {
    let bench = try await IsolatedBench(.ntag213())
    let tag = try await bench.miFare()
    bench.virtual.setFaults([Fault(.replyLost, at: .command(0))])
    let command = Task { try await tag.sendMiFareCommand([0x30, 0x00], timeout: .seconds(30)) }
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    command.cancel()
    await #expect(throws: CancellationError.self) { _ = try await command.value }
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(try await bench.miFare().sendMiFareCommand([0x30, 0x00]).count == 16)
    await bench.reader.close()
  }

  @Test func aReaderThatIsDroppedCanBeOpenedAgainAtOnce() async throws {
    let virtual = try VirtualReader(VirtualField())
    for _ in 0..<5 { _ = try await Reader.open("isolated:" + virtual.connectionString) }
  }

  @Test func twoReadersWorkSideBySide() async throws {
    let first = try await IsolatedBench(.ntag213())
    let second = try await IsolatedBench(.ntag215())
    let readers = Readers(first.reader, [second.reader])
    #expect(try await readers.tagsInField().count == 2)
    #expect(try first.helper() != second.helper())
    await readers.close()
  }

  @Test(arguments: [
    "isolated:", "isolated:pcsc:ACR", "isolated:isolated:pn532_uart:/dev/null", "isolated:/dev/x",
  ])
  func anAddressThatLeadsToNoReaderOfLibnfcIsRefused(_ address: String) async {
    let error = await #expect(throws: NFCError.self) { _ = try await Reader.open(address) }
    #expect(error?.code == .readerNotFound)
  }

  @Test func whyAReaderCannotBeOpenedIsAsWithoutIsolation() async throws {
    for address in ["pn532_uart:/dev/nowhere", "pn532_uart:/dev/a:b", "acr122_usb:001"] {
      let direct = await #expect(throws: NFCError.self) { _ = try await Reader.open(address) }
      let isolated = await #expect(throws: NFCError.self) {
        _ = try await Reader.open("isolated:" + address)
      }
      #expect(isolated == direct)
    }
  }

  /// The port has a name of its own: that of a pseudo-terminal is given to the next one as soon as it is closed.
  @Test func aNamedReaderIsThereAsLongAsItsPortIs() async throws {
    let port = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID().uuidString)")
    try FileManager.default.createSymbolicLink(
      at: port, withDestinationURL: URL(filePath: "/dev/null"))
    defer { try? FileManager.default.removeItem(at: port) }
    let address = ReaderAddress("isolated:pn532_uart:\(port.path)")
    let watch = IsolatedSource().watch(naming: [address])
    #expect(watch.readers().map(\.address) == [address])
    try FileManager.default.removeItem(at: port)
    #expect(watch.readers() == [])
  }
}
