extension ISO15693Access {
  /// Returns what the tag tells of itself; asked once, then known.
  ///
  /// Which commands are tried, and in which order, depends on the maker: chips of ST with more than
  /// 256 blocks leave their size out of the ordinary answer, or want the protocol extension flag.
  ///
  /// - Throws: `unsupported` if the tag is there and tells nothing of itself, or if the reader cannot
  ///   ask it.
  mutating func systemInformation() throws -> ISO15693SystemInformation {
    if let known = knowledge.information { return known }
    return try askInformation()
  }

  /// Asks the tag what it is now; see ``systemInformation()``.
  mutating func askInformation() throws -> ISO15693SystemInformation {
    try link.checkRequests()
    var best: ISO15693SystemInformation?
    for form in forms where !knowledge.refusesInformation {
      do {
        let found = corrected(try ask(form))
        if best == nil || found.blockCount != nil {
          best = found
          knowledge.informationForm = form
        }
        if form == .protocolExtension { knowledge.wideNumbers = .protocolExtension }
        if found.blockCount != nil { break }
      } catch let error as NFCError
        where error.isSilence || error.vicinityRefusal != nil || error.cause == .notCarried
      {
        // The next form may be known to it.
      }
    }
    guard let best else {
      // Only a tag that answers to something else has refused.
      _ = try readBlock(0)
      if knowledge.informationForm == nil { knowledge.refusesInformation = true }
      throw NFCError(.unsupported, "the tag does not tell its system information")
    }
    knowledge.learn(best)
    return best
  }

  private var forms: [ISO15693SystemInformation.Form] {
    guard knowledge.product?.traits.hasSystemInformation ?? true else { return [] }
    if let known = knowledge.informationForm { return [known] }
    switch knowledge.wideNumbers {
    case .extendedCommands: return [.extended, .ordinary]
    case .protocolExtension: return [.protocolExtension, .ordinary]
    case nil:
      let mayBeST =
        knowledge.uid == nil || knowledge.maker == ISO15693Product.stMicroelectronics
      return [.ordinary, .extended] + (mayBeST ? [.protocolExtension] : [])
    }
  }

  private func ask(_ form: ISO15693SystemInformation.Form) throws -> ISO15693SystemInformation {
    let command: ISO15693Command =
      form == .extended ? .extendedGetSystemInformation(.standard) : .getSystemInformation
    let flags: ISO15693RequestFlags = form == .protocolExtension ? .protocolExtension : []
    let payload = try repeating(silence: false) {
      try link.exchange(
        request(command, adding: flags), answerLength: ISO15693Block.maximumSize, place: nil)
    }
    return try ISO15693SystemInformation(decoding: payload, form: form)
  }

  /// The IC reference of chips that tell size and number of blocks the wrong way round (LRI2K;
  /// Android, rw_i93.c).
  private static let swappingReference: UInt8 = 0x21

  private func corrected(_ found: ISO15693SystemInformation) -> ISO15693SystemInformation {
    var found = found
    if let product = knowledge.product, product.traits.misstatesMemory {
      found.blockSize = product.geometry?.blockSize
      found.blockCount = product.geometry?.blockCount
    } else if knowledge.maker == ISO15693Product.stMicroelectronics,
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
  /// No more tags are looked for than a field can hold.
  static let largestCount = 64

  /// Returns the tags that are ready, each by its answer. Answers that collide are told apart by
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
        // A tag that refuses has not told its UID; the next search may find it.
        continue
      } catch let error as NFCError where error.isTransmissionError || error.isReaderFailure {
        // Some readers tell of several answers at once as of their own failure.
        guard mask.length < 64 else { continue }
        let bit = UInt64(1) << UInt64(mask.length)
        masks.append(ISO15693InventoryMask(length: mask.length + 1, value: mask.value | bit))
        masks.append(ISO15693InventoryMask(length: mask.length + 1, value: mask.value))
      }
    }
    return found
  }

  /// How often is asked at most: UIDs of a full field differ within a few bits, and an answer that is
  /// always broken is no reason to ask for every UID that there could be.
  private static let largestEffort = 512
  /// Flags, DSFID and UID.
  private static let answerLength = 10
}
