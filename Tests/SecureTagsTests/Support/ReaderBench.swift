import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// A virtual card on a reader: a PN532 used through the real libnfc, or one of PC/SC.
struct ReaderBench: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case libnfc, pcsc
  }

  /// The faults at a frame that both kinds of reader support.
  enum Trouble: Sendable, CaseIterable {
    case tagLeaves, frameLost, answerLost, answerBroken
  }

  let field = VirtualField()
  let tag: VirtualTag
  let reader: Reader
  let setTrouble: @Sendable (_ trouble: Trouble?, _ exchange: Int) -> Void
  /// The number of frames since then.
  let exchanges: @Sendable () -> Int
  private let polling: PollingOptions
  /// Another tag, so that the reader sees one while the tag hides.
  private let companion: VirtualTag?
  private let end: @Sendable () -> Void

  init(
    _ kind: Kind, _ tag: VirtualTag, polling: PollingOptions = .iso14443,
    beside companion: VirtualTag? = nil
  ) async throws {
    ReplayedReaders.begin()
    self.tag = tag
    self.polling = polling
    self.companion = companion
    field.place(tag)
    if let companion { field.place(companion) }
    switch kind {
    case .libnfc:
      let virtual = try VirtualReader(field)
      reader = try await Reader.open(virtual.connectionString)
      setTrouble = { trouble, exchange in
        let effect: Fault.Effect? = trouble.map {
          switch $0 {
          case .tagLeaves: .tagLeaves
          case .frameLost: .frameLost
          case .answerLost: .answerLost
          case .answerBroken: .answerBroken
          }
        }
        virtual.setFaults(effect.map { [Fault($0, at: .exchange(exchange))] } ?? [])
      }
      exchanges = { virtual.statistics.exchanges }
      end = { virtual.close() }
    case .pcsc:
      let virtual = VirtualPCSCReader(field)
      reader = try await Reader.open(over: { virtual.service() })
      setTrouble = { trouble, exchange in
        let effect: VirtualPCSCReader.Fault.Effect? = trouble.map {
          switch $0 {
          case .tagLeaves: .tagLeaves
          case .frameLost: .frameLost
          case .answerLost: .answerLost
          case .answerBroken: .answerBroken
          }
        }
        virtual.setFaults(effect.map { [VirtualPCSCReader.Fault($0, at: exchange)] } ?? [])
      }
      exchanges = { virtual.statistics.exchanges }
      end = {}
    }
  }

  func close() async {
    await reader.close()
    end()
  }

  /// Finds and connects the card again.
  func found() async throws -> DetectedTag {
    if tag.chip.isHidden {
      guard let found = try await reader.vicinityTag(uid: tag.identifier) else {
        throw NFCError(.noTag, "the tag does not answer")
      }
      return .iso15693(found)
    }
    for try await found in reader.tags(polling: polling)
    where companion == nil || found.identifier == tag.identifier {
      try await found.connect()
      return found
    }
    throw NFCError(.noTag, "polling ended")
  }

  func card() async throws -> DESFireCard { try await DESFireCard(found()) }

  /// Returns the current state of the chip.
  func chip<Chip: VirtualChip>(_ type: Chip.Type) throws -> Chip {
    try #require(tag.withChip(type) { $0 })
  }

  /// Restores the chip, in the field and without faults.
  func restore<Chip: VirtualChip>(_ chip: Chip) {
    _ = tag.withChip(Chip.self) { $0 = chip }
    restore()
  }

  /// Restores the card, without faults, in the field to which it comes back.
  func restore() {
    setTrouble(nil, 0)
    field.remove(tag)
    field.place(tag)
    guard let companion else { return }
    field.remove(companion)
    field.place(companion)
  }
}
