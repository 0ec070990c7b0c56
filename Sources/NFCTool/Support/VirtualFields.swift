import VirtualNFC

/// The fields of the two virtual readers. Each tag is in the field of the reader that is to find it.
struct VirtualFields: Sendable {
  let pn532 = VirtualField()
  let pcsc = VirtualField()
  /// Whether all tags are for the PC/SC reader. If false, only those that a PN532 cannot find are.
  var isForPCSC = false

  /// Returns whether only the PC/SC reader finds a tag.
  func needsPCSC(_ tag: VirtualTag) -> Bool { tag.modulation == .iso15693 }

  private func field(of tag: VirtualTag) -> VirtualField {
    isForPCSC || needsPCSC(tag) ? pcsc : pn532
  }

  func place(_ tag: VirtualTag) { field(of: tag).place(tag) }

  func remove(_ tag: VirtualTag) { field(of: tag).remove(tag) }
}
