import SwiftNFCCore
import TagImages

extension VicinityChip {
  /// The parts of an image that all vicinity chips have.
  var plainImage: TagImage {
    var image = TagImage(.iso15693, unitSize: core.blockSize, bytes: core.blocks)
    image.uid = core.ownUID
    let facts = core.facts
    var details = TagImage.Vicinity()
    details.dsfid = facts?.hasDSFID ?? true ? core.dsfid : nil
    details.afi = facts?.hasAFI ?? true ? core.afi : nil
    details.isDSFIDLocked = core.isDSFIDLocked
    details.isAFILocked = core.isAFILocked
    details.lockedBlocks = facts?.hasLocks ?? true ? core.locked : nil
    details.icReference = facts.map(\.icReference) ?? profile.icReference
    image.vicinity = details
    return image
  }

  fileprivate mutating func adoptBlocks(_ image: TagImage) {
    core.load(image.memory.bytes)
    core.facts = VicinityFacts(image)
    guard let details = image.vicinity else { return }
    core.dsfid = details.dsfid ?? 0
    core.afi = details.afi ?? 0
    core.isDSFIDLocked = details.isDSFIDLocked ?? false
    core.isAFILocked = details.isAFILocked ?? false
    for (index, isLocked) in (details.lockedBlocks ?? []).enumerated()
    where core.locked.indices.contains(index) {
      core.locked[index] = isLocked
    }
  }
}

extension VicinityFacts {
  fileprivate init(_ image: TagImage) {
    hasDSFID = image.vicinity?.dsfid != nil
    hasAFI = image.vicinity?.afi != nil
    icReference = image.vicinity?.icReference
    hasLocks = image.vicinity?.lockedBlocks != nil
    hasSignature = image.signature != nil
    hasProtection =
      image.vicinity?.protectionPointer != nil || image.vicinity?.protectionCondition != nil
  }
}

extension PlainVicinityChip: ImagedChip { var tagImage: TagImage { plainImage } }
extension ST25DV: ImagedChip { var tagImage: TagImage { plainImage } }
extension ST25TV: ImagedChip { var tagImage: TagImage { plainImage } }
extension ST25TV02KC: ImagedChip { var tagImage: TagImage { plainImage } }

extension ICODEChip {
  /// The parts of an image that all ICODE chips with passwords have.
  fileprivate var imageWithPasswords: TagImage {
    var image = plainImage
    image.vicinity?.passwords = security.imagePasswords
    image.vicinity?.isEASLocked = security.isEASLocked
    if security.passwords[.privacy] != nil { image.vicinity?.isPrivate = security.isPrivate }
    return image
  }

  /// Returns a tag with this chip and the content of an image.
  fileprivate func tag(with image: TagImage) -> VirtualTag {
    var chip = self
    chip.adoptBlocks(image)
    chip.security.adopt(image.vicinity)
    return VirtualTag(chip)
  }
}

extension ICODESLIX: ImagedChip { var tagImage: TagImage { imageWithPasswords } }
extension ICODESLIXL: ImagedChip { var tagImage: TagImage { imageWithPasswords } }
extension ICODESLIXS: ImagedChip { var tagImage: TagImage { imageWithPasswords } }

extension ICODEDNA: ImagedChip {
  /// No format has a place for the keys, and none for the signature, which follows from the UID.
  var tagImage: TagImage { plainImage }

  fileprivate mutating func adopt(_ image: TagImage) {
    adoptBlocks(image)
    if let signature = image.signature { self.signature = signature }
  }
}

extension NTAG5Link: ImagedChip {
  /// No format has a place for keys and configuration, and those of a SLIX2's passwords would become another chip.
  var tagImage: TagImage { plainImage }
}

extension ICODESLIX2: ImagedChip {
  var tagImage: TagImage {
    var image = imageWithPasswords
    if core.facts?.hasSignature ?? true { image.signature = signature }
    if core.facts?.hasProtection ?? true {
      image.vicinity?.protectionPointer = UInt8(clamping: protection.pointer)
      image.vicinity?.protectionCondition = protection.conditions
    }
    image.vicinity?.isProtectionLocked = protection.isLocked
    return image
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    if let signature = image.signature { self.signature = signature }
    guard let details = image.vicinity else { return }
    protection.pointer = Int(details.protectionPointer ?? 0)
    protection.conditions = details.protectionCondition ?? 0
    protection.isLocked = details.isProtectionLocked ?? false
  }
}

extension ICODESecurity {
  private static let names: [(TagImage.Vicinity.Password, ICODEPassword)] = [
    (.read, .read), (.write, .write), (.privacy, .privacy), (.destroy, .destroy), (.eas, .eas),
  ]

  fileprivate var imagePasswords: [TagImage.Vicinity.Password: [UInt8]] {
    var all: [TagImage.Vicinity.Password: [UInt8]] = [:]
    for (name, password) in Self.names { all[name] = passwords[password] }
    return all
  }

