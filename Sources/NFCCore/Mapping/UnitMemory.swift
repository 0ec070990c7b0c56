/// A tag's memory that is written unit by unit (pages, blocks, bytes).
///
/// This is the one place with the rule for every change that is more than one write:
///
/// - **A refusal leaves what was there.** Every write that was made before it is taken back, the last one first, so
///   that the length of the message comes last again. The old message is there byte for byte, with its terminator, or
///   nothing was begun.
/// - **A damaged answer is doubt, not a refusal.** An acknowledgement of four bits has neither parity nor a check: any
///   other four bits may be one that was damaged, and a refusal may come from a chip that has begun to write. So after
///   anything else than an acknowledgement, the unit is read. If it has its new content, the write was made, and the
///   change continues.
/// - **What cannot be proved stays none.** If a unit has neither content and does not accept its old one, the length
///   stays at zero.
/// - **What cannot be undone and may have happened is said**, by ``NFCError/recovery``.
protocol UnitMemory {
  var link: TagLink { get }

  /// Sends one write.
  ///
  /// - Throws: for anything but an acknowledgement: an error of the group `refusal` if the tag has refused, otherwise
  ///   one of the group `connection`.
  mutating func write(_ data: [UInt8], to unit: Int) throws

  /// Reads a unit from the tag after a write that has failed, and wakes the tag for that if it no longer listens.
  ///
  /// - Returns: `nil` if the tag refuses to return it.
  mutating func readBack(_ unit: Int) throws -> [UInt8]?

  /// Returns whether an error of ``write(_:to:)`` says that the tag has refused, and not only that it has not
  /// acknowledged. A refusal is not tried again.
  func isRefusal(_ error: NFCError) -> Bool
}

extension UnitMemory {
  func isRefusal(_ error: NFCError) -> Bool { error.group == .refusal }
}

/// What became of a write.
enum WriteOutcome {
  case written
  /// The unit has its old content.
  case refused(NFCError)
  /// The unit has another content, or cannot be read.
  case unknown(NFCError)
}

/// A write of a whole unit.
struct WholeUnit: Hashable, Sendable {
  let unit: Int
  let data: [UInt8]
  /// Whether bits of the unit can only be set: lock bits, one-time bits. Those that are set cannot be taken back.
  var setsBits = false
}

extension UnitMemory {
  /// How often a write is sent that the tag has not heard, or not answered.
  private static var mostAttempts: Int { 2 }

  /// Sends a write, and finds out what became of it.
  ///
  /// - Parameter old: the content before, as far as it is known.
  /// - Throws: the errors of a tag that has left, or of a reader.
  mutating func attempt(_ write: WholeUnit, over old: [UInt8]?) throws -> WriteOutcome {
    for number in 1... {
      do {
        try self.write(write.data, to: write.unit)
        return .written
      } catch let error as NFCError where error.leavesUnitInDoubt {
        let found: [UInt8]?
        do {
          found = try readBack(write.unit)
        } catch let other as NFCError where other.code == .tagResponseError {
          link.mayHoldChange()
          return .unknown(error)
        }
        // What cannot be read was not written either if the tag says that it refuses.
        guard let found else {
          if isRefusal(error) { return .refused(error) }
          link.mayHoldChange()
          return .unknown(error)
        }
        if write.isHeld(by: found) {
          link.mayHoldChange()
          return .written
        }
        if let old, found != old {
          link.mayHoldChange()
          return .unknown(error)
        }
        if isRefusal(error) || number == Self.mostAttempts { return .refused(error) }
      }
    }
    return .written
  }

  /// Carries out writes in their order, completely or not at all.
  ///
  /// - Parameter content: the known content of a unit. One that is not known is not part of the old message, and is
  ///   not restored.
  /// - Throws: the error of the write that was not made. Earlier ones were taken back; if that was not possible, the
  ///   error says so.
  mutating func perform(
    _ writes: [WholeUnit], over content: (Int) -> [UInt8]?
  ) throws {
    var current: [Int: [UInt8]] = [:]
    var undo: [WholeUnit] = []
    for write in writes {
      let old = current[write.unit] ?? content(write.unit)
      let restoring = old.map { WholeUnit(unit: write.unit, data: $0, setsBits: write.setsBits) }
      switch try attempt(write, over: old) {
      case .written:
        current[write.unit] = write.data
        if let restoring { undo.append(restoring) }
      case .refused(let error):
        throw try takeBack(undo, current, error)
      case .unknown(let error):
        current[write.unit] = nil
        if let restoring { undo.append(restoring) }
        throw try takeBack(undo, current, error)
      }
    }
  }

  /// Takes writes back, the last one first; returns the error to throw.
  private mutating func takeBack(
    _ undo: [WholeUnit], _ current: [Int: [UInt8]], _ error: NFCError
  ) throws -> NFCError {
    let link = link
    return try link.uninterrupted {
      var current = current
      var memory = self
      defer { self = memory }
      for old in undo.reversed() where current[old.unit] != old.data {
        // Bits that were set stay so.
        guard !old.setsBits, case .written = try memory.attempt(old, over: current[old.unit])
        else { return error.notTakenBack }
        current[old.unit] = old.data
      }
      link.changesWereTakenBack()
      return error
    }
  }
}

extension WholeUnit {
  /// Returns whether the tag has this content, or every bit that is to be set.
  func isHeld(by found: [UInt8]) -> Bool {
    guard setsBits else { return found == data }
    return found.count == data.count && zip(found, data).allSatisfy { $0 & $1 == $1 }
  }
}

extension NFCError {
  /// Whether the unit of a write that has failed so may have any content: the tag has refused, or its answer was not
  /// understood. A tag or reader that has left cannot be asked.
  fileprivate var leavesUnitInDoubt: Bool { group == .refusal || code == .tagResponseError }

  /// Whether a card that refuses with this status may have begun to write: status words 65xx (ISO/IEC 7816-4, 5.6), and
  /// FeliCa's memory error (FeliCa Card User's Manual, excerpted edition, 4.5).
  var leavesMemoryInDoubt: Bool {
    switch cause {
    case .statusWord(let word): !StatusWord(rawValue: word).leavesMemoryUnchanged
    case .statusFlags(_, FeliCaStatusFlag.memoryError): true
    default: false
    }
  }

  /// The error of a write of which it is not known whether the tag has made it.
  var inDoubt: NFCError {
    NFCError(.tagResponseError, reason, cause: cause, place: place, attempts: attempts)
  }

  /// The error of a change that could be neither completed nor taken back.
  var notTakenBack: NFCError {
    NFCError(
      group == .refusal ? .tagRefused : code,
      "\(reason); what was written before could not be taken back", cause: cause, place: place)
  }
}

extension TagLink {
  /// Takes the writes of a change back that the tag has refused, for a memory that is not a ``UnitMemory``; it is not
  /// stopped when the task is cancelled.
  ///
  /// - Parameter body: writes the old content; `false` if it is not known.
  /// - Returns: whether the old content is there again.
  func restoring(_ body: () throws -> Bool) -> Bool {
    guard (try? uninterrupted({ try body() })) == true else { return false }
    changesWereTakenBack()
    return true
  }
}
