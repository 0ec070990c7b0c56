extension MiFareClassicCommands {
  /// Plans what restoring a dump would write: reads the whole card, with both keys of each sector
  /// if the list contains them. Writes nothing.
  ///
  /// - Parameters: see ``MiFareClassicRestorePlan/init(image:known:card:locksPermanently:)``; the keys
  ///   are the current keys of the card.
  /// - Throws: ``NFCError/Code/malformedContent``, before anything is sent, if the dump does not
  ///   belong to a card of this size.
  public func restorePlan(
    _ image: [UInt8], known: [Bool]? = nil,
    keys: [MiFareClassicKey] = MiFareClassicKey.wellKnown, locksPermanently: Bool = false
  ) async throws -> MiFareClassicRestorePlan {
    guard image.count == geometry.memorySize else {
      throw NFCError(
        .malformedContent, "the dump has \(image.count) bytes, the card \(geometry.memorySize)")
    }
    let card = try await dump(keys: keys, findsBothKeys: true)
    return try MiFareClassicRestorePlan(
      image: image, known: known, card: card, locksPermanently: locksPermanently)
  }

  /// Carries out a plan: one exchange per block, and one for each sector and key. A trailer takes
  /// two more, which verify it, and is not interrupted when the task is cancelled.
  ///
  /// Repeat an interrupted run with a new plan: it works sector by sector, data before the trailer.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``. A block that the card refuses is listed in the
  ///   report.
  public func restore(
    _ plan: MiFareClassicRestorePlan
  ) async throws -> MiFareClassicRestoreReport {
    let geometry = geometry
    return try await handle.performCommand { link in
      var session = MiFareClassicSession(link, geometry)
      var sectors = geometry.sectors.map { sector in
        MiFareClassicRestoreReport.Sector(
          sector: sector, written: [],
          omissions: plan.omissions.filter { $0.sector == sector })
      }
      func leaveOut(_ block: Int, _ reason: MiFareClassicRestorePlan.Reason) {
        let sector = geometry.sector(ofBlock: block)
        guard sectors.indices.contains(sector) else { return }
        sectors[sector].written.removeAll { $0 == block }
        guard reason != .keepsMessage || plan.changedBlocks.contains(block) else { return }
        sectors[sector].omissions.removeAll { $0.block == block }
        sectors[sector].omissions.append(.init(sector: sector, block: block, reason: reason))
      }
      var undo: [MiFareClassicRestorePlan.Write] = []
      var content = plan.messageBlocks
      var keepsMessage = false
      for write in plan.writes {
        let sector = geometry.sector(ofBlock: write.block)
        guard sectors.indices.contains(sector) else { continue }
        let old = content[write.block]
        if old != nil, keepsMessage {
          leaveOut(write.block, .keepsMessage)
          continue
        }
        let isWritten = try session.restore(write)
        if let old {
          undo.append(
            .init(block: write.block, data: old, keyType: write.keyType, key: write.key))
          content[write.block] = write.data
        }
        if isWritten {
          sectors[sector].written.removeAll { $0 == write.block }
          if plan.changedBlocks.contains(write.block) {
            sectors[sector].written.append(write.block)
          }
          continue
        }
        leaveOut(write.block, .refused)
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
          leaveOut(old.block, .keepsMessage)
        }
      }
      return MiFareClassicRestoreReport(sectors: sectors)
    }
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
