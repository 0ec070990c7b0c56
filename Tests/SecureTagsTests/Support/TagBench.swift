import NFC
import Testing
import VirtualNFC

/// A virtual tag on a reader: a PN532 that the real libnfc drives, or one of PC/SC.
struct TagBench: Sendable {
  /// What drives the reader.
  enum Way: Hashable, Sendable, CaseIterable {
    case libnfc
    case pcsc
  }

  /// What goes wrong at an exchange.
  enum Trouble: Hashable, Sendable, CaseIterable {
    case frameLost
    case answerLost
    case answerBroken
    case tagLeaves
    /// Part of an answer is missing: only where the virtual reader can do it.
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
    _ tag: VirtualTag, _ way: Way = .libnfc, trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) async throws {
    placed = tag
    field.place(tag)
    switch way {
    case .libnfc:
      let virtual = try VirtualReader(field, trace: trace)
      self.virtual = .libnfc(virtual)
      reader = try await Reader.open(virtual.connectionString)
    case .pcsc:
      let virtual = VirtualPCSCReader(field)
      self.virtual = .pcsc(virtual)
      reader = try await Reader.open(over: { virtual.service() })
    }
  }

  func close() async {
    await reader.close()
    if case .libnfc(let virtual) = virtual { virtual.close() }
  }

  /// Puts another tag in the place of this one.
  mutating func replace(with tag: VirtualTag) {
    field.remove(placed)
    placed = tag
  }

  /// The tag found and connected, after its carrier was off: nothing is known of it, and it knows nothing.
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

  /// How many frames have gone to the tag since a trouble was set.
  var exchanges: Int {
    switch virtual {
    case .libnfc(let reader): reader.statistics.exchanges
    case .pcsc(let reader): reader.statistics.exchanges
    }
  }

  /// What is to go wrong, counted from now; `false` if this reader cannot do it.
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

  /// How many exchanges `body` takes.
  func counting(_ body: () async throws -> Void) async throws -> Int {
    setTrouble(nil, at: 0)
    try await body()
    return exchanges
  }
}

/// The error of what goes wrong in `body`.
func failure(of body: () async throws -> Void) async -> NFCError? {
  do {
    try await body()
    return nil
  } catch { return error as? NFCError }
}
