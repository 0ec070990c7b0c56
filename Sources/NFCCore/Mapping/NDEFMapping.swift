/// How one kind of tag holds an NDEF message: procedures over a link, and what they have learned.
///
/// A mapping is a value. ``TagHandle`` keeps it between calls while the tag is connected, and throws it
/// away when a call fails: what it believed may no longer be so.
///
/// Every procedure uses the fewest exchanges that tag and reader allow, and none to learn what it knows.
protocol NDEFMapping: Sendable {
  /// See ``NDEFTag/queryNDEFStatus()``.
  mutating func status(_ link: TagLink) throws -> NDEFStatus

  /// See ``NDEFTag/readNDEFBytes()``. Throws `notNDEF` where ``status(_:)`` says `notSupported`.
  mutating func read(_ link: TagLink) throws -> [UInt8]?

  /// Writes a message that fits a tag that can be written: both have been checked.
  ///
  /// The order is the one that leaves no mixture: length to zero, data, length last.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws

  /// See ``NDEFTag/formatNDEF()``.
  mutating func format(_ link: TagLink) throws

  /// See ``NDEFTag/writeLock()``. The tag holds NDEF and is not read-only yet: both have been checked.
  mutating func lock(_ link: TagLink) throws

  /// Forgets what is known of the message, so that the next read asks the tag.
  mutating func forgetContent()
}

extension NDEFMapping {
  /// Refuses what cannot be written before anything is sent, writes, and reads back if asked.
  mutating func checkedWrite(_ message: [UInt8], verify: Bool, _ link: TagLink) throws {
    let status = try status(link)
    switch status.access {
    case .notSupported:
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    case .readOnly:
      throw NFCError(.readOnly, "the tag is read-only")
    case .readWrite:
      break
    }
    guard message.count <= status.capacity else {
      throw NFCError(
        .capacityExceeded,
        "the message has \(message.count) bytes, the tag holds \(status.capacity)")
    }
    try write(message, link)
    guard verify else { return }
    forgetContent()
    guard try read(link) ?? [] == message else {
      throw NFCError(.malformedContent, "what was read back is not what was written")
    }
  }

  mutating func checkedLock(_ link: TagLink) throws {
    switch try status(link).access {
    case .notSupported:
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    case .readOnly: return
    case .readWrite: try lock(link)
    }
  }
}
