import VirtualNFC

/// The fields of the two virtual readers, each tag in that of the reader which can see it: a PN532
/// has no ISO 15693.
struct VirtualFields: Sendable {
  let pn532 = VirtualField()
  let pcsc = VirtualField()

  /// Whether only the PC/SC reader could see a tag.
  func needsPCSC(_ tag: VirtualTag) -> Bool { tag.modulation == .iso15693 }

  private func field(of tag: VirtualTag) -> VirtualField { needsPCSC(tag) ? pcsc : pn532 }

  func place(_ tag: VirtualTag) { field(of: tag).place(tag) }

  func remove(_ tag: VirtualTag) { field(of: tag).remove(tag) }
}
