import CoreNFC
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// A virtual reader with tags in its field, and an environment in which sessions use it.
struct SessionBench: Sendable {
  let field = VirtualField()
  let virtual: VirtualReader
  /// For ISO 15693, which a PN532 has not.
  let vicinityField = VirtualField()
  let vicinityReader: VirtualPCSCReader
  private let watches: [FieldWatch]

  /// Sets the environment, with the time limit off: a test states its own.
  init(
    _ tags: VirtualTag..., information: NFCInformation = .everything,
    presenter: any NFCPresenter = .none, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    watches = [field, vicinityField].map { FieldWatch($0, sourceLocation) }
    ReplayedReaders.begin()
    let virtual = try VirtualReader(field)
    let vicinityReader = VirtualPCSCReader(vicinityField)
    self.virtual = virtual
    self.vicinityReader = vicinityReader
    for tag in tags {
      (tag.modulation == .iso15693 ? vicinityField : field).place(tag)
    }
    let hasVicinityTags = !vicinityField.tags.isEmpty
    // A session opens its readers in a task of its own.
    let scope = ReplayScope.current
    NFCEnvironment.current = NFCEnvironment(
      readers: .opening {
        try await ReplayScope.$current.withValue(scope) {
          var readers = [try await Reader.open(virtual.connectionString)]
          if hasVicinityTags {
            readers.append(try await Reader.open(over: { vicinityReader.service() }))
          }
          return readers
        }
      }, information: information, presenter: presenter)
  }

  /// A session that has begun, and the calls that its delegate receives.
  func session(
    _ options: NFCTagReaderSession.PollingOption = [.iso14443, .iso15693, .iso18092],
    queue: DispatchQueue? = nil
  ) throws -> (session: NFCTagReaderSession, delegate: TagDelegate) {
    let delegate = TagDelegate()
    guard
      let session = NFCTagReaderSession(pollingOption: options, delegate: delegate, queue: queue)
    else { throw Unexpected("no session") }
    SessionEnd.add(session)
    session.begin()
    return (session, delegate)
  }

  /// A session that has found tags.
  func tags(
    _ options: NFCTagReaderSession.PollingOption = [.iso14443, .iso15693, .iso18092]
  ) async throws -> (session: NFCTagReaderSession, delegate: TagDelegate, tags: [NFCTag]) {
    let (session, delegate) = try session(options)
    try await delegate.events.expectActive()
    return (session, delegate, try await delegate.events.tags())
  }

  /// A session that is connected to the first tag that it has found.
  func connected(
    _ options: NFCTagReaderSession.PollingOption = [.iso14443, .iso15693, .iso18092]
  ) async throws -> (session: NFCTagReaderSession, delegate: TagDelegate, tag: NFCTag) {
    let (session, delegate, tags) = try await tags(options)
    try await session.connect(to: tags[0])
    return (session, delegate, tags[0])
  }
}

extension NFCInformation {
  /// What an Info.plist would list to find every virtual card.
  static var everything: NFCInformation {
    NFCInformation(
      usageDescription: "Tests",
      applicationIdentifiers: ["D2760000850101", "D4100000030001", "A0000002471001"],
      systemCodes: ["0003", "12FC", "88B4"])
  }
}

/// Something that a test did not expect.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
