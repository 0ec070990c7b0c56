import SwiftNFCCore

/// A MIFARE Plus card in security level 1. For every reader it is a MIFARE Classic. In addition it has an
/// AES key to authenticate with, and another that switches it to level 3.
///
/// ```swift
/// let card = try MIFAREPlusLevelOneCard(tag)
/// try await card.authenticate(key)
/// try await card.classic.authenticate(block: 4, with: .factory, as: .a)
/// print(try await card.classic.readBlock(4))
/// ```
///
/// Such a card can be distinguished from a MIFARE Classic with a 7-byte UID only by a command:
/// ``isLevelOne()``.
///
/// The reader must be able to send frames of ISO/IEC 14443-3 to a card that it recognizes as a MIFARE Classic.
/// libnfc's readers can, and of PC/SC an ACR122U, SpringCard's readers and those with transparent sessions
/// for type A (`CommandPath`). Other PC/SC readers cannot: every function throws
/// ``NFCError/Code/unsupported``, and only the commands of MIFARE Classic remain. None of the PC/SC readers
/// was tried with a real card.
///
/// Sources: NXP's reader library (`phalMfp_AuthenticateSL1`), liblogicalaccess (`MifarePlusAESAuth`; its
/// `EncapsulateGuard` for SpringCard's readers), Proxmark3 (`hf mfp auth`); for PC/SC, SpringCard
/// PMD2271, 4.3.2, and mifare.net, forum, "Mifare Plus X switch from SL1 to SL3".
public struct MIFAREPlusLevelOneCard: Sendable {
  /// The tag of the card.
  public let tag: any MiFareTag
  /// The commands of MIFARE Classic.
  public let classic: MiFareClassicCommands
  let random: RandomBytes?

  /// The SAKs of 2 KB and 4 KB cards in level 1 (NXP AN10833, table 6).
  private static let saks: Set<UInt8> = [0x08, 0x18]

  private static let wrongTag = NFCError(
    .wrongTag, "the tag is not a MIFARE Plus in security level 1")

