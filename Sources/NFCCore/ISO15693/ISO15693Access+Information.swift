extension ISO15693Access {
  /// Returns the information that the tag reports about itself; it is read once.
  ///
  /// The commands and their order depend on the maker: ST's chips with more than 256 blocks omit
  /// their size from the ordinary answer, or require the protocol extension flag; NXP's report 256, the most that
  /// the answer can hold.
  ///
  /// - Throws: `unsupported` if the tag is present but reports nothing about itself, or if the
  ///   reader cannot ask it.
  mutating func systemInformation() throws -> ISO15693SystemInformation {
    if let known = knowledge.information { return known }
    return try askInformation()
  }

  /// Reads the current information; see ``systemInformation()``.
  mutating func askInformation() throws -> ISO15693SystemInformation {
    try link.checkRequests()
    var best: ISO15693SystemInformation?
    for form in forms where !knowledge.refusesInformation {
      do {
        let found = corrected(try ask(form, repeatingSilence: best != nil))
        if best == nil || found.blockCount ?? 0 > best?.blockCount ?? 0 {
          best = found
          knowledge.informationForm = form
        }
        if form == .protocolExtension { knowledge.wideNumbers = .protocolExtension }
        if found.blockCount != nil, !mayHaveMore(found, form) { break }
      } catch let error as NFCError
        where error.isSilence || error.vicinityRefusal != nil
        || error.cause == .unsupportedByReader || best != nil && error.isReaderFailure
      {
        // The next form may be known to it.
      }
    }
    guard let best else {
      // Only a tag that answers another command has refused.
      _ = try readBlock(0)
      if knowledge.informationForm == nil { knowledge.refusesInformation = true }
      throw NFCError(.unsupported, "the tag does not report its system information")
    }
    knowledge.learn(best)
    return best
  }

  /// Returns whether a tag may have more blocks than the ordinary answer can report: an NTAG 5 link with 512 reports
  /// 256 (recorded by VivoKey's ntag5sensor).
  private func mayHaveMore(
    _ found: ISO15693SystemInformation, _ form: ISO15693SystemInformation.Form
  ) -> Bool {
    form == .ordinary && found.blockCount == Self.largestNarrowCount
      && knowledge.product?.geometry == nil
  }

  private var forms: [ISO15693SystemInformation.Form] {
    guard knowledge.product?.traits.hasSystemInformation ?? true else { return [] }
    if let known = knowledge.informationForm { return [known] }
    switch knowledge.wideNumbers {
    case .extendedCommands: return [.extended, .ordinary]
    case .protocolExtension: return [.protocolExtension, .ordinary]
    case nil:
      let mayBeST =
        knowledge.uid == nil || knowledge.maker == ChipMaker.stMicroelectronics
      return [.ordinary, .extended] + (mayBeST ? [.protocolExtension] : [])
    }
  }

  /// - Parameter repeatingSilence: whether the tag has answered before, so that its silence may be a lost answer.
  private func ask(
    _ form: ISO15693SystemInformation.Form, repeatingSilence: Bool
  ) throws -> ISO15693SystemInformation {
    let command: ISO15693Command =
      form == .extended ? .extendedGetSystemInformation(.standard) : .getSystemInformation
    let flags: ISO15693RequestFlags = form == .protocolExtension ? .protocolExtension : []
    let payload = try repeating(silence: repeatingSilence) {
      try link.exchange(
        request(command, adding: flags), answerLength: ISO15693Block.maximumSize, place: nil)
    }
    return try ISO15693SystemInformation(decoding: payload, form: form)
  }

  /// The IC reference of chips that report size and number of blocks in the wrong order (LRI2K;
  /// Android, rw_i93.c).
  private static let swappingReference: UInt8 = 0x21

  private func corrected(_ found: ISO15693SystemInformation) -> ISO15693SystemInformation {
    var found = found
    if let product = knowledge.product, product.traits.misstatesMemory {
      found.blockSize = product.geometry?.blockSize
      found.blockCount = product.geometry?.blockCount
    } else if knowledge.maker == ChipMaker.stMicroelectronics,
      found.icReference == Self.swappingReference, let count = found.blockCount,
      count <= ISO15693Block.maximumSize
    {
      (found.blockSize, found.blockCount) = (count, found.blockSize)
    }
    return found
  }
}

/// Finding vicinity tags by a reader that sends no lone end of frame: one slot at a time.
package enum ISO15693Inventory {
  /// The maximum number of tags to search for; a field cannot hold more.
  static let largestCount = 64

  /// Returns the tags in the state Ready, each with its answer. Colliding answers are separated by
  /// the bits of their UIDs, least significant first.
  ///
  /// - Parameter afi: 0 for tags of every family.
  package static func run(_ link: ISO15693Link, afi: UInt8 = 0) throws -> [ISO15693InventoryAnswer]
  {
    var found: [ISO15693InventoryAnswer] = []
    var masks = [ISO15693InventoryMask.none]
    var left = largestEffort
    while let mask = masks.popLast(), found.count < largestCount, left > 0 {
      left -= 1
      let command = ISO15693Command.inventory(afi: afi == 0 ? nil : afi, mask: mask)
      let request = ISO15693Request(command, flags: [.highDataRate, .inventoryOneSlot])
      do {
        let payload = try link.exchange(request, answerLength: answerLength, place: nil)
        let answer = try ISO15693InventoryAnswer(decoding: payload)
        if !found.contains(answer) { found.append(answer) }
      } catch let error as NFCError where error.isSilence || error.vicinityRefusal != nil {
        // A tag that refuses has not reported its UID; the next search may find it.
        continue
      } catch let error as NFCError where error.isTransmissionError || error.isReaderFailure {
        // Some readers report several answers as their own failure.
        guard mask.length < 64 else { continue }
        let bit = UInt64(1) << UInt64(mask.length)
        masks.append(ISO15693InventoryMask(length: mask.length + 1, value: mask.value | bit))
        masks.append(ISO15693InventoryMask(length: mask.length + 1, value: mask.value))
      }
    }
    return found
  }

  /// The maximum number of requests: the UIDs in a full field differ within a few bits, and an
  /// answer that is always broken must not cause a request for every possible UID.
  private static let largestEffort = 512
  /// Flags, DSFID and UID.
  private static let answerLength = 10
}
