extension Type2Chip.Blank {
  private static let sizeUnit = 8

  /// The capability container of a tag that anyone can read and write.
  var capabilityContainer: [UInt8] {
    [
      Type2CapabilityContainer.magicNumber, Type2CapabilityContainer.version, size,
      Type2CapabilityContainer.readWrite,
    ]
  }

  /// The first pages of the data area: control TLVs, an empty message, a terminator.
  var content: [UInt8] {
    let content =
      controlTLVs + TagLengthValue.block(message: [], room: Int(size) * Self.sizeUnit)
    let rest = content.count % Type2Memory.pageSize
    return content + [UInt8](repeating: 0, count: rest == 0 ? 0 : Type2Memory.pageSize - rest)
  }
}