  fileprivate mutating func adopt(_ details: TagImage.Vicinity?) {
    guard let details else { return }
    for (name, password) in Self.names where passwords[password] != nil {
      if let value = details.passwords[name], value.count == ICODEPassword.length {
        passwords[password] = value
      }
    }
    isEASLocked = details.isEASLocked ?? false
    isPrivate = passwords[.privacy] != nil && details.isPrivate ?? false
  }
}

extension VirtualTag {
  /// The maker's code in the second byte of a UID (ISO/IEC 7816-6).
  private enum Maker {
    static let st: UInt8 = 0x02
    static let nxp: UInt8 = 0x04
    static let texasInstruments: UInt8 = 0x07
    static let fujitsu: UInt8 = 0x08
  }

  static func vicinity(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    guard !image.memory.isEmpty else {
      throw .notADump("it has no blocks, and an ISO 15693 tag without any is not there")
    }
    let model = vicinityModel(image)
    switch model {
    case ICODESLIX.model: return ICODESLIX(uid: image.uid).tag(with: image)
    case ICODESLIXL.model: return ICODESLIXL(uid: image.uid).tag(with: image)
    case ICODESLIXS.model, .icodeSLIS:
      return ICODESLIXS(model, uid: image.uid).tag(with: image)
    case ICODEDNA.model:
      var chip = ICODEDNA(uid: image.uid)
      chip.adopt(image)
      return VirtualTag(chip)
    case NTAG5Link.model:
      var chip = NTAG5Link(uid: image.uid)
      chip.adoptBlocks(image)
      chip.adopt(signature: image.signature)
      return VirtualTag(chip)
    case ICODESLIX2.model:
      var chip = ICODESLIX2(uid: image.uid)
      chip.adoptBlocks(image)
      chip.security.adopt(image.vicinity)
      chip.adopt(image)
      return VirtualTag(chip)
    case .st25dv04K, .st25dv16K, .st25dv64K:
      var chip = ST25DV(model, uid: image.uid)
      chip.adoptBlocks(image)
      return VirtualTag(chip)
    case .st25tv02K:
      var chip = ST25TV(model, uid: image.uid)
      chip.adoptBlocks(image)
      return VirtualTag(chip)
    case .st25tv02KC:
      var chip = ST25TV02KC(uid: image.uid)
      chip.adoptBlocks(image)
      return VirtualTag(chip)
    default:
      var chip = PlainVicinityChip(model, uid: image.uid)
      chip.adoptBlocks(image)
      return VirtualTag(chip)
    }
  }

  /// Returns the model that matches the UID and the size. Without a UID, nothing says which chip it is.
  private static func vicinityModel(_ image: TagImage) -> VicinityModel {
    let known: [VicinityModel] = [
      ICODESLIX.model, ICODESLIX2.model, .icodeSLIS, ICODESLIXS.model, ICODESLIXL.model,
      .st25tv02K, .st25tv02KC, .st25dv04K, .st25dv16K, .st25dv64K, .tagItHFIPlus, .mb89r118,
      ICODEDNA.model, NTAG5Link.model,
    ]
    guard let uid = image.uid, uid.count == 8 else { return unknownModel(image) }
    return known.first {
      $0.blockCount == image.memory.unitCount && $0.blockSize == image.memory.unitSize
        && isOf(uid, $0.defaultUID)
    } ?? unknownModel(image)
  }

  /// Returns whether two UIDs have the same maker and product. For NXP's ICODE, the bits that distinguish
  /// SLI, SLIX, SLIX2 and DNA are compared too (SL2S2602 data sheet, 8.3).
  private static func isOf(_ uid: [UInt8], _ other: [UInt8]) -> Bool {
    guard uid[1] == other[1] else { return false }
    switch uid[1] {
    case Maker.nxp:
      return uid[2] == other[2] && uid[3] & 0x18 == other[3] & 0x18
    case Maker.st: return uid[2] == other[2]
    default: return true
    }
  }

  /// What a chip answers whose UID is not known: a UID without the code of any maker.
  private static let uidOfUnknown: [UInt8] = [0xE0, 0, 0, 0, 0, 0, 0, 0]

  /// Returns a model that supports only the standard's commands and none of the maker's.
  private static func unknownModel(_ image: TagImage) -> VicinityModel {
    let uid = image.uid.flatMap { $0.count == 8 ? $0 : nil } ?? uidOfUnknown
    return VicinityModel(
      "iso15693", uid: uid, blockCount: image.memory.unitCount, blockSize: image.memory.unitSize,
      isWide: image.memory.unitCount > 256, features: .readMultipleBlocks,
      profile: VicinityProfile(
        commands: image.memory.unitCount > 256
          ? VicinityProfile.usualCommands.union(VicinityProfile.extendedCommands)
          : VicinityProfile.usualCommands,
        icReference: image.vicinity?.icReference, reportsMemorySize: image.memory.unitCount <= 256,
        manufacturer: uid[1]))
  }
}
