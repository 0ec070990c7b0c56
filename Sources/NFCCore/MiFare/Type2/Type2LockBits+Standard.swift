extension Type2LockBits {
  private static let firstDynamicallyLockedByte = 64
  private static let defaultBytesPerBit = 8

  private static let firstGenerationControl = ControlledArea(
    tag: TagLengthValue.Tag.lockControl, value: [0xA0, 0x10, 0x44])

  /// Returns the lock bits of an unknown chip according to the NFC Forum: directly after the data
  /// area, one bit for eight bytes, or as a lock control TLV specifies.
  ///
  /// Source: NFC Forum Type 2 Tag, 4.2.2 and 4.4.1.
  ///
  /// - Returns: `nil` if the TLV specifies bytes before the end of the data area. Any content may
  ///   be there: a library that formats many chips writes the TLV of one of them to all.
  static func standard(area: TagDataArea, control: ControlledArea?) -> Type2LockBits? {
    let end = area.rawEnd
    guard end > firstDynamicallyLockedByte else { return .static }
    let address: Int
    let count: Int
    var bytesPerBit = defaultBytesPerBit
    if let control, let bits = control.lockBits {
      // The TLV of Ultralight C and NTAG203 counts the bits that freeze others, too.
      if control == firstGenerationControl { return .firstGeneration(others: []) }
      guard control.bytes.lowerBound >= end else { return nil }
      address = control.bytes.lowerBound
      count = bits
      bytesPerBit = control.bytesPerLockBit ?? bytesPerBit
    } else {
      address = end
      count =
        (end - firstDynamicallyLockedByte + defaultBytesPerBit - 1) / defaultBytesPerBit
    }
    let last = (end - 1) / Type2Memory.pageSize
    let locks = (0..<count).map { index in
      let start =
        (firstDynamicallyLockedByte + index * bytesPerBit) / Type2Memory.pageSize
      let stop =
        (firstDynamicallyLockedByte + (index + 1) * bytesPerBit) / Type2Memory.pageSize - 1
      return Lock(
        bit: Bit(
          page: (address + index / 8) / Type2Memory.pageSize,
          byte: (address + index / 8) % Type2Memory.pageSize, bit: index % 8),
        pages: min(start, last)...max(min(start, last), min(stop, last)), frozenBy: nil)
    }
    return .static + Type2LockBits(locks: locks)
  }
}
