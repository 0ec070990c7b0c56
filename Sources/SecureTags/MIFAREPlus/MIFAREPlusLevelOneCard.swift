import NFCCore

/// A MIFARE Plus card in security level 1: a MIFARE Classic for every reader, which also proves an AES key, and
/// another one that leads to level 3.
///
/// ```swift
/// let card = try MIFAREPlusLevelOneCard(tag)
/// try await card.authenticate(key)
/// try await card.classic.authenticate(block: 4, with: .factory, as: .a)
/// print(try await card.classic.readBlock(4))
/// ```
///
/// Nothing tells such a card from a MIFARE Classic with a UID of seven bytes until it is asked: ``isLevelOne()``.
///
/// The reader has to send frames of the card's own. libnfc does; PC/SC readers that keep a MIFARE Classic to
/// themselves do not.
///
/// Sources: NXP's reader library (`phalMfp_AuthenticateSL1`), liblogicalaccess (`MifarePlusAESAuth`), Proxmark3
/// (`hf mfp auth`).
public struct MIFAREPlusLevelOneCard: Sendable {
  /// The tag that the card is.
  public let tag: any MiFareTag
  /// The commands of MIFARE Classic.
  public let classic: MiFareClassicCommands
  private let random: RandomBytes

  /// SAK of 2 KB and 4 KB in level 1 (NXP AN10833, table 6).
  private static let saks: Set<UInt8> = [0x08, 0x18]

  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: any MiFareTag) throws { try self.init(tag, random: RandomSource.system) }

  init(_ tag: any MiFareTag, random: @escaping RandomBytes) throws {
    guard Self.saks.contains(tag.sak), let classic = tag.classic else {
      throw NFCError(.wrongTag, "the tag is not a MIFARE Plus in security level 1")
    }
    self.tag = tag
    self.classic = classic
    self.random = random
  }

  // MARK: Without ISO/IEC 14443-4

  /// Asks whether the card is a MIFARE Plus in security level 1: one exchange, and two selections after
  /// HLTA. A sector that was open is closed.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on a reader that does not send such a command;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func isLevelOne() async throws -> Bool {
    try await withFrames { procedure, link in
      do {
        _ = try procedure.challenge(.levelOneCard, isFirst: false)
        try link.restartClassic()
        return true
      } catch let error as NFCError where error.isRefusalOfPlus {
        try link.wake()
        return false
      }
    }
  }

  /// Proves the card's key for security level 1, and has the card prove it: the card is no copy made of what CRYPTO1
  /// gives away. Two exchanges, and a selection after HLTA before them. A sector that was open is closed; it can be opened
  /// after this.
  ///
  /// - Parameter key: 16 bytes.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, and for a card that does not have it;
  ///   ``NFCError/Code/tagRefused`` for a card that is no MIFARE Plus in level 1; ``NFCError/Code/unsupported`` as
  ///   ``isLevelOne()``.
  public func authenticate(_ key: SecretKey) async throws {
    try Self.check(key)
    try await withFrames { procedure, link in
      do {
        try procedure.authenticate(.levelOneCard, key, beginsSession: false)
      } catch let error as NFCError
        where error.code == .authenticationFailed || error.isRefusalOfPlus
      {
        // A card that has left says the same: it cannot be woken.
        try link.wake()
        guard error.code == .authenticationFailed else {
          throw NFCError(
            .tagRefused, "the card is not a MIFARE Plus in security level 1", cause: error.cause)
        }
        throw error
      }
    }
  }

  private func withFrames<Result: Sendable>(
    _ body: @Sendable (inout MIFAREPlusProcedure, TagLink) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [random] link in
      // A cipher that an open sector has left behind would encipher what comes now.
      try link.restartClassic()
      var procedure = MIFAREPlusProcedure(
        send: { try link.sendBelowBlocks($0) }, session: nil, random: random)
      return try body(&procedure, link)
    }
  }

  private static func check(_ key: SecretKey) throws {
    guard key.count == MIFAREPlusCard.keySize else {
      throw NFCError(
        .invalidParameter, "a key has \(MIFAREPlusCard.keySize) bytes, not \(key.count)")
    }
  }

  // MARK: The way to level 3

  /// Finds out whether the card can be switched to security level 3. Changes nothing: two exchanges and two
  /// selections, the first after HLTA.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a card that has no ISO/IEC 14443-4, and as ``isLevelOne()``.
  public func levelThreePlan() async throws -> MIFAREPlusLevelPlan {
    let answer = try await withBlocks { blocks, answer, link in
      try blocks.end()
      try link.wake()
      return answer
    }
    return MIFAREPlusLevelPlan(identifier: tag.identifier, answerToSelect: answer)
  }

  /// Switches the card to security level 3 by proving its key for that: four exchanges, and a selection after HLTA before
  /// them. The card is of level 3 when it comes into the field again, and then another tag for the reader. **Cannot be
  /// undone.**
  ///
  /// From then on the AES keys count that were written in level 0, and the keys of CRYPTO1 open nothing. The card
  /// switches at once or not at all; if the answer was lost, the next look shows which it was.
  ///
  /// - Parameters:
  ///   - effects: all that cannot be undone about it and is wanted so.
  ///   - key: the card's key for level 3, 16 bytes.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is sent, if the plan has other effects or was made for
  ///   another card; ``NFCError/Code/authenticationFailed`` for a wrong key: the card stays as it is.
  public func switchToLevelThree(
    _ plan: MIFAREPlusLevelPlan, _ key: SecretKey,
    accepting effects: Set<MIFAREPlusLevelPlan.IrreversibleEffect>
  ) async throws {
    try Self.check(key)
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    guard plan.identifier == tag.identifier else {
      throw NFCError(.invalidParameter, "the plan was made for another card")
    }
    try await withBlocks { [random] blocks, _, _ in
      let state = Blocks(blocks)
      var procedure = MIFAREPlusProcedure(
        send: { try state.blocks.exchange($0) }, session: nil, random: random)
      do {
        try procedure.authenticate(.levelThreeSwitch, key)
      } catch let error as NFCError where error.group == .connection {
        throw NFCError(
          error.code,
          "the answer to the switch of levels was lost: look at the card again to see which level it has",
          cause: error.cause)
      }
      // What becomes of the goodbye changes nothing.
      try? state.blocks.end()
    }
  }

  /// Lets a closure go on with the blocks.
  private final class Blocks {
    var blocks: MIFAREPlusBlocks
    init(_ blocks: MIFAREPlusBlocks) { self.blocks = blocks }
  }

  /// A cancelled task does not stop it half-way.
  private func withBlocks<Result: Sendable>(
    _ body: @Sendable (MIFAREPlusBlocks, [UInt8], TagLink) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { link in
      try link.restartClassic()
      return try link.uninterrupted {
        var blocks = MIFAREPlusBlocks(send: { try link.sendBelowBlocks($0) })
        let answer: [UInt8]
        do {
          answer = try blocks.begin()
        } catch let error as NFCError where error.code == .unsupported {
          // A card that has refused is mute; one that has left cannot be woken.
          try link.wake()
          throw error
        }
        return try body(blocks, answer, link)
      }
    }
  }
}

