/// One chip of ISO/IEC 15693, with everything that this package knows about it and that commands depend on.
///
/// Where a UID leaves several chips open, they have a record together, too: the chip of a UID is the first in ``all``
/// that fits, and ``narrowed(blockSize:blockCount:)`` returns one of its chips once the tag has reported its memory.
///
/// Sources: ISO/IEC 7816-6 for makers; the makers' data sheets and Proxmark3's list for products. Uncertain facts are
/// left out: then the tag is asked. Not tried on hardware.
package struct ISO15693Chip: Sendable {
  /// The chip, or the group.
  let id: ChipID
  /// The maker's name for the chip; the names of a group.
  package let name: String
  /// The maker's code.
  package let maker: UInt8
  let recognition: Recognition
  /// Bytes per block and number of blocks where all chips of this kind have the same.
  package private(set) var geometry: ISO15693Geometry?
  package let traits: Traits
  /// The features of an ICODE or NTAG 5; `nil` for other chips.
  package let icode: ICODE?
  /// The registers of an ST25DV or ST25TV with the protection of its areas; `nil` for other chips, and for a group whose
  /// chips have different ones.
  package let areaRegisters: AreaRegisters?
  /// The sizes in bytes that a password for the memory can have; none for a chip without one, or whose passwords are not
  /// known.
  package let memoryPasswordSizes: [Int]
  package let signature: Signature

  /// The way in which the chip is distinguished from others.
  enum Recognition: Hashable, Sendable {
    /// By this whole UID.
    case uid([UInt8])
    /// By the third byte of the UID.
    case code([ClosedRange<UInt8>])
    /// By the third byte, and by bits of the fourth.
    case generation(UInt8, mask: UInt8, bits: UInt8)
    /// It is one of a group whose UIDs begin alike, with this number of blocks.
    case member(of: ChipID, blockCount: Int)
  }

  /// What sets a chip apart from the standard's reader's point of view.
  package struct Traits: Hashable, Sendable {
    /// The maximum number of blocks in one read; 1 if several cannot be read.
    package var readLimit: Int?
    /// Reads do not go beyond a multiple of this many blocks.
    package var sectorLength: Int?
    /// The maximum number of blocks in one write.
    package var writeLimit = 1
    /// Writes and locks need the option flag.
    package var needsWriteOption = false
    /// How block numbers above 255 are sent.
    package var wideNumbers: WideNumbers?
    /// The block that counts what is written to it, so that it never reads as it was written.
    package var counterBlock: Int?
    /// Whether somebody else can write while the tag is connected.
    package var hasWiredSide = false
    /// The parts that the standard's lock command locks.
    package var locking = Locking.blocks
    /// The tag supports Get System Information.
    package var hasSystemInformation = true
    /// Whether the system information reports a wrong size of the memory.
    package var misstatesMemory = false
  }

  /// The way in which block numbers above 255 are sent.
  package enum WideNumbers: Hashable, Sendable {
    /// With the extended commands, 30 to 3C.
    case extendedCommands
    /// With ordinary commands and the protocol extension flag, also for small numbers.
    case protocolExtension
  }

  /// The parts of a chip that the standard's lock command locks.
  package enum Locking: Hashable, Sendable {
    /// Each block.
    case blocks
    /// Only blocks 0 and 1, for a capability container (ST25DV04K data sheet, 7.6.6 and its
    /// register LOCK_CCFILE, which has a bit for each of them).
    case containerOnly
    /// The chip does not support the command, but has its maker's command for sectors (M24LR64-R
    /// data sheet, 26).
    case sectors
  }

  /// Passwords and keys of an ICODE or NTAG 5.
  package struct ICODE: Hashable, Sendable {
    /// The passwords, by the number in commands (SL2S2602 data sheet, table 21).
    package var passwords: Set<UInt8> = []
    /// How passwords protect the memory; `nil` for a chip without passwords for it.
    package var memory: Memory?
    /// Whether the chip has AES keys, or may be set to use them.
    package var hasKeys = false
    /// Whether its configuration is documented: what keys may do, and how many authentications are left.
    package var hasConfiguration = false
    /// Whether the chip has article surveillance although it reports nothing about its protection.
    package var hasPlainSurveillance = false

    /// How passwords protect the memory.
    package enum Memory: Hashable, Sendable {
      /// In two parts, which are divided at any block up to this one.
      case parts(lastBlock: Int)
      /// Page by page.
      case pages(count: Int)
    }

    static let (read, write, privacy): (UInt8, UInt8, UInt8) = (0x01, 0x02, 0x04)
    static let (destroy, surveillance): (UInt8, UInt8) = (0x08, 0x10)
    static let allPasswords: Set<UInt8> = [read, write, privacy, destroy, surveillance]
  }

  /// The registers with the protection of areas.
  package enum AreaRegisters: Hashable, Sendable {
    /// Of an ST25DV, and of ST25TV16K and 64K (ST's NFC SDK, ST25TV64KTag): four areas with a password of 8 bytes.
    case dv
    /// Of ST25TV512 and 02K: one area with a password of 8 bytes, or two of 4 bytes.
    case tv
    /// Of ST25TV512C and 02KC: the same with a boundary at any block, and other registers (ST's library st25tags,
    /// `st25tvc.c`).
    case tvc
  }

  /// The originality signature.
  package enum Signature: Hashable, Sendable {
    case none
    /// NXP's READ SIGNATURE.
    case readSignature(SignatureKeys)
    /// TruST25 of ST, in blocks.
    case trust25(SignatureKeys)

    package var keys: SignatureKeys {
      switch self {
      case .none: .none
      case .readSignature(let keys), .trust25(let keys): keys
      }
    }
  }

  init(
    _ id: ChipID, _ name: String, _ maker: UInt8, _ recognition: Recognition,
    _ blockCount: Int? = nil, _ blockSize: Int = 4, traits: Traits = Traits(), icode: ICODE? = nil,
    areaRegisters: AreaRegisters? = nil, memoryPasswordSizes: [Int] = [],
    signature: Signature = .none
  ) {
    self.id = id
    self.name = name
    self.maker = maker
    self.recognition = recognition
    geometry = blockCount.map { ISO15693Geometry(blockSize: blockSize, blockCount: $0) }
    self.traits = traits
    self.icode = icode
    self.areaRegisters = areaRegisters
    self.memoryPasswordSizes = memoryPasswordSizes
    self.signature = signature
  }

  /// Returns one of a group, with its facts and `changes` to them.
  func member(
    _ id: ChipID, _ name: String, blocks: Int, icode: ICODE? = nil,
    areaRegisters: AreaRegisters? = nil, memoryPasswordSizes: [Int]? = nil,
    signature: Signature? = nil, _ changes: (inout Traits) -> Void = { _ in }
  ) -> ISO15693Chip {
    var traits = traits
    changes(&traits)
    return ISO15693Chip(
      id, name, maker, .member(of: self.id, blockCount: blocks), blocks, traits: traits,
      icode: icode ?? self.icode, areaRegisters: areaRegisters ?? self.areaRegisters,
      memoryPasswordSizes: memoryPasswordSizes ?? self.memoryPasswordSizes,
      signature: signature ?? self.signature)
  }
}

