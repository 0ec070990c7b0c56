/// One chip of the Ultralight and NTAG families, with everything that this package knows about it.
///
/// All code with a question about a chip (NDEF mapping, formatting, locking, dump, restore,
/// protection, originality, `nfc info`) uses this record, and nothing compares a name. There are no
/// defaults: an unanswered question is explicitly `nil` or an empty list.
///
/// Each chip is one file in `Chips` and one line in ``all``.
package struct Type2Chip: Sendable {
  let id: ChipID
  /// The maker's type number, which distinguishes chips with the same name.
  package let typeNumber: String
  /// As the maker sells it.
  package let name: String
  package let maker: String
  /// The source of the record.
  package let source: Source
  package let recognition: Recognition
  /// The use of each page; `nil` if that is not public: then nothing is dumped, restored or
  /// protected.
  package let pages: Type2PageMap?
  /// The lock bits and their pages; `nil` if that is not known.
  package let lockBits: Type2LockBits?
  /// Bits beyond lock pages and page 3 that can only be set, and then close something permanently.
  package let finalBits: [FinalBits]
  /// The format of a blank chip; `nil` if no source describes it.
  package let blank: Blank?
  package let hasFastRead: Bool
  /// The numbers of the counters that READ_CNT supports.
  package let counters: [UInt8]
  /// The text that the chip can insert into the user memory; `nil` for a chip without a mirror, and
  /// for one whose settings are not known.
  package let mirror: Mirror?
  package let access: AccessControl
  package let signature: Signature
  /// Whether another interface can write the memory meanwhile.
  package let hasWiredSide: Bool

  /// All memory that commands address, in bytes; `nil` if that is not known.
  package let memorySize: Int?

  /// Pages that hold or accept keys or passwords, in addition to those of the map that are for them.
  let otherSecrets: [ClosedRange<Int>]
  /// The chip whose pages and commands this one has; `nil` if they are its own.
  let model: ChipID?
  /// The forms in which programs store the memory; `nil` if none names the chip, or for a chip with a model.
  package let files: Files?

  package var product: TagProduct {
    TagProduct(id, name: name, maker: maker, memorySize: memorySize, typeNumber: typeNumber)
  }

  /// The source of the facts.
  package enum Source: Hashable, Sendable {
    /// A data sheet that is publicly available.
    case dataSheet(String)
    /// Observed on chips in the field. Reading is tried; no irreversible change relies on it.
    case observed(String)
  }

  /// The way in which the chip is distinguished from others.
  package enum Recognition: Hashable, Sendable {
    /// By the answer to GET_VERSION.
    case version([Version])
    /// The chip does not support GET_VERSION and answers the first half of the 3DES authentication.
    case authentication
    /// The chip supports neither, has an identifier of this maker, and a page that begins with these bytes.
    case productCode(page: UInt8, bytes: [UInt8], maker: UInt8)
    /// The chip supports neither, has an identifier of this maker, and READ of this page, the last one, continues with
    /// page 0.
    case lastPage(UInt8, maker: UInt8)
    /// The chip supports neither, and has an identifier of this maker.
    case identifier(maker: UInt8)
  }

  /// Bits of a page that can be set but not cleared.
  package struct FinalBits: Hashable, Sendable {
    package let page: Int
    package let byte: Int
    package let mask: UInt8
  }

  /// The format of a blank chip: the size byte of the capability container, and the TLVs before the
  /// message.
  package struct Blank: Hashable, Sendable {
    package let size: UInt8
    package let controlTLVs: [UInt8]
    /// The content of pages from 4 on upon delivery, if it is not zeros.
    package let factoryContent: [UInt8]
  }

  /// The text that replaces a part of the user memory in the answers to READ and FAST_READ.
  package enum Mirror: Hashable, Sendable {
    /// The UID; on as soon as MIRROR_PAGE is set (NTAG210/212 data sheet, 8.5.7 and 8.6).
    case uid
    /// The UID, the counter or both, as MIRROR_CONF says (NTAG213/215/216 data sheet, 8.5.7 and 8.7).
    case uidAndCounter
  }

  /// The requirement for reading or writing pages.
  package enum AccessControl: Hashable, Sendable {
    case none
    /// PWD and PACK.
    case password(PasswordSettings)
    /// A key that consists of two DES keys.
    case tripleDES(TripleDESSettings)
    /// AES keys; `nil` if the location of their settings is not known.
    case aes(AESSettings?)
  }

  /// MIFARE Ultralight AES: AUTH0 in byte 3 of the first page; PROT, CFGLCK and AUTH_LIM in the next.
  package struct AESSettings: Hashable, Sendable {
    package let firstPage: Int
  }

  /// The position of the password settings: AUTH0 in byte 3 of the first page, ACCESS in byte 0 of
  /// the next, PWD and PACK in the two after.
  package struct PasswordSettings: Hashable, Sendable {
    package let firstPage: Int
    /// Whether ACCESS has CFGLCK.
    package let hasConfigurationLock: Bool
    /// Whether ACCESS has NFC_CNT_PWD_PROT.
    package let hasProtectedCounter: Bool

    /// The two pages with AUTH0 and ACCESS.
    package var configuration: Range<Int> { firstPage..<firstPage + 2 }
    /// The pages of password and acknowledge.
    package var secrets: Range<Int> { firstPage + 2..<firstPage + 4 }
  }

  /// MIFARE Ultralight C: AUTH0, AUTH1 and the key.
  package struct TripleDESSettings: Hashable, Sendable {
    package let firstProtectedPage: Int
    package let readProtectionPage: Int
    package let keyPages: Range<Int>
  }

  /// The forms in which programs store the memory of a chip.
  package struct Files: Hashable, Sendable {
    /// The name as Flipper Zero writes it (lib/nfc/protocols/mf_ultralight/mf_ultralight.c). It has no name for NTAG210
    /// and NTAG212, and treats them as the Ultralight EV1 of the same size.
    package let flipperName: String
    /// The numbers of pages of files that lack the last pages.
    package let partialPageCounts: [Int]
    /// Whether a file without a version may have the pages of the signature after those of the chip.
    package let mayEndWithSignature: Bool
  }

  /// The originality signature.
  package enum Signature: Hashable, Sendable {
    /// The chip has no signature.
    case none
    /// Pages that anybody can read, and the maker's published keys. The chip may be signed with another key: if these
    /// do not verify a signature, that proves nothing.
    case pages(ClosedRange<Int>, [SignatureKey])
    /// READ_SIG, and the maker's published keys.
    case readSignature([SignatureKey])
    /// READ_SIG, and keys that may be the right ones: if they do not verify a signature, that
    /// proves nothing.
    case presumed([SignatureKey])

    package var signatureKeys: SignatureKeys { SignatureKeys(keys, mayBeOthers: !hasEveryKey) }

    package var keys: [SignatureKey] {
      switch self {
      case .none: []
      case .readSignature(let keys), .presumed(let keys), .pages(_, let keys): keys
      }
    }

    /// Whether a signature that no known key verifies is a forged one.
    package var hasEveryKey: Bool {
      if case .readSignature = self { true } else { false }
    }
  }
}