extension TagLink {
  /// One frame without the blocks of ISO/IEC 14443-4, which is on the air what it is for an Ultralight: CRC_A, or the
  /// four bits of a refusal.
  fileprivate func sendBelowBlocks(_ frame: [UInt8]) throws -> [UInt8] {
    try sendUltralight(frame)
  }

  /// Puts the card to sleep and selects it again. HLTA in plain is noise to a card with an open sector, which refuses
  /// it enciphered, in four bits that can be those of an acknowledge: then it is mute and says nothing to the next.
  fileprivate func restartClassic() throws {
    let halt: [UInt8] = [0x50, 0x00]
    for _ in 0..<3 {
      do {
        _ = try sendUltralight(halt)
      } catch let error as NFCError where error.isRefusalOfPlus {
        break
      } catch let error as NFCError where error.code == .tagResponseError {
        continue
      }
    }
    try wake()
  }
}

/// What switching a card's security level does.
public struct MIFAREPlusLevelPlan: Hashable, Sendable {
  /// What cannot be undone.
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// No card goes back to a lower level.
    case leavesLevelOne
    /// Readers that know only the keys of CRYPTO1 can do nothing with the card any more.
    case closesClassicKeys

    /// In words.
    public var description: String {
      switch self {
      case .leavesLevelOne: "the card leaves security level 1"
      case .closesClassicKeys: "the keys of MIFARE Classic open no sector any more"
      }
    }
  }

  /// The UID of the card.
  public let identifier: [UInt8]
  /// What the card has answered to RATS, without the length byte.
  public let answerToSelect: [UInt8]
  /// All of them, whatever the card.
  public let irreversibleEffects = IrreversibleEffect.allCases
}
