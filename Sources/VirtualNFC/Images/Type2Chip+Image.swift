import TagImages

extension Type2Chip {
  /// The parts of an image that all Type 2 chips have.
  var plainImage: TagImage {
    var image = TagImage(.type2, unitSize: Type2Memory.pageSize, bytes: pages)
    image.uid = identifier
    image.atqa = [0x00, 0x44]
    image.sak = 0x00
    return image
  }
}

extension MIFAREUltralight: ImagedChip { var tagImage: TagImage { plainImage } }
extension MIFAREUltralightC: ImagedChip { var tagImage: TagImage { plainImage } }
extension NTAG203: ImagedChip { var tagImage: TagImage { plainImage } }

extension NTAGI2C: ImagedChip {
  var tagImage: TagImage {
    var image = plainImage
    image.version = product.version
    return image
  }
}

extension NTAGI2CPlus: ImagedChip {
  var tagImage: TagImage {
    var image = plainImage
    image.version = product.version
    image.signature = signature
    return image
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    if let signature = image.signature, signature.count == self.signature.count {
      self.signature = signature
    }
  }
}

extension NTAG21x: ImagedChip {
  /// The index of the counter, which is the same as on an Ultralight EV1.
  private static let counterIndex = 2

  var tagImage: TagImage {
    var image = plainImage
    image.version = product.version
    image.signature = signature
    // A counter at zero cannot be distinguished from a counter that was not read.
    if counter != 0 { image.counters[Self.counterIndex] = .init(value: counter) }
    return image
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    if let signature = image.signature { self.signature = signature }
    if product.hasCounter, let counter = image.counters[Self.counterIndex] {
      self.counter = counter.value
    }
  }
}

extension MIFAREUltralightEV1: ImagedChip {
  /// The byte that reports that no increment was interrupted.
  private static let valid: UInt8 = 0xBD

  var tagImage: TagImage {
    var image = plainImage
    image.version = product.version
    image.signature = signature
    image.counters = counters.map { .init(value: $0, tearing: Self.valid) }
    return image
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    if let signature = image.signature { self.signature = signature }
    for (index, counter) in image.counters.enumerated() where counters.indices.contains(index) {
      if let counter { counters[index] = counter.value }
    }
  }
}

extension MIFAREUltralightAES: ImagedChip {
  var tagImage: TagImage {
    var image = plainImage
    image.version = Self.version
    image.signature = signature
    // A counter at zero cannot be distinguished from a counter that was not read.
    image.counters = counters.map { $0 == 0 ? nil : .init(value: $0) }
    return image
  }

  fileprivate mutating func adopt(_ image: TagImage) {
    if let signature = image.signature, signature.count == self.signature.count {
      self.signature = signature
    }
    for (index, counter) in image.counters.enumerated() where counters.indices.contains(index) {
      if let counter { counters[index] = counter.value }
    }
  }
}

extension VirtualTag {
  private static let ntag21x: [Type2Product: NTAG21x.Product] = [
    .ntag210: .ntag210, .ntag212: .ntag212, .ntag213: .ntag213, .ntag215: .ntag215,
    .ntag216: .ntag216,
  ]

  static func type2(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    let bytes = image.memory.bytes
    guard let product = image.type2Product else {
      throw .notADump("no Ultralight or NTAG that is known has \(image.memory.unitCount) pages")
    }
    if let ntag = ntag21x[product], var chip = NTAG21x(ntag, dump: bytes) {
      try checkUID(bytes)
      chip.adopt(image)
      return VirtualTag(chip)
    }
    let plus: [Type2Product: NTAGI2CPlus.Product] = [
      .ntagI2CPlus1K: .nt3h2111, .ntagI2CPlus2K: .nt3h2211,
    ]
    if let plus = plus[product], var chip = NTAGI2CPlus(plus, dump: bytes) {
      chip.adopt(image)
      return VirtualTag(chip)
    }
    if product == .ultralightEV1 || product == .ultralightEV1Large,
      var chip = MIFAREUltralightEV1(dump: bytes)
    {
      try checkUID(bytes)
      chip.adopt(image)
      return VirtualTag(chip)
    }
    if product == .ultralightAES, var chip = MIFAREUltralightAES(dump: bytes) {
      try checkUID(bytes)
      chip.adopt(image)
      return VirtualTag(chip)
    }
    if product == .ultralightC {
      try checkUID(bytes)
      // An unknown key has its factory value.
      let key = MIFAREUltralightC.keyPages.lowerBound * Type2Memory.pageSize
      let isKeyKnown = image.memory.known(key..<bytes.count) != nil
      if let chip = MIFAREUltralightC(dump: isKeyKnown ? bytes : Array(bytes.prefix(key))) {
        return VirtualTag(chip)
      }
    }
    return try dump(bytes)
  }

  private static func checkUID(_ bytes: [UInt8]) throws(VirtualTagNameError) {
    guard hasValidUID(bytes) else {
      throw .notADump("a check byte of the UID, the fourth or the ninth byte, is wrong")
    }
  }
}
