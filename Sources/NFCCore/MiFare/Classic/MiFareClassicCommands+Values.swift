extension MiFareClassicCommands {
  /// Reads a value block of the sector that is open: one exchange.
  ///
  /// - Throws: `malformedContent` if it is no value block.
  public func readValue(_ block: UInt8) async throws -> MiFareClassicValueBlock {
    let data = try await readBlock(block)
    do {
      return try MiFareClassicValueBlock(data)
    } catch let error as NFCError {
      throw NFCError(error.code, error.reason, place: .block(Int(block)))
    }
  }

  /// Changes a value block of the sector that is open: reads it, INCREMENT or DECREMENT, TRANSFER.
  ///
  /// What a card does that is asked to count beyond its range is not documented: it is not asked.
  ///
  /// - Parameter difference: negative takes away.
  /// - Returns: the new value.
  /// - Throws: `capacityExceeded` if the sum is beyond 32 bits, and `malformedContent` for no value block:
  ///   nothing is written. `tagRefused` if the access conditions forbid it.
  @discardableResult
  public func changeValue(_ block: UInt8, by difference: Int32) async throws -> Int32 {
    return try await handle.performCommand { link in
      let old: MiFareClassicValueBlock
      do {
        old = try MiFareClassicValueBlock(MiFareClassicExchange.read(block, link))
      } catch let error as NFCError where error.code == .malformedContent {
        throw NFCError(error.code, error.reason, place: .block(Int(block)))
      }
      let (new, isOverflow) = old.value.addingReportingOverflow(difference)
      guard !isOverflow else {
        throw NFCError(
          .capacityExceeded, "\(old.value) and \(difference) are beyond 32 bits",
          place: .block(Int(block)))
      }
      guard difference != 0 else { return new }
      let value = difference.magnitude
      _ = try MiFareClassicExchange.send(
        difference > 0 ? .increment(block, by: value) : .decrement(block, by: value), link)
      _ = try MiFareClassicExchange.send(.transfer(block), link)
      return new
    }
  }
}
