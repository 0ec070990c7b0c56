import ArgumentParser
import NFC
import VirtualNFC

/// The model of a virtual PC/SC reader on the command line.
enum PCSCDialectName: String, ExpressibleByArgument, CaseIterable {
  case transparent
  case acs
  case identiv
  case springcard
  case springcardRFID = "springcard-rfid"
  case omnikey
  case ubisys
  case acr122
  case storageCard = "storage-card"
  case storageCardP1 = "storage-card-p1"
  case storageCardP2 = "storage-card-p2"

  var dialect: VirtualPCSCReader.Dialect {
    switch self {
    case .transparent: .transparentSession
    case .acs: .acsPassThrough
    case .identiv: .identivPassThrough
    case .springcard: .springCard
    case .springcardRFID: .springCardPassThrough
    case .omnikey: .omnikey
    case .ubisys: .storageCardByteOffset
    case .acr122: .directTransmit
    case .storageCard: .storageCard
    case .storageCardP1: .storageCardNumberInP1
    case .storageCardP2: .storageCardNumberInP2
    }
  }
}

/// A virtual reader that the PC/SC service shows to all programs, under a name that the service chooses.
struct PublishedPCSCReader {
  private let virtual: VirtualPCSCReader
  private let client: VirtualPCSCClient
  private let place: String

  /// The time to wait for the service, which looks for a card every 0.4 s.
  private static let patience = Duration.seconds(5)
  /// The time during which only readers with "virtual" in their names are opened, so that a real reader is
  /// not used unnecessarily.
  private static let reserve = Duration.seconds(2)
  private static let pause = Duration.milliseconds(50)

  /// - Throws: ``Failure`` if no program accepts a card at this address.
  init(
    _ virtual: VirtualPCSCReader, host: String?, port: UInt16?,
    trace: (@Sendable (TraceEvent) -> Void)?
  ) throws {
    let (host, port) = (host ?? "127.0.0.1", port ?? VirtualPCSCClient.defaultPort)
    self.virtual = virtual
    place = "\(host):\(port)"
    do {
      client = try VirtualPCSCClient(virtual, host: host, port: port, trace: trace)
    } catch let error as VirtualReader.Unavailable {
      throw Failure(
        .noReader, "no virtual PC/SC reader: \(error)",
        advice: "install Debian's vsmartcard-vpcd and start pcscd")
    }
  }

  func close() { client.close() }

  /// Returns whether such a reader finds a tag that is the only one in its field.
  static func canFind(_ tag: VirtualTag, dialect: VirtualPCSCReader.Dialect) -> Bool {
    let field = VirtualField()
    field.place(tag)
    defer { field.remove(tag) }
    let reader = VirtualPCSCReader(field, dialect: dialect)
    return (try? reader.service().status(of: reader.name).isCardPresent) ?? false
  }

  /// Returns the connection string of the reader that leads to the virtual one.
  ///
  /// - Throws: ``Failure`` if there is no such reader.
  func connectionString() async throws -> String {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < Self.patience {
      for found in try await Reader.list() where Self.isOfService(found.address) {
        let name = found.address.description
        let mayBeReal = !name.lowercased().contains("virtual")
        if mayBeReal, ContinuousClock.now - start < Self.reserve { continue }
        if try await isThisReader(name) { return name }
      }
      try await Task.sleep(for: Self.pause)
    }
    throw Failure(
      .noReader, "\(place) took the tags, but no PC/SC reader shows them",
      advice: "check that no other card is in that slot, or take the next --port")
  }

  /// Returns whether a reader belongs to a service that other programs use too.
  private static func isOfService(_ address: ReaderAddress) -> Bool {
    ReaderSources.source(of: address)?.isShared ?? false
  }

  private func isThisReader(_ name: String) async throws -> Bool {
    let commands = virtual.statistics.commands
    do {
      let reader = try await Reader.open(name)
      // A card that was asked for its version takes no more native commands, which another program may begin with.
      let technologies = TagTechnology.allCases.filter(
        reader.capabilities.technologies.contains)
      _ = try? await reader.search(for: technologies, requestsVersion: false) { _ in true }
      await reader.close()
    } catch is NFCError {
      return false
    }
    try Task.checkCancellation()
    return virtual.statistics.commands > commands
  }
}
