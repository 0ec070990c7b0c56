import Foundation
import NFC
import Testing
import VirtualNFC

/// The number of a pseudo-terminal that has gone is the next one's: who waits for the reader that was there must
/// not talk to that.
@Suite(.serialized) struct TerminalNumberTests {
  /// Makes pseudo-terminals until one has the path, or enough have been made.
  private func take(_ path: String) throws -> VirtualReader? {
    var made: [VirtualReader] = []
    defer { for reader in made { reader.close() } }
    for _ in 0..<40 {
      let reader = try VirtualReader(VirtualField())
      if reader.path == path { return reader }
      made.append(reader)
    }
    return nil
  }

  @Test(arguments: [false, true]) func isNotTakenForTheReader(_ isGroup: Bool) async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = try VirtualReader(field)
    let path = virtual.path
    let address = ReaderAddress(virtual.connectionString)
    let group =
      isGroup ? try await Readers.open([address]) : Readers(try await Reader.open(address))
    let events = AsyncStream<String>.makeStream()
    let poll = Task {
      try await group.forEachEvent(polling: .iso14443) { event in
        switch event {
        case .arrived: events.continuation.yield("arrived")
        case .left: events.continuation.yield("left")
        case .readerLost: events.continuation.yield("lost")
        case .readerReturned: events.continuation.yield("back")
        case .readerMissing: events.continuation.yield("missing")
        }
        return true
      }
    }
    var iterator = events.stream.makeAsyncIterator()
    #expect(await iterator.next() == "arrived")
    virtual.close()
    #expect(await iterator.next() == "left")
    #expect(await iterator.next() == "lost")
    // While it is waited for its number is nobody's.
    #expect(try take(path) == nil)
    try await Task.sleep(for: .milliseconds(1200))
    #expect(try take(path) == nil)
    poll.cancel()
    _ = await poll.result
    await group.close()
  }

  /// Once nobody waits for it any more the number is free.
  @Test func isFreeAfterwards() async throws {
    let virtual = try VirtualReader(VirtualField())
    let reader = try await Reader.open(virtual.connectionString)
    await reader.close()
    // Another program finds the terminal as it would without us.
    let again = try await Reader.open(virtual.connectionString)
    await again.close()
    let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(!links.contains(virtual.path))
    virtual.close()
  }
}
