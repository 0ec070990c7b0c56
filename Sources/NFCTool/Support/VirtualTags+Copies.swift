import VirtualNFC

/// Creates several tags of one chip, each with its own UID, if the command line names the chip more than
/// once.
extension VirtualTags {
  /// Returns the tag, with another UID if one of the previous tags has the same one.
  ///
  /// - Parameter name: the tag's name on the command line.
  /// - Throws: ``Failure`` `usage` if the tag's UID must not be changed, because a reader could not
  ///   distinguish the two tags.
  static func distinct(
    _ tag: VirtualTag, named name: String, from others: [VirtualTag]
  ) throws -> VirtualTag {
    guard others.contains(where: { isSame($0, tag) }) else { return tag }
    let known = names.first { Spelling.folded($0) == Spelling.folded(name) }
    guard let known, !File.exists(name) else { throw same(tag) }
    var uid = tag.identifier
    // The first bytes of an ISO 15693 UID identify the chip.
    let place = tag.modulation == .iso15693 ? uid.count - 1 : min(3, uid.count - 1)
    for _ in 0..<UInt8.max {
      uid[place] &+= 1
      let copy = try VirtualTag.named(known, uid: uid)
      // A chip whose identifier is of another kind keeps it.
      guard copy.identifier == uid else { throw same(tag) }
      if !others.contains(where: { isSame($0, copy) }) { return copy }
    }
    throw Failure(
      .usage, "there are too many virtual tags of the chip \(known)", advice: "leave some out")
  }

  private static func same(_ tag: VirtualTag) -> Failure {
    Failure(
      .usage, "two virtual tags have the UID \(tag.identifier.hexadecimal)",
      advice: "a reader cannot distinguish them; leave one out")
  }

  private static func isSame(_ one: VirtualTag, _ two: VirtualTag) -> Bool {
    one.identifier == two.identifier && one.modulation == two.modulation
  }
}
