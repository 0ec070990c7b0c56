extension OtherTag {
  /// RID: the reader completes it with the UID (Topaz 512 technical specification, 3.3).
  private static let readIdentification: [UInt8] = [0x78]

  /// Identifies the chip of a Jewel or Topaz tag, with one exchange, RID, or of an ST SRx tag, by its UID. Returns
  /// `nil` for an unknown chip, and without an exchange for a tag of another kind.
  ///
  /// - Throws: the errors of ``OtherTag/transceive(_:timeout:)``:
  ///   ``NFCError/Code/tagResponseError``, ``NFCError/Code/tagConnectionLost``.
  public func product() async throws -> TagProduct? {
    if technology == .iso14443b2sr { return SRxChip(uid: identifier)?.product }
    guard technology == .jewel else { return nil }
    let header = try await transceive(Self.readIdentification)
    return Type1Product.of(header: header)?.tagProduct
  }
}