  /// Creates the interface of a card. No exchange.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: DetectedTag) throws {
    guard case .miFare(let tag) = tag else { throw Self.wrongTag }
    try self.init(tag)
  }

  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: any MiFareTag) throws { try self.init(tag, random: nil) }

  init(_ tag: any MiFareTag, random: RandomBytes?) throws {
    guard Self.saks.contains(tag.sak), let classic = tag.classic else {
      throw Self.wrongTag
    }
    self.tag = tag
    self.classic = classic
    self.random = random
  }

  // MARK: Without ISO/IEC 14443-4

  /// Returns whether the card is a MIFARE Plus in security level 1: one exchange, and two
  /// selections after HLTA; up to three times both with a reader that reports a refusal as a broken
  /// answer. A sector that was open is closed.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on a reader that cannot send the command;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func isLevelOne() async throws -> Bool {
    try await withFrames { procedure, link in try Self.isLevelOne(procedure, link) }
  }

  private static func isLevelOne(
    _ procedure: MIFAREPlusProcedure, _ link: TagLink
  ) throws -> Bool {
    do {
      try link.askingClassic { _ = try procedure.challenge(.levelOneCard, isFirst: false) }
      try link.restartClassic()
      return true
    } catch let error as NFCError where error.isRefusalOfPlus {
      try link.wake()
      return false
    }
  }

  /// Authenticates with the card's key for security level 1, and has the card authenticate: this
  /// shows that the card is not a copy made by breaking CRYPTO1. Two exchanges, preceded by a
  /// selection after HLTA. A sector that was open is closed; it can be opened again afterwards.
  ///
  /// - Parameter key: 16 bytes.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, and for a card that does not
  ///   have the key; ``NFCError/Code/tagRefused`` for a card that is not a MIFARE Plus in level 1;
  ///   ``NFCError/Code/tagResponseError`` for a broken answer, and for a wrong key on a reader that
  ///   reports a refusal as one (an ACR122U through PC/SC);
  ///   ``NFCError/Code/unsupported`` as ``isLevelOne()``.
  public func authenticate(_ key: SecretKey) async throws {
    try Self.check(key)
    try await withFrames { procedure, link in
      do {
        try procedure.authenticate(.levelOneCard, key, beginsSession: false)
      } catch let error as NFCError where error.isBrokenAnswer {
        try link.restartClassic()
        guard try Self.isLevelOne(procedure, link) else { throw Self.notLevelOne(error) }
        throw NFCError(
          .tagResponseError, "the card's answer was broken, or the key is wrong",
          cause: error.cause)
      } catch let error as NFCError
        where error.code == .authenticationFailed || error.isRefusalOfPlus
      {
        // A card that has left looks the same: it cannot be woken.
        try link.wake()
        guard error.code == .authenticationFailed else {
          throw Self.notLevelOne(error)
        }
        throw error
      }
    }
  }

  private static func notLevelOne(_ error: NFCError) -> NFCError {
    NFCError(.tagRefused, "the card is not a MIFARE Plus in security level 1", cause: error.cause)
  }

  private func withFrames<Result: Sendable>(
    _ body: @Sendable (inout MIFAREPlusProcedure, TagLink) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [random] link in
      // The cipher of a sector that was left open would encrypt the next commands.
      try link.restartClassic()
      var procedure = MIFAREPlusProcedure(
        send: { try link.sendBelowBlocks($0) }, session: nil, random: link.random(random))
      return try body(&procedure, link)
    }
  }

  static func check(_ key: SecretKey) throws {
    guard key.count == MIFAREPlusCard.keySize else {
      throw NFCError(
        .invalidParameter, "a key has \(MIFAREPlusCard.keySize) bytes, not \(key.count)")
    }
  }

  // MARK: Switching to level 3

  /// Plans switching the card to security level 3. Changes nothing: two exchanges and two
  /// selections, the first after HLTA.
  ///
  /// Performing the plan switches the card by authenticating with the key for that level: four
  /// exchanges, preceded by a selection after HLTA; five and another selection for a card that does not accept a
  /// first authentication in level 1. When the card next enters the field, it is in
  /// level 3, and the reader finds it as a different tag. **Cannot be undone:** the effects are
  /// ``IrreversibleEffect/leavesSecurityLevel`` and ``IrreversibleEffect/closesClassicKeys``.
  ///
  /// From then on, the AES keys that were written in level 0 apply, and the keys of CRYPTO1 open
  /// nothing. The card switches completely or not at all; if the answer was lost, the next
  /// detection shows which.
  ///
  /// - Parameter key: the card's key for level 3, 16 bytes; `nil` for a plan that is only to be looked at.
  /// - Throws: ``NFCError/Code/unsupported`` for a card that does not support ISO/IEC 14443-4, and
  ///   as ``isLevelOne()``. Performing throws ``NFCError/Code/authenticationFailed`` for a wrong
  ///   key: the card does not change; ``NFCError/Code/notAuthenticated`` without a key.
  public func levelThreePlan(key: SecretKey?) async throws -> ChangePlan {
    if let key { try Self.check(key) }
    try await withBlocks { blocks, _, link in
      try blocks.end()
      try link.wake()
    }
    return ChangePlan(
      for: self,
      [ChangePlan.Step(nil, "security level", before: .words("1"), after: .words("3"))],
      effects: [.leavesSecurityLevel, .closesClassicKeys], recovery: Self.switchRecovery,
      performing: {
        guard let key else {
          throw NFCError(
            .notAuthenticated, "the switch requires \(MIFAREPlusKeyAddress.levelThreeSwitch)")
        }
        try await self.switchToLevelThree(key)
      })
  }

  private static let switchRecovery =
    "the card may have switched levels: look at it again to see which level it has"

  private func switchToLevelThree(_ key: SecretKey) async throws {
    try await withBlocks { [random] blocks, _, link in
      let state = Blocks(blocks)
      var procedure = MIFAREPlusProcedure(
        send: { try state.blocks.exchange($0) }, session: nil, random: link.random(random))
      try NFCError.inDoubt(Self.switchRecovery) {
        do {
          try procedure.authenticate(.levelThreeSwitch, key)
        } catch let error as NFCError where error.code == .unsupported {
          // An EV1 has been seen to take the first authentication here; SpringCard and liblogicalaccess send the
          // other one to an S or X. A card that has refused a command may be silent until it is selected again.
          try? state.blocks.end()
          try link.restartClassic()
          _ = try state.blocks.begin()
          try procedure.authenticate(.levelThreeSwitch, key, beginsSession: false)
        }
      }
      // The result of the final exchange does not matter.
      try? state.blocks.end()
    }
  }

  /// Holds the blocks, so that a closure can continue to use them.
  final class Blocks {
    var blocks: MIFAREPlusBlocks
    init(_ blocks: MIFAREPlusBlocks) { self.blocks = blocks }
  }

  /// A cancelled task does not stop it halfway.
  func withBlocks<Result: Sendable>(
    _ body: @Sendable (MIFAREPlusBlocks, [UInt8], TagLink) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { link in
      try link.restartClassic()
      return try link.uninterrupted {
        var blocks = MIFAREPlusBlocks(send: { try link.sendBelowBlocks($0) })
        let answer: [UInt8]
        do {
          answer = try link.askingClassic { try blocks.begin() }
        } catch let error as NFCError where error.code == .unsupported {
          // A card that has refused a command is silent; one that has left cannot be woken.
          try link.wake()
          throw error
        } catch let error as NFCError where error.code == .tagRefused {
          try link.wake()
          throw MIFAREPlusBlocks.refused(error)
        }
        return try body(blocks, answer, link)
      }
    }
  }
}

extension TagLink {
  /// Exchanges one frame without the blocks of ISO/IEC 14443-4, in the form of an Ultralight's:
  /// CRC_A, or the four bits of a refusal.
  fileprivate func sendBelowBlocks(_ frame: [UInt8]) throws -> [UInt8] {
    try sendUltralight(frame)
  }

  /// Runs a question that a card may refuse, again if the answer is broken. A chip that verifies
  /// CRC_A reports the four bits of a refusal as a broken answer: three of these in a row are one
  /// (PN532, UM0701-02, 7.1).
  fileprivate func askingClassic<Answer>(_ question: () throws -> Answer) throws -> Answer {
    let attempts = 3
    for _ in 1..<attempts {
      do {
        return try question()
      } catch let error as NFCError where error.isBrokenAnswer {
        try restartClassic()
      }
    }
    do {
      return try question()
    } catch let error as NFCError where error.isBrokenAnswer {
      throw NFCError(.tagRefused, "the card has refused the command", cause: error.cause)
    }
  }

  /// Halts the card and selects it again. A card with an open sector cannot decrypt a plain HLTA
  /// and refuses it with four encrypted bits, which can look like an acknowledge: after that it is
  /// silent and does not answer the next command.
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

extension NFCError {
  fileprivate var isBrokenAnswer: Bool { code == .tagResponseError && cause == .checksum }
}
