/// A command that finds out whether a reader passes commands on to a FeliCa card: a read of the first block of an NFC
/// Forum Type 3 tag, which every card answers, with the block or with status flags (FeliCa Card User's Manual,
/// excerpted edition, 4.4.5).
enum FeliCaQuestion {
  private static let (command, answer): (UInt8, UInt8) = (0x06, 0x07)
  /// One service, its code least significant byte first; one block, its list element.
  private static let attributeBlock: [UInt8] = [0x01, 0x0B, 0x00, 0x01, 0x80, 0x00]

  static func frame(to idm: [UInt8]) -> [UInt8] {
    let body = [command] + idm + attributeBlock
    return [UInt8(truncatingIfNeeded: body.count + 1)] + body
  }

  /// The system code of NFC Forum Type 3 tags, most significant byte first.
  private static let ndefSystem: [UInt8] = [0x12, 0xFC]
  private static let majorVersion: UInt8 = 0x10
  /// The service of such a tag's blocks, least significant byte first.
  static let service: [UInt8] = [0x0B, 0x00]

  /// Returns the system code of the card, if an outcome is an attribute block, which only such a tag has; otherwise
  /// none. Where a reader does not send Polling, the card cannot be asked.
  ///
  /// The block begins with its version, and ends with the sum of its other bytes (NFC Forum Type 3 Tag, 6.1).
  static func systemCode(from outcome: ExchangeOutcome) -> [UInt8] {
    // LEN, code, IDm, two status flags, number of blocks.
    let head = 13
    guard case .answer(let frame) = outcome else { return [] }
    return systemCode(fromBlock: Array(frame.dropFirst(head)))
  }

  /// As ``systemCode(from:)``, for the first block of ``service``.
  static func systemCode(fromBlock block: [UInt8]) -> [UInt8] {
    guard block.count == FeliCaBlockAccess.blockSize else { return [] }
    let sum = block.dropLast(2).reduce(UInt16(0)) { $0 + UInt16($1) }
    let hasSum = block.suffix(2).elementsEqual(sum.bigEndianBytes)
    return block.first.map { $0 & 0xF0 } == majorVersion && hasSum ? ndefSystem : []
  }

  /// Returns whether an outcome is that card's answer.
  static func isAnswered(_ outcome: ExchangeOutcome, by idm: [UInt8]) -> Bool {
    guard case .answer(let frame) = outcome else { return false }
    return frame.dropFirst().starts(with: [answer] + idm)
  }
}
