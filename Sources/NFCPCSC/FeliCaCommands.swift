/// `FF 42` to `FF 4A`: commands of FeliCa in APDUs of their own, on readers of Identiv and of SCM before it (uTrust
/// 4701F and 4711F, reference manual 1.2, 6.2.14 to 6.2.18; CLOUD 47x0 F, reference manual, 6.2.14 to 6.2.18).
///
/// The reader addresses the card that it has found, and its answers begin with that card's IDm.
enum FeliCaCommands {
  private static let pseudoClass: UInt8 = 0xFF

  // Codes of commands and answers (JIS X 6319-4, 9.6; FeliCa Card User's Manual, excerpted edition, 4.4).
  private static let requestService: UInt8 = 0x02
  private static let requestResponse: UInt8 = 0x04
  private static let read: UInt8 = 0x06
  private static let write: UInt8 = 0x08
  private static let requestSystemCode: UInt8 = 0x0C

  private static let idmLength = 8
  private static let blockSize = 16
  private static let shortElementLength = 2
  /// A block list element of two bytes; one without the bit has three (4.2.1).
  private static let isShort: UInt8 = 0x80

  static let maximumLength = 255

  /// Returns the APDU for a command, its length first; `nil` for one that has no APDU.
  static func command(for frame: [UInt8]) -> [UInt8]? {
    let head = 2 + idmLength
    guard frame.first == UInt8(exactly: frame.count), frame.count >= head else { return nil }
    let rest = Array(frame[head...])
    switch frame[1] {
    case requestService:
      guard let count = rest.first, rest.count == 1 + 2 * Int(count) else { return nil }
      return apdu(0x42, count, 0x00, Array(rest.dropFirst()))
    case requestResponse where rest.isEmpty: return apdu(0x44, 0x00, 0x00, [])
    case read: return blocks(0x46, rest, dataLength: 0)
    case write: return blocks(0x48, rest, dataLength: blockSize)
    case requestSystemCode where rest.isEmpty: return apdu(0x4A, 0x00, 0x00, [])
    default: return nil
    }
  }

  private static func apdu(
    _ instruction: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]
  ) -> [UInt8]? {
    UInt8(exactly: data.count).map { [pseudoClass, instruction, p1, p2, $0] + data }
  }

  /// The numbers of services and blocks are P1 and P2, and not part of the data. A block list element has two bytes.
  private static func blocks(
    _ instruction: UInt8, _ parameters: [UInt8], dataLength: Int
  ) -> [UInt8]? {
    guard let serviceCount = parameters.first else { return nil }
    let services = Array(parameters.dropFirst().prefix(2 * Int(serviceCount)))
    let rest = parameters.dropFirst(1 + services.count)
    guard let blockCount = rest.first else { return nil }
    let body = Array(rest.dropFirst())
    let listLength = shortElementLength * Int(blockCount)
    guard body.count == listLength + dataLength * Int(blockCount),
      stride(from: 0, to: listLength, by: shortElementLength).allSatisfy({
        body[$0] & isShort != 0
      })
    else { return nil }
    return apdu(instruction, serviceCount, blockCount, services + body)
  }

  /// The operation has failed: a card that does not answer, because one that refuses says so in its status flags.
  private static let meanings: ExchangeOutcome.Meanings = [0x6300: .noAnswer]

  /// Returns the outcome of a command, with the length and the code of the card's own answer.
  static func outcome(_ answer: [UInt8], of frame: [UInt8]) -> ExchangeOutcome {
    let outcome = ExchangeOutcome(answer, meanings: meanings)
    guard case .answer(let data) = outcome else { return outcome }
    guard frame.count > 1, data.count >= idmLength, let length = UInt8(exactly: data.count + 2)
    else { return .malformed }
    return .answer([length, frame[1] + 1] + data)
  }
}
