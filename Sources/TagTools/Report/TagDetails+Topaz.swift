import NFC

/// Details of a Jewel or Topaz.
extension TagDetails {
  /// The static lock bytes, 112 and 113, with one bit for each of blocks 0 to 15 (NFC Forum Type 1 Tag, 2.3).
  /// On new tags, the bits for the UID and the reserved blocks are set.
  private enum Topaz {
    static let lockBytes = 112...113
    static let lastUserBlock = 12
    static let readAll: [UInt8] = [0x00, 0x00, 0x00]
    static let headerROMLength = 2
  }

  mutating func askTopaz(_ tag: OtherTag, listsMemory: Bool) async throws {
    let detected = DetectedTag.other(tag)
    guard
      let answer = try await answer(detected, { try await tag.transceive(Topaz.readAll) }),
      answer.count > Topaz.headerROMLength + Topaz.lockBytes.upperBound
    else { return }
    let bits = Topaz.lockBytes.map { answer[Topaz.headerROMLength + $0] }
    locks = Locks(staticBits: bits, dynamicBits: nil)
    let word = Int(bits[0]) | Int(bits[1]) << 8
    let locked = (1...Topaz.lastUserBlock).filter { word >> $0 & 1 == 1 }
    lockedBlocks = locked
    guard listsMemory else { return }
    memory = MemoryListing(
      try await detected.readImage(keys: TagKeys(), passwordBytes: nil, extent: .memory).image,
      locked: locked)
  }
}
