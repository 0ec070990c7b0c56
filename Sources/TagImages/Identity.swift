extension TagImage {
  /// Derives values that the file does not contain elsewhere from the memory: the UID, and the answers
  /// that all tags of the kind share.
  mutating func deriveIdentity() {
    switch kind {
    case .classic:
      guard let block = memory.known(0..<ClassicLayout.blockSize),
        let identity = ClassicLayout.identity(of: block)
      else { return }
      uid = uid ?? identity.uid
      atqa = atqa ?? identity.atqa
      sak = sak ?? identity.sak.map { $0 & ~ClassicLayout.signOfStoredSAK }
    case .type2:
      if uid == nil, memory.known(0..<10) != nil {
        uid = Self.type2UID(memory.bytes) ?? Self.ntagI2CUID(memory.bytes)
      }
      // NTAG213/215/216 data sheet, 9: ATQA 0044 and SAK 00, as for all Ultralight chips.
      atqa = atqa ?? [0x00, 0x44]
      sak = sak ?? 0x00
    case .topaz:
      if uid == nil { uid = memory.known(0..<7) }
    case .feliCaLite:
      // D_ID contains IDm and PMm.
      guard let identifiers = feliCaLiteBlock(0x83) else { return }
      uid = uid ?? Array(identifiers.prefix(8))
      var details = feliCa ?? FeliCa()
      details.pmm = details.pmm ?? Array(identifiers.suffix(8))
      feliCa = details
    case .iClass:
      // The UID is in transmission order, least significant byte first.
      if uid == nil { uid = memory.known(0..<8)?.reversed() }
    case .barcode:
      if uid == nil { uid = memory.known(0..<memory.bytes.count) }
    case .iso15693, .feliCa, .desfire, .smartCard, .st25tb, .ctx, .bPrime, .iso14443a, .iso14443b:
      return
    }
  }

  /// Takes the UID of an Ultralight or NTAG from its pages if the file names another one: a reader gets both from the
  /// same memory. Many files for Flipper Zero name the first seven bytes of the pages, in which the fourth is a check
  /// byte (Gioman101/FlipperAmiibo).
  ///
  /// - Returns: a sentence about the contradiction, if there is one.
  mutating func settleUID() -> String? {
    guard kind != .classic else { return settleClassicUID() }
    // An Ultralight AES with a random UID has one that begins with 08 (ISO/IEC 14443-3, 6.5.4).
    let randomUID: UInt8 = 0x08
    guard kind == .type2, let named = uid, named.first != randomUID,
      let start = memory.known(0..<16),
      let stored = Self.type2UID(start) ?? Self.ntagI2CUID(start), stored != named
    else { return nil }
    uid = stored
    return "the UID of the pages, \(Hexadecimal.text(stored)), is used; the file also has "
      + Hexadecimal.text(named)
  }

  /// The same for block 0 of a MIFARE Classic, if its check byte says that it is one. A card may answer with a random
  /// UID, and one with seven bytes in block 0 with another one of four (NXP AN10927, 2 and 3).
  private mutating func settleClassicUID() -> String? {
    let randomUID: UInt8 = 0x08
    guard let named = uid, named.first != randomUID,
      let block = memory.known(0..<ClassicLayout.blockSize),
      let identity = ClassicLayout.identity(of: block), identity.uid != named,
      identity.uid.count == named.count
    else { return nil }
    let (stored, other) = (Hexadecimal.text(identity.uid), Hexadecimal.text(named))
    guard identity.rightCheckByte == nil else {
      return "the UID \(other) is used; block 0 has \(stored)"
    }
    uid = identity.uid
    return "the UID of block 0, \(stored), is used; the file also has \(other)"
  }

  /// The positions of keys and passwords in the memory.
  public var secrets: [Range<Int>] {
    switch kind {
    case .classic:
      (0..<sectorCount).flatMap { sector -> [Range<Int>] in
        let trailer = ClassicLayout.trailer(ofSector: sector)
        return [trailer.keyA, trailer.keyB]
      }
    case .type2: type2Chip?.secretBytes ?? []
    case .feliCaLite: Self.feliCaLiteSecrets
    case .iClass: [PicoPassLayout.keys]
    case .iso15693, .feliCa, .topaz, .desfire, .smartCard, .st25tb, .ctx, .barcode, .bPrime,
      .iso14443a, .iso14443b:
      []
    }
  }

  /// Makes passwords of zeros unknown: tags return zeros in their place (NTAG213/215/216 data
  /// sheet, 8.5.7; FeliCa Lite-S User's Manual, 3.3).
  package mutating func removeHiddenSecrets() {
    guard kind == .type2 || kind == .feliCaLite else { return }
    for range in secrets where memory.known(range)?.allSatisfy({ $0 == 0 }) == true {
      memory.markUnknown(range)
    }
  }
}
