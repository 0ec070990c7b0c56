import NFC
import SwiftNFCCore
import Synchronization
import Testing
import VirtualNFC

/// Rounds through the fields of several readers, as a program makes them that keeps its own time.
@Suite struct FieldRoundsTests {
  private let field = VirtualField()
  private let otherField = VirtualField()
  private let losses = Losses()

  /// The readers that were reported lost.
  private final class Losses: Sendable {
    let readers = Mutex<[String]>([])
    var names: [String] { readers.withLock { $0 } }
  }

  private func rounds(
    _ readers: Readers, _ options: PollingOptions = .all
  ) throws -> FieldRounds {
    try FieldRounds(readers, polling: options.technologies) { [losses] reader, error in
      #expect(error.code == .readerLost)
      losses.readers.withLock { $0.append(reader.connectionString) }
    }
  }

  /// A smart card before a reader of the PC/SC service is left to other programs.
  @Test func aSharedReaderLooksOnlyForWhatTheOthersLack() async throws {
    let virtual = try VirtualReader(field)
    let service = VirtualPCSCReader(otherField)
    field.place(.ntag215())
    let vicinityTag = VirtualTag.icodeSLIX2()
    otherField.place(vicinityTag)
    let shared = try await Reader.open(over: { service.service() })
    #expect(shared.capabilities.technologies.isSuperset(of: [.iso14443a, .iso15693]))
    let readers = Readers(shared, [try await Reader.open(virtual.connectionString)])
    var rounds = try rounds(readers)
    #expect(Set(try await rounds.next().map(\.tag.technology)) == [.iso14443a, .iso15693])
    otherField.remove(vicinityTag)
    otherField.place(.ntag216())
    #expect(try await rounds.next().map(\.tag.identifier) == [VirtualTag.ntag215().identifier])
    await readers.close()
    virtual.close()
  }

  /// What no reader has is no error where another technology is left.
  @Test func whatIsMissingIsLeftOut() async throws {
    let virtual = try VirtualReader(field)
    field.place(.ntag215())
    let readers = Readers(try await Reader.open(virtual.connectionString))
    #expect(readers.missing(of: [.iso14443a, .iso15693]) == [.iso15693])
    var rounds = try rounds(readers, [.iso14443, .iso15693])
    #expect(try await rounds.next().count == 1)
    let error = #expect(throws: NFCError.self) { _ = try self.rounds(readers, .iso15693) }
    #expect(error?.code == .unsupported)
    await readers.close()
    virtual.close()
  }

  @Test func aTagComesOnceForAsLongAsItStays() async throws {
    let virtual = try VirtualReader(field)
    let readers = Readers(try await Reader.open(virtual.connectionString))
    let (tag, passport) = (VirtualTag.ntag215(), VirtualTag.emrtd())
    field.place(tag)
    // It draws another number in each round.
    field.place(passport)
    var rounds = try rounds(readers, .iso14443)
    #expect(try await rounds.next().map(\.isNew) == [true, true])
    for _ in 0..<4 { #expect(try await rounds.next().map(\.isNew) == [false, false]) }
    field.remove(passport)
    // One round that misses it says nothing.
    field.remove(tag)
    #expect(try await rounds.next().isEmpty)
    field.place(tag)
    #expect(try await rounds.next().map(\.isNew) == [false])
    field.remove(tag)
    for _ in 0..<2 { #expect(try await rounds.next().isEmpty) }
    field.place(tag)
    let found = try #require(try await rounds.next().first)
    #expect(found.isNew)
    rounds.forget(found.tag.tag)
    #expect(try await rounds.next().map(\.isNew) == [true])
    await readers.close()
    virtual.close()
  }

  @Test func aReaderThatIsLostLeavesTheOthers() async throws {
    let (first, second) = (try VirtualReader(field), try VirtualReader(otherField))
    otherField.place(.ntag215())
    let readers = try await Readers.open([
      ReaderAddress(first.connectionString), ReaderAddress(second.connectionString),
    ])
    var rounds = try rounds(readers)
    #expect(try await rounds.next().count == 1)
    first.close()
    for _ in 0..<2 { #expect(try await rounds.next().map(\.isNew) == [false]) }
    #expect(losses.names == [first.connectionString])
    second.close()
    let error = await #expect(throws: NFCError.self) { _ = try await rounds.next() }
    #expect(error?.code == .readerLost)
    #expect(losses.names.count == 1)
    await readers.close()
  }

  /// A frame on the line breaks, and the next look finds the tag.
  @Test(arguments: [1, 2]) func aBrokenFrameIsNotALoss(_ count: Int) async throws {
    let virtual = try VirtualReader(field)
    field.place(.ntag215())
    let readers = Readers(try await Reader.open(virtual.connectionString))
    var rounds = try rounds(readers, .iso14443a)
    #expect(try await rounds.next().count == 1)
    virtual.setFaults((0..<count).map { Fault(.replyBroken, at: .command($0)) })
    #expect(try await rounds.next().map(\.isNew) == [false])
    #expect(losses.names.isEmpty)
    await readers.close()
    virtual.close()
  }
}
