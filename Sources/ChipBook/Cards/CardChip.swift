/// One chip of a smart card (ISO/IEC 14443-4), with everything that this package knows about it and that commands depend
/// on. Cards with MIFARE Classic sectors are in ``MiFareClassicKind``.
package struct CardChip: Sendable {
  let id: ChipID
  /// As the maker sells it.
  package let name: String
  package let maker: String
  let recognition: [Recognition]
  let memory: Memory
  /// The numbers of the files of a chip that has fixed ones and no command to list them; none for other chips.
  package let files: [Int]
  /// How programs authenticate and send data to a DESFire or NTAG DNA; `nil` for other cards.
  package let generation: Generation?
  package let features: Set<Feature>
  /// The keys that sign its UID; those of Read_Sig of NXP, and of TruST25 of ST.
  package let signatureKeys: SignatureKeys

  /// The way in which the chip is distinguished from others.
  enum Recognition: Hashable, Sendable {
    /// By the hardware part of the answer to GetVersion: the type, and one of these major versions; any if there are none.
    case version(type: UInt8, majors: Set<UInt8>)
    /// The same, whether or not the type has the bit for an implementation on a microcontroller.
    case family(type: UInt8, majors: Set<UInt8>)
    /// By the beginning of the historical bytes.
    case historicalBytes([UInt8])
    /// By the historical bytes.
    case allHistoricalBytes([UInt8])
    /// By the second byte of a UID of STMicroelectronics, which is the product code (ST25TA02K data sheet, 3.1.4).
    case productCode(UInt8)
  }

  /// The size of the memory.
  enum Memory: Hashable, Sendable {
    /// In bytes.
    case fixed(Int)
    /// As GetVersion reports it.
    case reported
    /// Not known.
    case unknown
  }

  /// A generation of MIFARE DESFire.
  package enum Generation: Hashable, Sendable {
    case ev0, ev1, ev2, ev3
    /// DESFire Light and the NTAG 4xx DNA: fixed applications and files.
    case fixed
  }

  /// What not every card can do.
  package enum Feature: Hashable, Sendable {
    /// No interface but the antenna can change the content.
    case isChangedByReadersOnly
    /// An NDEF application is created with ISO/IEC 7816-4 names. The first generation has none; Light has fixed files.
    case createsNDEF
    /// The chip can be switched to LRP.
    case lrp
    /// The secure dynamic messaging, keys and commands of an NTAG 424 DNA.
    case ntag424
    /// The chip has Read_Sig, or may have it.
    case readSignature
    /// The answer to GetVersion is reported of a card that is no DESFire (NT4H2421Gx data sheet, 10.5.2).
    case version
    /// Files have passwords: ST25TA and M24SR.
    case filePasswords
    /// GetVersion changes nothing on the card. Only it shows that a card is an EV1 or EV2.
    case mayHaveVersion
  }
}

extension CardChip: Hashable {
  package static func == (first: CardChip, second: CardChip) -> Bool { first.id == second.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension CardChip {
  /// Every chip, in the order in which they are recognized.
  package static let all: [CardChip] = ofDESFire + ofNTAG4xx + ofPlus + ofSTMicroelectronics

  /// Creates the chip that a product is.
  package init?(_ product: TagProduct?) {
    guard let product, let chip = Self.all.first(where: { $0.id == product.id }) else {
      return nil
    }
    self = chip
  }

  /// Bit 8 of the type: an implementation on a microcontroller.
  private static let microcontroller: UInt8 = 0x80

  /// Creates the chip of a card of NXP by its answer to GetVersion; `nil` for an unknown one.
  package init?(type: UInt8, majorVersion: UInt8) {
    func fits(_ recognition: Recognition) -> Bool {
      let majors: Set<UInt8>
      switch recognition {
      case .version(type, let list): majors = list
      case .family(type & ~Self.microcontroller, let list): majors = list
      default: return false
      }
      return majors.isEmpty || majors.contains(majorVersion)
    }
    guard let chip = Self.all.first(where: { $0.recognition.contains(where: fits) }) else {
      return nil
    }
    self = chip
  }

  /// Creates the chip of a card by its historical bytes; `nil` if they do not indicate it.
  package init?(historicalBytes: [UInt8]) {
    func fits(_ recognition: Recognition) -> Bool {
      switch recognition {
      case .historicalBytes(let beginning): historicalBytes.starts(with: beginning)
      case .allHistoricalBytes(historicalBytes): true
      default: false
      }
    }
    guard let chip = Self.all.first(where: { $0.recognition.contains(where: fits) }) else {
      return nil
    }
    self = chip
  }

  private static let uidLength = 7

  /// Returns whether a card with this UID is one of STMicroelectronics, which may be an ST25TA or M24SR.
  package static func isOfST(uid: [UInt8]) -> Bool {
    uid.count == uidLength && uid[0] == ChipMaker.stMicroelectronics
  }

  /// Creates a type 4 chip of STMicroelectronics; `nil` for any other UID.
  package init?(uid: [UInt8]) {
    guard Self.isOfST(uid: uid),
      let chip = Self.all.first(where: { $0.recognition.contains(.productCode(uid[1])) })
    else { return nil }
    self = chip
  }

  /// The chip as programs see it.
  package var product: TagProduct { product(storageSize: nil) }

  /// Returns the chip as programs see it.
  ///
  /// - Parameter storageSize: as GetVersion reports it: the exponent of two; an odd value is between two of them
  ///   (MF3ICDx21_41_81 data sheet; NTAG 424 DNA data sheet, 10.5.2).
  package func product(storageSize: UInt8?) -> TagProduct {
    let size: Int?
    switch memory {
    case .fixed(let bytes): size = bytes
    case .reported:
      let exponent = storageSize.flatMap { $0 & 1 == 0 && $0 >> 1 < 24 ? Int($0 >> 1) : nil }
      size = exponent.map { 1 << $0 }
    case .unknown: size = nil
    }
    return TagProduct(id, name: name, maker: maker, memorySize: size)
  }
}