extension Type2Chip: Hashable {
  package static func == (first: Type2Chip, second: Type2Chip) -> Bool {
    first.id == second.id
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Type2Chip {
  /// What GET_VERSION answers: vendor, type, subtype, major and minor version, storage size, between a fixed
  /// byte 00 and the protocol type (NTAG213/215/216 data sheet, 10.1; MF0ULx1 data sheet, 10.1).
  package struct Version: Hashable, Sendable {
    package let vendor: UInt8
    package let type: UInt8
    /// The subtypes, which indicate the capacitance of the antenna, among other things.
    package let subtypes: ClosedRange<UInt8>
    package let major: UInt8
    package let minors: ClosedRange<UInt8>
    package let storageSize: UInt8

    package static let length = 8
    /// NXP's product types.
    private static let ultralight: UInt8 = 0x03
    static let ntagType: UInt8 = 0x04

    static func ultralight(
      _ subtypes: ClosedRange<UInt8>, _ major: UInt8, _ storageSize: UInt8
    ) -> Version {
      Version(
        vendor: ChipMaker.nxp, type: ultralight, subtypes: subtypes, major: major, minors: 0...0,
        storageSize: storageSize)
    }

    static func ntag(
      _ subtypes: ClosedRange<UInt8>, _ major: UInt8, minors: ClosedRange<UInt8> = 0...0,
      _ storageSize: UInt8
    ) -> Version {
      Version(
        vendor: ChipMaker.nxp, type: ntagType, subtypes: subtypes, major: major, minors: minors,
        storageSize: storageSize)
    }

    /// The answer with the lowest subtype and minor version; the protocol type at its end is ISO/IEC 14443-3.
    package var answer: [UInt8] {
      [0x00, vendor, type, subtypes.lowerBound, major, minors.lowerBound, storageSize, 0x03]
    }

    package func matches(_ answer: [UInt8]) -> Bool {
      answer.count == Self.length && answer[1] == vendor && answer[2] == type
        && subtypes.contains(answer[3]) && answer[4] == major && minors.contains(answer[5])
        && answer[6] == storageSize
    }
  }

  /// Returns a chip with the pages and commands of this one under its own identity.
  func sibling(
    _ id: ChipID, typeNumber: String, name: String, maker: String, source: Source,
    recognition: Recognition, signature: Signature
  ) -> Type2Chip {
    Type2Chip(
      id: id, typeNumber: typeNumber, name: name, maker: maker, source: source,
      recognition: recognition, pages: pages, lockBits: lockBits, finalBits: finalBits,
      blank: blank,
      hasFastRead: hasFastRead, counters: counters, mirror: mirror, access: access,
      signature: signature, hasWiredSide: hasWiredSide, memorySize: memorySize,
      otherSecrets: otherSecrets, model: self.id, files: nil)
  }

  /// Returns the chip with this answer to GET_VERSION; `nil` for an unknown one.
  package static func version(_ answer: [UInt8]) -> Type2Chip? {
    all.first {
      guard case .version(let versions) = $0.recognition else { return false }
      return versions.contains { $0.matches(answer) }
    }
  }

  /// Creates the chip that a product is.
  package init?(_ product: TagProduct?) {
    guard let product, let chip = Self.all.first(where: { $0.id == product.id }) else {
      return nil
    }
    self = chip
  }

  /// The position of the password settings; `nil` for a chip without a password, and one whose
  /// pages are not confirmed.
  package var passwordSettings: PasswordSettings? {
    guard case .password(let settings) = access, isConfirmed else { return nil }
    return settings
  }

  /// Where AUTH0 is, the first page that requires the chip's password or key: its page and the byte in it.
  package var firstProtectedPage: (page: Int, byte: Int)? {
    switch access {
    case .password(let settings): (settings.firstPage, 3)
    case .tripleDES(let settings): (settings.firstProtectedPage, 0)
    case .aes(let settings?): (settings.firstPage, 3)
    case .none, .aes(nil): nil
    }
  }

  /// Whether what cannot be undone may rest on this record.
  package var isConfirmed: Bool {
    if case .dataSheet = source { true } else { false }
  }

  /// Returns whether writing these bytes to a page would set an irreversible bit that is not set
  /// yet.
  package func isFinal(_ bytes: [UInt8], page: Int, over present: [UInt8]) -> Bool {
    finalBits.contains { bits in
      bits.page == page && bytes.indices.contains(bits.byte)
        && bytes[bits.byte] & bits.mask
          & ~(present.indices.contains(bits.byte) ? present[bits.byte] : 0) != 0
    }
  }
}
