/// How one kind of tag holds an NDEF message: procedures over a link, and what they have learned.
///
/// A mapping is a value. ``TagHandle`` keeps it between calls while the tag is connected, and throws it
/// away when a call fails: what it believed may no longer be so.
///
/// Every procedure uses the fewest exchanges that tag and reader allow, but each one reaches the tag at
/// least once, so that a tag that has left is found out. What an earlier call read is a proof of nothing:
/// a procedure uses it only after an exchange of the same call has shown that it still holds. Where
/// somebody else can write meanwhile (the wired side of an NTAG I²C or an ST25DV), it is read again.
protocol NDEFMapping: Sendable {
  /// Begins a call: content that an earlier one read is to be proven, or read again, before it is used.
  ///
  /// What cannot change while the tag is connected stays known: which chip it is, what it grants to one
  /// command, which file is selected.
  mutating func beginCall()

  /// See ``NDEFTag/queryNDEFStatus()``.
  mutating func status(_ link: TagLink) throws -> NDEFStatus

  /// See ``NDEFTag/readNDEFBytes()``. Throws `notNDEF` where ``status(_:)`` says `notSupported`.
  mutating func read(_ link: TagLink) throws -> [UInt8]?

  /// As ``status(_:)``, before a write: what is broken in a way that ``write(_:_:)`` mends is no error
  /// here, and counts as empty.
  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus

  /// Writes a message that fits a tag that can be written: ``statusForWriting(_:)`` has said both in this
  /// call.
  ///
  /// The order is the one that leaves no mixture: length to zero, data, length last. What stands beside
  /// the message stays.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws

  /// See ``NDEFTag/formatNDEF(wipe:)``.
  mutating func format(wipe: Bool, _ link: TagLink) throws

  /// See ``NDEFTag/makeReadOnly()``. Asked whatever the tag's status is: completes what is still open, and
  /// does nothing only where every bit is set. Throws `notNDEF` where the tag is not formatted.
  ///
  /// Looks at everything first, and throws before the first write if the lock could not be complete;
  /// writes in ``TagLink/uninterrupted(_:)``; reads back what it has locked.
  mutating func lock(_ link: TagLink) throws

  /// Forgets what is known of the message, so that the next read asks the tag.
  mutating func forgetContent()
}

extension NDEFMapping {
  /// Refuses what cannot be written before anything is sent, writes, and reads back if asked.
  mutating func checkedWrite(_ message: [UInt8], verify: Bool, _ link: TagLink) throws {
    guard message.isEmpty || !MessageReplacement.isNone(message) else {
      throw NFCError(.invalidParameter, "no record of a message begins with 00")
    }
    let status = try statusForWriting(link)
    switch status.access {
    case .notSupported:
      throw NFCError.notFormatted
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
}

extension NFCError {
  /// For what needs an NDEF tag. Whether it can be made one depends on its kind.
  static let notFormatted = NFCError(.notNDEF, "the tag is not NDEF formatted")
}
