/// The way in which one kind of tag holds an NDEF message: procedures over a link, and the facts
/// that they have learned.
///
/// A mapping is a value. ``TagHandle`` keeps it between calls while the tag is connected, and
/// discards it when a call fails: its facts may no longer be valid.
///
/// Every procedure uses the fewest exchanges that tag and reader allow, but each one reaches the
/// tag at least once, so that a tag that has left is noticed. What an earlier call has read proves
/// nothing: a procedure uses it only after an exchange of the same call has shown that it is still
/// valid. If somebody else can write meanwhile (the wired interface of an NTAG I²C or an ST25DV),
/// it is read again.
protocol NDEFMapping: Sendable {
  /// Begins a call: content that an earlier one read is to be proven, or read again, before it is used.
  ///
  /// Facts that cannot change while the tag is connected are kept: the chip, the limits of one
  /// command, the selected file.
  mutating func beginCall()

  /// See ``NDEFTag/queryNDEFStatus()``.
  mutating func status(_ link: TagLink) throws -> NDEFStatus

  /// See ``NDEFTag/readNDEFBytes()``. Throws `notNDEF` where ``status(_:)`` says `notSupported`.
  mutating func read(_ link: TagLink) throws -> [UInt8]?

  /// Returns the status and, unless the tag holds no NDEF structure, the message, in as few exchanges as both together
  /// need.
  mutating func content(_ link: TagLink) throws -> (status: NDEFStatus, message: [UInt8]?)

  /// Returns the status like ``status(_:)``, before a write: content that is broken in a way that
  /// ``write(_:_:)`` repairs is not an error here, and counts as empty.
  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus

  /// Writes a message that fits a tag that can be written: ``statusForWriting(_:)`` has said both in this
  /// call.
  ///
  /// The order leaves no mixture: length to zero, data, length last. Data next to the message does
  /// not change.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws

  /// See ``NDEFTag/formatNDEF(wipe:)``.
  mutating func format(wipe: Bool, _ link: TagLink) throws

  /// See ``NDEFTag/makeReadOnly()``. Works whatever the tag's status is: completes what is still
  /// open, and does nothing only if every bit is set. Throws `notNDEF` if the tag is not formatted.
  ///
  /// Checks everything first, and throws before the first write if the lock could not be completed;
  /// writes in ``TagLink/uninterrupted(_:)``; reads back what it has locked.
  mutating func lock(_ link: TagLink) throws

  /// Performs the checks of ``lock(_:)``, and returns the changes that it would make; none if the tag is locked.
  /// Writes nothing.
  mutating func lockPlan(_ link: TagLink) throws -> [LockStep]

  /// Forgets the known message, so that the next read asks the tag.
  mutating func discardCachedContent()
}

extension NDEFMapping {
  mutating func content(_ link: TagLink) throws -> (status: NDEFStatus, message: [UInt8]?) {
    let status = try status(link)
    return (status, status.access == .notSupported ? nil : try read(link))
  }

  /// ``NFCError/recovery`` of a write that was interrupted: it begins by setting the length to zero.
  private static var oldMessageInDoubt: String {
    "the tag may hold no message now: write it again"
  }

  /// Refuses what cannot be written before anything is sent, writes, and reads back if asked.
  mutating func checkedWrite(_ message: [UInt8], verify: Bool, _ link: TagLink) throws {
    guard message.isEmpty || !MessageReplacement.isNone(message) else {
      throw NFCError(
        .invalidParameter, "a message cannot begin with \(message.prefix(3).hexadecimal)")
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
    try link.inDoubtOfChange(Self.oldMessageInDoubt) { try write(message, link) }
    guard verify else { return }
    discardCachedContent()
    let found = try link.inDoubtOfChange("the message was written: read it") { try read(link) }
    guard found ?? [] == message else {
      throw NFCError(.malformedContent, "what was read back is not what was written")
    }
  }
}

extension NFCError {
  /// The error of operations that need an NDEF tag. Its kind determines whether it can be
  /// formatted.
  static let notFormatted = NFCError(.notNDEF, "the tag is not NDEF formatted")
}
