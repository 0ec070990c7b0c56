import NFC
import Synchronization
import Testing
import VirtualNFC

/// What happens between host and chip beyond lost and broken frames: acknowledgements, single bytes, a supply
/// that fails, noise that comes back. Whatever it is, nobody gets another message than the tag's, and the
/// reader is of use again afterwards.
@Suite struct LineFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let effect: Fault.Effect

    init(_ testDescription: String, _ effect: Fault.Effect) {
      self.testDescription = testDescription
      self.effect = effect
    }
  }

  static let cases = [
    Case("ACK lost", .acknowledgeLost),
    Case("ACK doubled", .acknowledgeDoubled),
    Case("ACK a little late", .acknowledgeLate(.milliseconds(40))),
    Case("ACK when the host has given up", .acknowledgeLate(.milliseconds(900))),
    Case("answer before the next ACK", .replyHeld),
    Case("preamble lost", .replyByteLost(0)),
    Case("start code cut", .replyByteLost(2)),
    Case("length lost", .replyByteLost(3)),
    Case("direction lost", .replyByteLost(5)),
    Case("response code lost", .replyByteLost(6)),
    Case("data byte lost", .replyByteLost(7)),
    Case("zero before the frame", .replyByteAdded(0x00, 0)),
    Case("FF before the frame", .replyByteAdded(0xFF, 0)),
    Case("byte in the start code", .replyByteAdded(0x55, 2)),
    Case("byte in the data", .replyByteAdded(0x55, 7)),
    Case("brown-out", .supplyFails),
  ]

  static let noises = [
    Fault(.replyBroken, at: .everyCommand(11)), Fault(.replyLost, at: .everyCommand(19)),
    Fault(.acknowledgeLost, at: .everyCommand(17)), Fault(.answerBroken, at: .everyExchange(11)),
    Fault(.answerParityBroken, at: .everyExchange(9)), Fault(.frameLost, at: .everyExchange(13)),
  ]

  private static let text = String(repeating: "a message that takes several commands ", count: 8)

  private static func message() -> NDEFMessage {
    NDEFMessage(.text(text, language: "en"))
  }

  /// Finds the tag, with a reader that is opened again if it was lost.
  private func find(_ bench: Bench, _ reader: Reader?) async throws -> (Reader, DetectedTag) {
    if let reader {
      do {
        let tag = try await reader.firstTag(polling: .iso14443, within: .seconds(5))
        return (reader, tag)
      } catch is NFCError {
        await reader.close()
      }
    }
    let reader = try await Reader.open(bench.virtual.connectionString)
    return (reader, try await reader.firstTag(polling: .iso14443, within: .seconds(5)))
  }

  /// At commands of finding a tag and reading its message.
  @Test(arguments: cases) func reading(_ item: Case) async throws {
    let message = Self.message()
    let tag = VirtualTag.ntag216()
    let bench = try await Bench(tag)
    var (reader, found) = try await find(bench, bench.reader)
    try await found.ndef?.writeNDEF(message)
    let image = tag.memory
    let (_, commands, _) = try await bench.counting {
      let (_, found) = try await find(bench, reader)
      _ = try await found.ndef?.readNDEF()
    }
    #expect(commands > 4)
    // Each case at other commands than the one before it, or the suite would take minutes.
    let first = Self.cases.firstIndex { $0.testDescription == item.testDescription } ?? 0
    for index in stride(from: first % 5, to: commands, by: 5) {
      bench.virtual.setFaults([Fault(item.effect, at: .command(index))])
      let open = reader
      do {
        let read = try await within(.seconds(15)) {
          let tag = try await open.firstTag(polling: .iso14443, within: .seconds(5))
          return try await tag.ndef?.readNDEF()
        }
        #expect(read == message, "\(item.testDescription) at \(index)")
      } catch let error as NFCError {
        #expect(error.code != .invalidParameter, "\(item.testDescription) at \(index): \(error)")
      }
      bench.virtual.setFaults([])
      (reader, found) = try await find(bench, reader)
      #expect(try await found.ndef?.readNDEF() == message, "after \(index)")
      #expect(tag.memory == image, "\(item.testDescription) at \(index)")
    }
    await reader.close()
  }

  /// At some commands of writing: the old message, none or the new one, and it can be written again.
  @Test(arguments: cases) func writing(_ item: Case) async throws {
    let (old, new) = (NDEFMessage(.uri("https://example.org")), Self.message())
    let tag = VirtualTag.ntag216()
    let bench = try await Bench(tag)
    var (reader, found) = try await find(bench, bench.reader)
    let (_, commands, _) = try await bench.counting { try await found.ndef?.writeNDEF(new) }
    #expect(commands > 20)
    for index in [2, commands / 2] {
      (reader, found) = try await find(bench, reader)
      try await found.ndef?.writeNDEF(old)
      (reader, found) = try await find(bench, reader)
      let target = found
      bench.virtual.setFaults([Fault(item.effect, at: .command(index))])
      let isWritten: Bool
      do {
        try await within(.seconds(15)) { try await target.ndef?.writeNDEF(new) }
        isWritten = true
      } catch is NFCError {
        isWritten = false
      }
      bench.virtual.setFaults([])
      (reader, found) = try await find(bench, reader)
      let read = try await found.ndef?.readNDEF()
      let place: Comment = "\(item.testDescription) at \(index)"
      #expect(read == new || !isWritten && (read == old || read?.records.isEmpty ?? true), place)
      try await found.ndef?.writeNDEF(new)
      #expect(try await found.ndef?.readNDEF() == new, place)
    }
    await reader.close()
  }

  /// A line and a field in which every n-th frame breaks.
  @Test(arguments: noises.indices) func repeatedNoise(_ index: Int) async throws {
    let bench = try await Bench(.ntag216())
    let page = try await bench.tag(.iso14443).miFare.sendMiFareCommand([0x30, 0x00])
    bench.virtual.setFaults([Self.noises[index]])
    var reader: Reader? = bench.reader
    var right = 0
    for _ in 0..<8 {
      do {
        let (open, tag) = try await find(bench, reader)
        reader = open
        #expect(try await tag.miFare.sendMiFareCommand([0x30, 0x00]) == page)
        right += 1
      } catch is NFCError {
        await reader?.close()
        reader = nil
      }
    }
    #expect(right > 0)
    bench.virtual.setFaults([])
    await (try await find(bench, reader)).0.close()
  }

  /// The chip's supply is cut between two commands: it sleeps, and has forgotten everything.
  @Test func theSupplyIsCut() async throws {
    let tag = VirtualTag.ntag216()
    let bench = try await Bench(tag)
    let miFare = try await bench.tag(.iso14443).miFare
    bench.virtual.cyclePower()
    let error = await #expect(throws: NFCError.self) {
      try await miFare.sendMiFareCommand([0x30, 0x00])
    }
    let codes: [NFCError.Code] = [.tagResponseError, .tagConnectionLost, .readerLost]
    #expect(error.map { codes.contains($0.code) } ?? false, "\(error.map { "\($0)" } ?? "")")
    let (reader, found) = try await find(bench, bench.reader)
    #expect(found.identifier == tag.identifier)
    #expect(try await found.miFare.sendMiFareCommand([0x30, 0x00]).count == 16)
    await reader.close()
  }

  /// The supply is cut before one command of a round or another: before the first search of some, before the
  /// carrier is switched of others, which a chip that has forgotten everything does, and then finds nothing.
  @Test(.timeLimit(.minutes(1)), arguments: 1...6)
  func pollingContinuesAfterABrownOut(_ command: Int) async throws {
    let tag = VirtualTag.ntag216()
    let cut = Cut()
    let bench = try await Bench(tag) { event in
      if case .command = event { cut.commandHasRun() }
    }
    var events = bench.reader.events(
      polling: .iso14443, survivesReaderLoss: true
    ).makeAsyncIterator()
    guard case .arrived? = try await events.next() else {
      Issue.record("no arrival")
      return
    }
    cut.set(after: command) { [virtual = bench.virtual] in virtual.cyclePower() }
    var isBack = false
    for _ in 0..<6 where !isBack {
      if case .arrived(let found)? = try await events.next() {
        #expect(found.identifier == tag.identifier)
        isBack = true
      }
    }
    #expect(isBack)
  }

  /// Does something after a number of commands.
  private final class Cut: Sendable {
    private struct State {
      var remaining = 0
      var action: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    func set(after count: Int, _ action: @escaping @Sendable () -> Void) {
      state.withLock { $0 = State(remaining: count, action: action) }
    }

    func commandHasRun() {
      let action: (@Sendable () -> Void)? = state.withLock { state in
        guard state.remaining > 0 else { return nil }
        state.remaining -= 1
        return state.remaining == 0 ? state.action : nil
      }
      action?()
    }
  }
}
