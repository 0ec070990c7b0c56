extension MiFareClassicCommands {
  /// Plans what restoring a dump would write: reads the whole card, with both keys of each sector
  /// if the list contains them. Writes nothing.
  ///
  /// Performing the plan costs one exchange per block, and one for each sector and key. A trailer takes
  /// two more, which verify it, and is not interrupted when the task is cancelled. A block that the card refuses is among
  /// the omissions of the outcome. Repeat an interrupted run with a new plan: it works sector by sector, data before the
  /// trailer. The block with the length of an NDEF message is first written with an empty one if others have a part of
  /// the message, and its sector comes last.
  ///
  /// - Parameters:
  ///   - image: all blocks in order, in the form of ``MiFareClassicDump/bytes``.
  ///   - known: whether each byte is known; `nil` if all are. Unknown blocks, keys and access bits
  ///     do not change on the card.
  ///   - keys: the current keys of the card.
  ///   - locksPermanently: also writes trailers whose access bits no key can change again. **Cannot be
  ///     undone.**
  /// - Throws: ``NFCError/Code/malformedContent``, before anything is sent, if the dump does not
  ///   belong to a card of this size.
  public func restorePlan(
    _ image: [UInt8], known: [Bool]? = nil,
    keys: [MiFareClassicKey] = MiFareClassicKey.wellKnown, locksPermanently: Bool = false
  ) async throws -> ChangePlan {
    guard image.count == geometry.memorySize else {
      throw NFCError(
        .malformedContent, "the dump has \(image.count) bytes, the card \(geometry.memorySize)")
    }
    let card = try await dump(keys: keys, findsBothKeys: true)
    let plan = try MiFareClassicRestorePlan(
      image: image, known: known, card: card, locksPermanently: locksPermanently)
    let (handle, geometry) = (handle, geometry)
    return ChangePlan(
      for: self, plan.steps, omissions: plan.omissions, effects: plan.effects,
      recovery: "make the plan again: it has the blocks that are missing"
    ) {
      try await handle.performCommand { link in
        var session = MiFareClassicSession(link, geometry)
        return try plan.run(&session)
      }
    }
  }
}

extension MiFareClassicRestorePlan {
  /// Writes the blocks, and returns which the card has accepted.
  ///
  /// A message of which the card refuses a block stays as it was: what was written of it is taken back.
  fileprivate func run(_ session: inout MiFareClassicSession) throws -> ChangePlan.Outcome {
    let geometry = session.geometry
    func place(_ block: Int) -> ChangePlan.Place {
      Self.place(block, of: geometry.sector(ofBlock: block))
    }
    var outcome = PartialOutcome(
      omissions: omissions, changed: Set(ChangePlan.Outcome(steps: steps).changedPlaces))
    var undo: [Write] = []
    var content = messageBlocks
    var keepsMessage = false
    for (write, step) in zip(writes, steps) {
      let old = content[write.block]
      if old != nil, keepsMessage {
        outcome.leaveOut(place(write.block), .keepsMessage)
        continue
      }
      let isWritten = try session.restore(write)
      if let old {
        undo.append(Write(block: write.block, data: old, keyType: write.keyType, key: write.key))
        content[write.block] = write.data
      }
      guard !isWritten else {
        outcome.steps.append(step)
        continue
      }
      outcome.leaveOut(place(write.block), .refused)
      guard old != nil else { continue }
      keepsMessage = true
      undo.removeLast()
      for old in undo.reversed() {
        guard try session.restore(old) else {
          throw NFCError(
            .tagRefused,
            "a block of the card cannot be written; the card no longer holds a message",
            place: .block(old.block))
        }
        outcome.leaveOut(place(old.block), .keepsMessage)
      }
    }
    return ChangePlan.Outcome(steps: outcome.steps, omissions: outcome.omissions)
  }
}

extension MiFareClassicSession {
  /// Returns whether the card has accepted the block.
  fileprivate mutating func restore(_ write: MiFareClassicRestorePlan.Write) throws -> Bool {
    guard
      try open(geometry.sector(ofBlock: write.block), write.keyType, write.key)
    else { return false }
    do {
      if geometry.isTrailer(write.block) {
        try writeTrailer(
          MiFareClassicSectorTrailer(write.data), ofSector: geometry.sector(ofBlock: write.block),
          with: write.keyType, write.key, "the sector was closed in the meantime")
      } else {
        try self.write(write.data, to: write.block)
      }
      return true
    } catch let error as NFCError where error.code == .tagRefused {
      return false
    }
  }
}
