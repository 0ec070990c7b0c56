import VirtualNFC

/// The fields of the two virtual readers, each tag in that of the reader which is to see it.
struct VirtualFields: Sendable {
  let pn532 = VirtualField()
  let pcsc = VirtualField()
  /// All tags are for the PC/SC reader; else those that a PN532 could not see.
  var isForPCSC = false

  /// Returns whether only the PC/SC reader could see a tag.
  func needsPCSC(_ tag: VirtualTag) -> Bool { tag.modulation == .iso15693 }

  private func field(of tag: VirtualTag) -> VirtualField {
    isForPCSC || needsPCSC(tag) ? pcsc : pn532
  }

  func place(_ tag: VirtualTag) { field(of: tag).place(tag) }

  func remove(_ tag: VirtualTag) { field(of: tag).remove(tag) }
}
