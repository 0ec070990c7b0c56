import TagImages

/// A chip of which an image can be made.
protocol ImagedChip: VirtualChip {
  /// All that a file can hold of the chip, keys and passwords included.
  var tagImage: TagImage { get }
}

extension VirtualTag {
  /// An image of the tag as it is now, keys and passwords included; `nil` for a chip from outside this package.
  ///
  /// Setting ``memory`` writes to the tag; a tag with another identity is made with ``image(_:)``.
  public var image: TagImage? {
    withAnyChip { chip in
      guard var image = (chip as? any ImagedChip)?.tagImage else { return nil }
      image.forgetHiddenSecrets()
      return image
    }
  }

  /// The tag that an image is of.
  ///
  /// What the image leaves open is as a new chip has it, except keys of a MIFARE Classic, which then are such as
  /// nobody knows, and pages and blocks, which are zero.
  ///
  /// - Throws: ``VirtualTagNameError/notADump(_:)`` for a tag that there is no virtual chip for.
  public static func image(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    switch image.kind {
    case .classic: return VirtualTag(try MIFAREClassic(image))
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
    case .iso14443a, .iso14443b: return VirtualTag(try IdentityCard(image))
    }
  }
}
