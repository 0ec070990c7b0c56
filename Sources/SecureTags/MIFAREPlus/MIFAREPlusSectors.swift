import SwiftNFCCore

/// A level that single sectors of a MIFARE Plus EV1 or EV2 can have while the card is in security level 1.
public enum MIFAREPlusSectorLevel: String, Hashable, Sendable, CaseIterable {
  /// Security level 3: only the AES keys of the sector open it.
  case three
  /// The keys of MIFARE Classic and the AES keys open the sector (SL1SL3Mix).
  case mixed

  /// The key of the card that moves sectors to this level (NXP's reader library, `phalMfpEVx.h`).
  public var switchKey: MIFAREPlusKeyAddress {
    switch self {
    case .three: .levelThreeSectorSwitch
    case .mixed: .mixedSectorSwitch
    }
  }
}

extension MIFAREPlusLevelOneCard {
  /// The maximum number of sectors in one switch: their addresses fit into one frame of 64 bytes.
  public static let mostSwitchedSectors = 28

  /// Plans moving sectors to another level. Changes nothing: three exchanges and two selections, the first after HLTA.
  ///
  /// Performing the plan moves the sectors by authenticating with the key for that level and key B of each of them: four
  /// exchanges, preceded by a selection after HLTA. **Cannot be undone:** the effects are
  /// ``IrreversibleEffect/leavesSecurityLevel`` and, for level 3, ``IrreversibleEffect/closesClassicKeys``.
  ///
  /// The bytes are those of NXP's reader library. No public document says when the switch takes effect and what becomes
  /// of the sectors' access conditions, and it was tried on no card: try one card first.
  ///
  /// The card moves all of these sectors or none; if the answer was lost, ``readBlocks(_:_:_:_:)`` shows which.
  ///
  /// - Parameters:
  ///   - sectors: at most ``mostSwitchedSectors``, each once.
  ///   - key: the card's key for that level, ``MIFAREPlusSectorLevel/switchKey``: 16 bytes.
  ///   - sectorKeys: AES key B of each sector, by sector.
  /// - Throws: ``NFCError/Code/invalidParameter`` for other sectors, and without a key for a sector;
  ///   ``NFCError/Code/unsupported`` for a card that is not a MIFARE Plus EV1 or EV2, and as ``isLevelOne()``. Performing
  ///   throws ``NFCError/Code/authenticationFailed`` for a wrong key: the card does not change.
  public func sectorPlan(
    _ sectors: [Int], to level: MIFAREPlusSectorLevel, key: SecretKey,
    sectorKeys: [Int: SecretKey]
  ) async throws -> ChangePlan {
    guard !sectors.isEmpty, sectors.count <= Self.mostSwitchedSectors,
      Set(sectors).count == sectors.count,
      sectors.allSatisfy((0..<MIFAREPlusKeyAddress.mostSectors).contains)
    else {
      throw NFCError(
        .invalidParameter,
        "one switch moves 1 to \(Self.mostSwitchedSectors) sectors, each once, of 0 to "
          + "\(MIFAREPlusKeyAddress.mostSectors - 1)")
    }
    try Self.check(key)
    let sectors = sectors.sorted()
    let moved = try sectors.map { sector -> (address: MIFAREPlusKeyAddress, key: SecretKey) in
      guard let key = sectorKeys[sector],
        let address = MIFAREPlusKeyAddress(sector: sector, isB: true)
      else {
        throw NFCError(
          .invalidParameter, "the switch requires key B of every sector", place: .sector(sector))
      }
      try Self.check(key)
      return (address: address, key: key)
    }
    try await withBlocks { blocks, _, link in
      var blocks = blocks
      let answer = try blocks.exchange([MIFAREPlusCommandCode.getVersion])
      try blocks.end()
      try link.wake()
      guard MIFAREPlusVersion.hasSectorLevels(answer) else {
        throw NFCError(
          .unsupported, "the card is not a MIFARE Plus EV1: its sectors have one level")
      }
    }
    let recovery = "the sectors may have moved already: read one of them with its AES key to see"
    return ChangePlan(
      for: self,
      sectors.map {
        ChangePlan.Step(
          .sector($0), "security level", before: .words("1"),
          after: .words(level == .three ? "3" : "1 and 3"))
      },
      effects: level == .three
        ? [.leavesSecurityLevel, .closesClassicKeys] : [.leavesSecurityLevel],
      recovery: recovery,
      performing: {
        try await self.withProcedure { procedure in
          try NFCError.inDoubt(recovery) {
            try procedure.switchSectors(moved, level.switchKey, key)
          }
        }
      })
  }

  // MARK: Sectors that have moved

