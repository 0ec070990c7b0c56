import TagImages

/// A chip that supports images.
protocol ImagedChip: VirtualChip {
  /// An image with all data of the chip that a file can hold, including keys and passwords.
  var tagImage: TagImage { get }
}

extension VirtualTag {
  /// An image of the current state of the tag, including keys and passwords; `nil` for a chip from
  /// outside this package.
  ///
  /// Setting ``memory`` writes to the tag; use ``image(_:)`` for a tag with another identity.
  public var image: TagImage? {
    withAnyChip { chip in
      guard var image = (chip as? any ImagedChip)?.tagImage else { return nil }
      image.removeHiddenSecrets()
      return image
    }
  }

  /// Returns a tag with the content of an image.
  ///
  /// What the image does not contain has the values of a new chip, except that unknown keys of a
  /// MIFARE Classic are random, and unknown pages and blocks are zero.
  ///
  /// - Throws: ``VirtualTagNameError/notADump(_:)`` for a tag without a virtual chip.
  public static func image(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    switch image.kind {
    case .classic:
      let sectors = try MIFAREClassic(image)
      return SmartMX.isIndicated(by: sectors.activation.sak)
        ? VirtualTag(SmartMX(sectors)) : VirtualTag(sectors)
    case .type2: return try type2(image)
    case .iso15693: return try vicinity(image)
    case .feliCaLite: return try feliCaLite(image)
    case .feliCa: return VirtualTag(try FeliCaStandard(image))
    case .topaz: return try topaz(image)
    case .st25tb: return VirtualTag(try SRIX4K(image))
    case .smartCard: return VirtualTag(try ISO7816Card(image))
    case .desfire: return VirtualTag(try DESFireImageCard(image))
    case .iClass: return VirtualTag(try PicoPass(image))
    case .ctx: return VirtualTag(try CTS512B(image))
    case .barcode: return VirtualTag(try NFCBarcode(image))
    case .bPrime: return VirtualTag(try CalypsoBPrime(image))
    case .iso14443a where image.plus?.hasContent == true: return VirtualTag(try MIFAREPlus(image))
    case .iso14443a, .iso14443b: return VirtualTag(try IdentityCard(image))
    }
  }
}
