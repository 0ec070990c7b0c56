import NFC
import TestSupport
import Testing
import VirtualNFC

/// A virtual tag on a reader: a PN532 used through the real libnfc, or one of PC/SC.
struct TagBench: Sendable {
  /// The way to the reader.
  enum Way: Hashable, Sendable, CaseIterable {
    case libnfc
    case pcsc
  }

  /// The fault at an exchange.
  enum Trouble: Hashable, Sendable, CaseIterable {
    case frameLost
    case answerLost
    case answerBroken
    case tagLeaves
    /// A part of an answer is missing, if the virtual reader supports that.
    case answerCut
  }

  private enum Virtual: Sendable {
    case libnfc(VirtualReader)
    case pcsc(VirtualPCSCReader)
  }

  let field = VirtualField()
  private(set) var placed: VirtualTag
  let reader: Reader
  private let virtual: Virtual

  init(
    _ tag: VirtualTag, _ way: Way = .libnfc,
    dialect: VirtualPCSCReader.Dialect = .transparentSession,
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) async throws {
    ReplayedReaders.begin()
    placed = tag
    field.place(tag)
    switch way {
    case .libnfc:
      let virtual = try VirtualReader(field, trace: trace)
      self.virtual = .libnfc(virtual)
      reader = try await Reader.open(virtual.connectionString)
    case .pcsc:
      let virtual = VirtualPCSCReader(field, dialect: dialect)
      self.virtual = .pcsc(virtual)
      reader = try await Reader.open(over: { virtual.service() })
    }
  }

  func close() async {
    await reader.close()
    if case .libnfc(let virtual) = virtual { virtual.close() }
  }

  /// Replaces this tag with another one.
  mutating func replace(with tag: VirtualTag) {
    field.remove(placed)
    placed = tag
  }

  /// Switches the carrier off and on, and finds and connects the tag without knowledge of earlier
  /// sessions on either side.
  func found() async throws -> DetectedTag {
    setTrouble(nil, at: 0)
    field.remove(placed)
    _ = try await reader.tagsInField(polling: .iso14443a)
    field.place(placed)
    for _ in 0..<20 {
      guard let found = try await reader.tagsInField(polling: .iso14443a).first else { continue }
      try await found.connect()
      return found
    }
    throw NFCError(.noTag, "the tag does not come back")
  }

  func miFare() async throws -> any MiFareTag {
    guard case .miFare(let tag) = try await found() else { throw NFCError(.wrongTag, "no MIFARE") }
    return tag
  }

  /// The number of frames to the tag since a fault was set.
  var exchanges: Int {
    switch virtual {
    case .libnfc(let reader): reader.statistics.exchanges
    case .pcsc(let reader): reader.statistics.exchanges
    }
  }

  /// Sets the fault at an exchange, counted from now; `false` if this reader does not support it.
  @discardableResult func setTrouble(_ trouble: Trouble?, at exchange: Int) -> Bool {
    switch virtual {
    case .libnfc(let reader):
      let effect: Fault.Effect? =
        switch trouble {
        case .frameLost: .frameLost
        case .answerLost: .answerLost
        case .answerBroken: .answerBroken
        case .tagLeaves: .tagLeaves
        case .answerCut: .answerCut(3)
        case nil: nil
        }
      reader.setFaults(effect.map { [Fault($0, at: .exchange(exchange))] } ?? [])
      return trouble == nil || effect != nil
    case .pcsc(let reader):
      let effect: VirtualPCSCReader.Fault.Effect? =
        switch trouble {
        case .frameLost: .frameLost
        case .answerLost: .answerLost
        case .answerBroken: .answerBroken
        case .tagLeaves: .tagLeaves
        case .answerCut, nil: nil
        }
      reader.setFaults(effect.map { [VirtualPCSCReader.Fault($0, at: exchange)] } ?? [])
      return trouble == nil || effect != nil
    }
  }

  /// Returns the number of exchanges of `body`.
  func counting(_ body: () async throws -> Void) async throws -> Int {
    setTrouble(nil, at: 0)
    try await body()
    return exchanges
  }
}

/// Returns the error of `body`.
func failure(of body: () async throws -> Void) async -> NFCError? {
  do {
    try await body()
    return nil
  } catch { return error as? NFCError }
}