  /// Reads blocks of a sector that was moved to another level, with an AES key: an authentication, and one exchange for
  /// every three blocks, after RATS and before S(DESELECT), preceded by a selection after HLTA.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key; ``NFCError/Code/tagRefused`` for a sector that is
  ///   in level 1; ``NFCError/Code/notAuthenticated`` if the access conditions do not allow it.
  public func readBlocks(
    _ blocks: Range<Int>, _ address: MIFAREPlusKeyAddress, _ key: SecretKey,
    _ communication: MIFAREPlusCommunication = .encrypted
  ) async throws -> [UInt8] {
    try Self.check(key)
    return try await withProcedure { procedure in
      try procedure.authenticate(address, key)
      return try procedure.read(blocks, communication)
    }
  }

  /// Writes a block of a sector that was moved to another level, with an AES key: an authentication, and one exchange,
  /// which the card performs completely or not at all.
  ///
  /// The last block of a sector holds its access conditions: rights that no key has **cannot be restored**.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for data that is not 16 bytes long; otherwise as
  ///   ``readBlocks(_:_:_:_:)``.
  public func writeBlock(
    _ block: Int, _ data: [UInt8], _ address: MIFAREPlusKeyAddress, _ key: SecretKey,
    _ communication: MIFAREPlusCommunication = .encrypted
  ) async throws {
    try Self.check(key)
    try await withProcedure { procedure in
      try procedure.authenticate(address, key)
      try procedure.write(block, data, communication)
    }
  }

  /// Runs commands of level 3 in blocks of ISO/IEC 14443-4. A cancelled task does not stop it halfway.
  private func withProcedure<Result: Sendable>(
    _ body: @Sendable (inout MIFAREPlusProcedure) throws -> Result
  ) async throws -> Result {
    try await withBlocks { [random] blocks, _, link in
      let state = Blocks(blocks)
      var procedure = MIFAREPlusProcedure(
        send: { try state.blocks.exchange($0) }, session: nil, random: link.random(random))
      procedure.mostReadBlocks = MIFAREPlusBlocks.mostReadBlocks
      do {
        let result = try body(&procedure)
        // The result of the final exchange does not matter.
        try? state.blocks.end()
        return result
      } catch let error as NFCError where error.group != .connection {
        try? state.blocks.end()
        try link.wake()
        throw error
      }
    }
  }
}

/// What GetVersion says of a MIFARE Plus.
enum MIFAREPlusVersion {
  private static let additionalFrame: UInt8 = 0xAF
  /// The type of hardware is in the low half (Flipper Zero's firmware, `mf_plus_i.c`; Proxmark3, `cmdhfmfp.c`).
  private static let (typeMask, type): (UInt8, UInt8) = (0x0F, 0x02)
  /// EV1 and EV2.
  private static let majorVersions: Set<UInt8> = [0x11, 0x22]

  /// Returns whether the first frame of the answer is that of a card whose sectors have levels.
  static func hasSectorLevels(_ answer: [UInt8]) -> Bool {
    answer.count == 8 && answer[0] == additionalFrame && answer[2] & typeMask == type
      && majorVersions.contains(answer[4])
  }
}

extension MIFAREPlusProcedure {
  private static func bytes(_ address: MIFAREPlusKeyAddress) -> [UInt8] {
    [UInt8(truncatingIfNeeded: address.number), UInt8(truncatingIfNeeded: address.number >> 8)]
  }

  /// Authenticates with the key of a level and the keys of sectors at once, which moves the sectors: two exchanges.
  ///
  /// Each challenge is encrypted with the first key, then with those of the sectors in their order, each time as a chain
  /// of its own (NXP's reader library, `phalMfpEVx_Sw_SSAuthenticate`).
  func switchSectors(
    _ sectors: [(address: MIFAREPlusKeyAddress, key: SecretKey)],
    _ address: MIFAREPlusKeyAddress, _ key: SecretKey
  ) throws {
    let ciphers = try ([key] + sectors.map(\.key)).map { try BlockCipher(.aes128, key: $0) }
    func decrypted(_ bytes: [UInt8]) throws -> [UInt8] {
      try ciphers.reversed().reduce(bytes) { try $1.decrypt($0) }
    }
    let challenge = try exchange(
      [MIFAREPlusCommandCode.switchSectors] + Self.bytes(address)
        + [UInt8(truncatingIfNeeded: sectors.count)] + sectors.flatMap { Self.bytes($0.address) })
    guard challenge.count == Self.blockSize else { throw NFCError.wrongLength }
    let card = try decrypted(challenge)
    let reader = random(Self.blockSize)
    let token = try ciphers.reduce(reader + DESFireProcedure.rotated(card)) { try $1.encrypt($0) }
    let answer: [UInt8]
    do {
      answer = try exchange([MIFAREPlusCommandCode.authenticateContinued] + token)
    } catch let error as NFCError where error.code == .notAuthenticated {
      throw NFCError(
        .authenticationFailed, "\(address) or key B of a sector is wrong", cause: error.cause)
    }
    guard answer.count == Self.blockSize else { throw NFCError.wrongLength }
    guard try decrypted(answer).equalsInConstantTime(DESFireProcedure.rotated(reader)) else {
      throw NFCError(
        .authenticationFailed, "the card does not prove that it has the keys; it may be a copy")
    }
  }
}