extension ISO15693Chip: Hashable {
  package static func == (first: ISO15693Chip, second: ISO15693Chip) -> Bool {
    first.id == second.id
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ISO15693Chip {
  /// Every chip, in the order in which they are recognized.
  package static let all: [ISO15693Chip] =
    ofNXP + ofSTMicroelectronics + ofTexasInstruments + ofInfineon + ofEMMicroelectronic
    + ofFujitsu

  /// Creates the chip of a UID, 8 bytes, most significant first; `nil` if it is not known.
  package init?(uid: [UInt8]) {
    guard Self.manufacturerCode(uid: uid) != nil, uid[0] == Self.firstByte,
      let chip = Self.all.first(where: { $0.fits(uid) })
    else { return nil }
    self = chip
  }

  /// Creates the chip that a product is.
  package init?(_ product: TagProduct?) {
    guard let product, let chip = Self.all.first(where: { $0.id == product.id }) else {
      return nil
    }
    self = chip
  }

  private static let firstByte: UInt8 = 0xE0

  private func fits(_ uid: [UInt8]) -> Bool {
    switch recognition {
    case .uid(let whole): uid == whole
    case .code(let codes): uid[1] == maker && codes.contains { $0.contains(uid[2]) }
    case .generation(let code, let mask, let bits):
      uid[1] == maker && uid[2] == code && uid[3] & mask == bits
    case .member: false
    }
  }

  /// Returns the chip of this group with a number of blocks; `nil` if there is none, or if the chip is no group.
  package func member(blockCount: Int) -> ISO15693Chip? {
    members.first { $0.recognition == .member(of: id, blockCount: blockCount) }
  }

  /// Whether the UID leaves several chips open.
  package var isGroup: Bool { !members.isEmpty }

  /// The chips of this group.
  package var members: [ISO15693Chip] {
    Self.all.filter {
      if case .member(of: id, _) = $0.recognition { true } else { false }
    }
  }

  /// Returns the chip among those that the UID leaves open, once the tag has reported its memory.
  package func narrowed(blockSize: Int?, blockCount: Int?) -> ISO15693Chip {
    guard let blockSize, let blockCount, var chip = member(blockCount: blockCount) else {
      return self
    }
    chip.geometry = ISO15693Geometry(blockSize: blockSize, blockCount: blockCount)
    return chip
  }

  /// Returns the number of the block that counts what is written to it; `nil` if there is none.
  ///
  /// - Parameter blockCount: as the tag has reported it; `nil` if that is not known.
  package func counterBlock(blockCount: Int?) -> Int? {
    traits.counterBlock ?? blockCount.flatMap { member(blockCount: $0)?.traits.counterBlock }
  }

  /// Returns the chip of a UID for ``TagProduct``; `nil` if it is not known.
  package static func tagProduct(uid: [UInt8]) -> TagProduct? {
    ISO15693Chip(uid: uid)?.tagProduct
  }

  /// The chip as programs see it.
  package var tagProduct: TagProduct {
    TagProduct(
      id, name: name, maker: ChipMaker.name(maker) ?? "", memorySize: geometry?.size)
  }
}

/// How a tag's memory is divided.
package struct ISO15693Geometry: Hashable, Sendable {
  /// In bytes.
  package var blockSize: Int
  package var blockCount: Int

  package init(blockSize: Int, blockCount: Int) {
    self.blockSize = blockSize
    self.blockCount = blockCount
  }

  /// In bytes.
  package var size: Int { blockSize * blockCount }
}
