extension MiFareClassicCommands {
  /// Reads a value block of the sector that is open: one exchange.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` if it is not a value block.
  public func readValue(_ block: Int) async throws -> MiFareClassicValueBlock {
    let data = try await readBlock(block)
    do {
      return try MiFareClassicValueBlock(data)
    } catch let error as NFCError {
      throw NFCError(error.code, error.reason, place: .block(block))
    }
  }

  /// Changes a value block of the sector that is open: reads it, sends INCREMENT or DECREMENT and
  /// TRANSFER, and reads it back. A card acknowledges the amount with silence (MF1S50 data sheet,
  /// 12.2), as does a card that has not received it. Its next answer is encrypted with another
  /// part of the key stream, so that one refusal in sixteen looks like an acknowledge.
  ///
  /// A card refuses to count beyond its range, and ignores the sign of an amount (Android, frameworks/base
  /// commit b134223f), so neither is attempted.
  ///
  /// - Parameter difference: the amount to add; a negative one is subtracted. At most 2,147,483,647 in either
  ///   direction.
  /// - Returns: the new value.
  /// - Throws: ``NFCError/Code/capacityExceeded`` if the sum is beyond 32 bits, and
  ///   ``NFCError/Code/malformedContent`` for a block that is not a value block: nothing is written
  ///   then. ``NFCError/Code/invalidParameter`` for -2,147,483,648. ``NFCError/Code/tagRefused`` if
  ///   the access conditions forbid it.
  ///   ``NFCError/Code/tagResponseError`` if the block does not contain the new value afterwards.
  @discardableResult
  public func changeValue(_ block: Int, by difference: Int32) async throws -> Int32 {
    let number = try Self.number(block)
    guard difference != .min else {
      throw NFCError(
        .invalidParameter, "a card counts by at most \(Int32.max) at once", place: .block(block))
    }
    return try await handle.performCommand { link in
      let old: MiFareClassicValueBlock
      do {
        old = try MiFareClassicValueBlock(MiFareClassicExchange.read(number, link))
      } catch let error as NFCError where error.code == .malformedContent {
        throw NFCError(error.code, error.reason, place: .block(block))
      }
      let (new, isOverflow) = old.value.addingReportingOverflow(difference)
      guard !isOverflow else {
        throw NFCError(
          .capacityExceeded, "\(old.value) and \(difference) are beyond 32 bits",
          place: .block(block))
      }
      guard difference != 0 else { return new }
      let value = difference.magnitude
      try link.uninterrupted(recovery: "the value may have changed already: read it") {
        hasChanged in
        _ = try MiFareClassicExchange.send(
          difference > 0 ? .increment(number, by: value) : .decrement(number, by: value), link)
        // A card that has carried it out and whose acknowledge is lost looks like one that refuses.
        hasChanged = true
        _ = try MiFareClassicExchange.send(.transfer(number), link)
        let present = try MiFareClassicExchange.read(number, link)
        guard (try? MiFareClassicValueBlock(present))?.value == new else {
          throw NFCError(
            .tagResponseError, "the card acknowledged the change but does not show it",
            place: .block(block))
        }
      }
      return new
    }
  }
}
