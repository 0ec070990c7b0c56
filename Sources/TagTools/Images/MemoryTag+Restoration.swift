import NFC
import TagImages

extension MemoryTag {
  /// Plans the restoration of an image. Writes nothing.
  ///
  /// - Returns: the restoration, and the content of the tag if it was read whole.
  func restoration(
    of image: TagImage, _ keys: TagKeys = TagKeys(), password: [UInt8]? = nil,
    including extras: RestorationExtras = []
  ) async throws -> (any MemoryRestoration, present: TagImage?) {
    if !extras.contains(.uncertainKind), image.kind != imageKind {
      throw NFCError(.malformedContent, "it is of \(image.kind.name)")
    }
    switch self {
    // These two read the tag themselves.
    case .classic(let commands, let tag):
      let restoration = try await ClassicRestoration(
        commands, image, keys: try keys.classic, locksPermanently: extras.contains(.locks),
        includesBlock0: extras.contains(.manufacturerBlock),
        keepsZeroKeys: !extras.contains(.zeroKeys), uidLength: tag.identifier.count)
      return (restoration, nil)
    case .ultralight(let commands, let tag):
      let product = try await tag.product()
      let restoration = try await UltralightRestoration(
        commands, image, key: try keys.ultralight(product, password: password),
        extras: extras.ofUltralight)
      return (restoration, nil)
    case .other(let other):
      guard case .iso14443b2sr = other.target else { throw Self.notWritable(other.target) }
    case .plus:
      throw NFCError(
        .wrongTag, "a MIFARE Plus needs an AES key for each block, and no image has them")
    case .desfire, .smartCard, .feliCa, .vicinity, .feliCaLite, .topaz: break
    }
    let now = try await read(keys, password: password).image
    return (try await restoration(of: image, now: now, extras), now)
  }

  /// Plans the restoration of an image to a tag whose content is known.
  private func restoration(
    of image: TagImage, now: TagImage, _ extras: RestorationExtras
  ) async throws -> any MemoryRestoration {
    switch self {
    case .desfire(let card): DESFireRestoration(card, image, now: now)
    case .smartCard(let card): SmartCardRestoration(card, image, now: now)
    case .feliCa(let card): try await ServiceRestoration(card, image, now: now)
    case .other(let tag):
      try await SRxRestoration(
        tag, image, now: now, locksPermanently: extras.contains(.locks))
    case .vicinity, .feliCaLite, .topaz, .classic, .ultralight, .plus:
      try await BlockRestoration(self, image, now: now)
    }
  }
}
