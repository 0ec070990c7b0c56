/// Sectors of a MIFARE Plus EV1 that are moved from security level 1 to another level.
///
/// Sources: NXP's reader library (`phalMfpEVx_Sw_SSAuthenticate`: the command, the order of the keys, their addresses),
/// Baltech's `Mif_SectorSwitch` (in ISO/IEC 14443-4, with key B of the sectors). No public source says when the switch
/// takes effect (here when the card next enters the field, as that of the whole card), what becomes of a sector trailer
/// (here the same as in level 3), or how a wrong key is refused (here as in every authentication).
extension MIFAREPlus {
  /// The level of a sector that is no longer in level 1.
  enum SectorLevel: Int, Hashable, Sendable {
    case mixed = 1
    case three
  }

  /// The first half of a switch.
  struct SectorSwitch: Hashable, Sendable {
    let sectors: [Int]
    let level: SectorLevel
    let keys: [UInt16]
    let randomNumber: [UInt8]
  }

  /// Returns the sector of a key; `nil` for a key of the card.
  func sector(ofKey address: UInt16) -> Int? {
    let number = Int(address) - Int(KeyAddress.firstSector)
    return (0..<2 * product.sectorCount).contains(number) ? number / 2 : nil
  }

  mutating func enterNextSectorLevels() {
    guard sectorLevels != nextSectorLevels else { return }
    let closed = nextSectorLevels.filter { $0.value == .three && sectorLevels[$0.key] != .three }
    sectorLevels = nextSectorLevels
    replaceClassicKeys(in: closed.keys.sorted())
    if classic != nil { classic = makeClassic() }
  }

  mutating func beginSectorSwitch(_ command: [UInt8]) throws -> [UInt8] {
    guard securityLevel == 1, hasMessagingOfEV1 else { throw Refusal(status: Status.unavailable) }
    let headSize = 4
    guard command.count > headSize, command[3] > 0,
      command.count == headSize + 2 * Int(command[3])
    else { throw Refusal(status: Status.wrongLength) }
    let address = address(command)
    let level: SectorLevel
    switch address {
    case KeyAddress.levelThreeSectorSwitch: level = .three
    case KeyAddress.mixedSectorSwitch: level = .mixed
    default: throw Refusal(status: Status.noSuchBlock)
    }
    let sectorKeys = (0..<Int(command[3])).map { self.address(command, at: headSize + 2 * $0) }
    let sectors = sectorKeys.compactMap(sector)
    guard sectors.count == sectorKeys.count, Set(sectors).count == sectors.count,
      sectorKeys.allSatisfy({ $0 % 2 == 1 })
    else { throw Refusal(status: Status.noSuchBlock) }
    // No sector returns to a level that it has left.
    guard sectors.allSatisfy({ (nextSectorLevels[$0]?.rawValue ?? 0) < level.rawValue }) else {
      throw Refusal(status: Status.accessDenied)
    }
    session = nil
    let started = SectorSwitch(
      sectors: sectors, level: level, keys: [address] + sectorKeys,
      randomNumber: random(Self.blockSize))
    sectorSwitch = started
    return [Status.ok] + (try encrypted(started.randomNumber, started))
  }

  mutating func finish(_ started: SectorSwitch, _ command: [UInt8]) throws -> [UInt8] {
    guard command.count == 1 + 2 * Self.blockSize else {
      throw Refusal(status: Status.wrongLength)
    }
    var plain = Array(command[1...])
    for address in started.keys.reversed() {
      let cipher = try cipher(address)
      plain = cipher.decrypt(plain, vector: cipher.zeroVector)
    }
    guard Array(plain.suffix(Self.blockSize)) == Self.rotated(started.randomNumber) else {
      throw Refusal(status: Status.accessDenied)
    }
    for sector in started.sectors { nextSectorLevels[sector] = started.level }
    return [Status.ok]
      + (try encrypted(Self.rotated(Array(plain.prefix(Self.blockSize))), started))
  }

  /// Returns a block encrypted with all keys, one after the other.
  private func encrypted(_ block: [UInt8], _ started: SectorSwitch) throws -> [UInt8] {
    try started.keys.reduce(block) { bytes, address in
      let cipher = try cipher(address)
      return cipher.encrypt(bytes, vector: cipher.zeroVector)
    }
  }
}
