import NFC
import SecureTags
import TagImages

extension DetectedTag {
  /// The kind of image that the tag has; `nil` if it has neither a memory nor files.
  public var imageKind: TagImage.Kind? { MemoryTag(self)?.imageKind }

  /// Reads the tag's memory, or its files and services that need no key, as far as the keys open it.
  ///
  /// The memory is read with as few exchanges as the tag and the reader allow; reading ``TagBackup/Extent/everything``
  /// adds one for each of version, signature and counters.
  ///
  /// - Parameters:
  ///   - keys: the tag's keys. For a MIFARE Classic, each sector is opened with the first that fits.
  ///   - password: the tag's password, which it has to accept.
  ///   - extent: the parts that are read.
  /// - Returns: the image, and what is missing of it. Closed sectors and pages are not an error.
  /// - Throws: ``TagSecretError`` for a key or password that the tag cannot have. `NFCError`: `authenticationFailed` for a
  ///   wrong password; `unsupported` for a tag without a memory; `wrongTag` for a smart card without a file that can be
  ///   read; `tagConnectionLost`.
  public func readImage(
    keys: TagKeys = TagKeys(), password: SecretKey? = nil,
    extent: TagBackup.Extent = .everything
  ) async throws -> TagBackup {
    try await readImage(
      keys: keys, passwordBytes: password.map { $0.withUnsafeBytes { Array($0) } }, extent: extent)
  }

  package func readImage(
    keys: TagKeys, passwordBytes password: [UInt8]?, extent: TagBackup.Extent
  ) async throws -> TagBackup {
    try await memoryTag().read(keys, password: password, extent)
  }

  /// Plans the restoration of an image: reads the tag, and writes nothing.
  ///
  /// What is written is what differs. Of a DESFire card, a FeliCa card or a Type 4 tag, these are the files and services
  /// that exist and that everybody can write; no application or file is created, and records that the image does not
  /// have are deleted. UID, counters and one-time bits are never written. What could do harm is written only if
  /// `extras` name it.
  ///
  /// - Parameters:
  ///   - image: the image.
  ///   - keys: the tag's keys. Those in the image of a MIFARE Classic are tried, too.
  ///   - password: the tag's password.
  ///   - extras: what is written only on request.
  /// - Throws: ``TagSecretError`` for a key or password that the tag cannot have. `NFCError`: `malformedContent` for an
  ///   image of another kind or size; `authenticationFailed`; `readOnly`, `wrongTag` or `unsupported` for a tag that no
  ///   image can be restored to; `tagConnectionLost`.
  public func restoration(
    of image: TagImage, keys: TagKeys = TagKeys(), password: SecretKey? = nil,
    including extras: RestorationExtras = []
  ) async throws -> TagRestoration {
    try await restoration(
      of: image, keys: keys, passwordBytes: password.map { $0.withUnsafeBytes { Array($0) } },
      including: extras)
  }

  package func restoration(
    of image: TagImage, keys: TagKeys, passwordBytes password: [UInt8]?,
    including extras: RestorationExtras
  ) async throws -> TagRestoration {
    let (restoration, present) = try await memoryTag().restoration(
      of: image, keys, password: password, including: extras)
    return TagRestoration(restoration, of: image, to: self, present: present)
  }

  /// Describes the applications of a smart card whose data no image has, because reading it requires a key, or is
  /// personal: one exchange for each known application. Empty for other tags.
  ///
  /// - Throws: `NFCError` `tagConnectionLost`.
  public func applicationsWithoutImage() async throws -> [String] {
    guard let memory = MemoryTag(self) else { return [] }
    return try await memory.unsavedApplications()
  }

  private func memoryTag() async throws -> MemoryTag {
    guard let memory = MemoryTag(self) else {
      throw NFCError(.unsupported, "\(kindName) has no memory that can be read")
    }
    if case .iso7816(let card) = self { try await card.miFareClassic?.connect() }
    return memory
  }
}
