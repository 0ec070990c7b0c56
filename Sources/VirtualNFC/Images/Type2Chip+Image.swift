import TagImages

extension Type2Chip {
  /// The parts of an image that all Type 2 chips have. What the chip's own image did not know stays unknown.
  func image(
    version: [UInt8]? = nil, signature: [UInt8]? = nil, counters: [TagImage.Counter?] = []
  ) -> TagImage {
    var image = TagImage(.type2, unitSize: Type2Memory.pageSize, bytes: pages)
    image.uid = identifier
    image.atqa = [0x00, 0x44]
    image.sak = 0x00
    image.version = facts.map(\.version) ?? version
    image.signature = facts.map(\.signature) ?? signature
    for (number, counter) in counters.enumerated() where image.counters.indices.contains(number) {
      image.counters[number] = counter
    }
    guard let facts else { return image }
    for number in image.counters.indices {
      if !facts.counters.contains(number) { image.counters[number] = nil }
      image.counters[number]?.tearing = facts.tearing[number]
    }
    let readable = facts.readablePageCount
    if readable < image.memory.unitCount {
      image.memory.markUnknown(readable * Type2Memory.pageSize..<image.memory.bytes.count)
    }
    return image
  }
}

extension Type2Facts {
  /// - Parameter hasCommands: whether the chip has the commands that ask for them.
  fileprivate init(_ image: TagImage, hasCommands: Bool) {
    self.hasCommands = hasCommands
    version = image.version
    signature = image.signature
    for (number, counter) in image.counters.enumerated() {
      guard let counter else { continue }
      counters.insert(number)
      tearing[number] = counter.tearing
    }
    // Passwords and keys cannot be read in any case.
    let secrets = Set(image.secrets.flatMap { Array($0) })
    let memory = image.memory
    readablePageCount =
      (0..<memory.unitCount).first { page in
        let bytes = memory.range(ofUnit: page)
        return bytes.contains { !memory.isKnown[$0] } && bytes.allSatisfy { !secrets.contains($0) }
      } ?? .max
  }
}

extension MIFAREUltralight: ImagedChip { var tagImage: TagImage { image() } }
extension MIFAREUltralightC: ImagedChip { var tagImage: TagImage { image() } }
extension NTAG203: ImagedChip { var tagImage: TagImage { image() } }
extension NTAGI2C: ImagedChip { var tagImage: TagImage { image(version: product.version) } }

extension NTAGI2CPlus: ImagedChip {
  var tagImage: TagImage { image(version: product.version, signature: signature) }
}

extension NTAG21x: ImagedChip {
  /// The index of the counter, which is the same as on an Ultralight EV1.
  private static let counterIndex = 2

  var tagImage: TagImage {
    // Without an image, a counter at zero cannot be distinguished from one that was not read.
    let isKnown = counter != 0 || facts?.counters.contains(Self.counterIndex) == true
    return image(
      version: product.version, signature: signature,
      counters: [nil, nil, isKnown ? .init(value: counter) : nil])
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    if product.hasCounter, let counter = image.counters[Self.counterIndex] {
      self.counter = counter.value
    }
  }
}

extension MIFAREUltralightEV1: ImagedChip {
  /// The byte that reports that no increment was interrupted.
  private static let valid: UInt8 = 0xBD

  var tagImage: TagImage {
    image(
      version: product.version, signature: signature,
      counters: counters.map { .init(value: $0, tearing: Self.valid) })
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    for (index, counter) in image.counters.enumerated() where counters.indices.contains(index) {
      if let counter { counters[index] = counter.value }
    }
  }
}

extension MIFAREUltralightAES: ImagedChip {
  var tagImage: TagImage {
    // Without an image, a counter at zero cannot be distinguished from one that was not read.
    image(
      version: Self.version, signature: signature,
      counters: counters.map { $0 == 0 && facts == nil ? nil : .init(value: $0) })
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    for (index, counter) in image.counters.enumerated() where counters.indices.contains(index) {
      if let counter { counters[index] = counter.value }
    }
  }
}

extension VirtualTag {
  private static let ntag21x: [String: NTAG21x.Product] = [
    "NT2L1011": .ntag210, "NT2L1211": .ntag212, "NT2H1311": .ntag213, "NT2H1511": .ntag215,
    "NT2H1611": .ntag216,
  ]
  /// NTAG I²C and NTAG I²C plus.
  private static let ntagI2C: Set<String> = ["NT3H1101", "NT3H1201", "NT3H2111", "NT3H2211"]

  /// Returns a tag with the chip of an image, which reports what the image has, or with one that has only what all these
  /// chips share if its chip is not known.
  static func type2(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    guard let chip = image.type2Chip else {
      return VirtualTag(try UnknownType2Chip(image, facts: Type2Facts(image, hasCommands: true)))
    }
    // A file may lack pages at the end.
    var image = image
    image.memory = image.memory.padded(to: chip.pageCount * Type2Memory.pageSize)
    let facts = Type2Facts(image, hasCommands: chip.versionAnswer != nil)
    let bytes = image.memory.bytes
    let hasCheckBytes = !ntagI2C.contains(chip.typeNumber)
    if hasCheckBytes {
      guard hasValidUID(bytes) else {
        throw .notADump("a check byte of the UID, the fourth or the ninth byte, is wrong")
      }
    }
    if let tag = type2(image, chip.typeNumber, facts) { return tag }
    // A file may also have more pages than the chip whose version it has: readers of others go on behind the last one.
    return VirtualTag(try UnknownType2Chip(image, facts: facts))
  }

  private static func type2(
    _ image: TagImage, _ typeNumber: String, _ facts: Type2Facts
  ) -> VirtualTag? {
    let bytes = image.memory.bytes
    func tag(_ chip: (some Type2Chip)?) -> VirtualTag? {
      guard var chip else { return nil }
      chip.facts = facts
      return VirtualTag(chip)
    }
    if let ntag = ntag21x[typeNumber] {
      var chip = NTAG21x(ntag, dump: bytes)
      chip?.adopt(image)
      return tag(chip)
    }
    switch typeNumber {
    case "MF0UL11", "MF0UL21":
      var chip = MIFAREUltralightEV1(dump: bytes)
      chip?.adopt(image)
      return tag(chip)
    case "MF0AES20":
      var chip = MIFAREUltralightAES(dump: bytes)
      chip?.adopt(image)
      return tag(chip)
    case "MF0ICU2":
      // An unknown key has its factory value.
      let key = MIFAREUltralightC.keyPages.lowerBound * Type2Memory.pageSize
      let isKeyKnown = image.memory.known(key..<bytes.count) != nil
      return tag(MIFAREUltralightC(dump: isKeyKnown ? bytes : Array(bytes.prefix(key))))
    case "NT3H2111": return tag(NTAGI2CPlus(.nt3h2111, dump: bytes))
    case "NT3H2211": return tag(NTAGI2CPlus(.nt3h2211, dump: bytes))
    case "NT3H1101", "NT3H1201": return tag(NTAGI2C(dump: bytes))
    case "NT2H0301": return tag(NTAG203(dump: bytes))
    case "MF0ICU1": return tag(MIFAREUltralight(dump: bytes))
    default: return nil
    }
  }
}
