/// Blocks of a FeliCa card on a reader that does not accept FeliCa frames: `FF A4` selects a
/// service, `FF B0` reads one of its blocks. A record of a Sony RC-S380 has `FF A4 00 01 02 0F 09`,
/// then `FF B0 00 00 00` with 16 bytes as the answer (qiita.com/gebo/items/cb2dd393170767852fb3).
enum FeliCaBlockAccess {
  private static let pseudoClass: UInt8 = 0xFF
  private static let selectFile: UInt8 = 0xA4
  private static let readBinary: UInt8 = 0xB0
  /// P2 of the selection: by service code.
  private static let byServiceCode: UInt8 = 0x01
  private static let anyLength: UInt8 = 0x00
  static let blockSize = 16

  /// - Parameter service: its code, least significant byte first, as the card expects it.
  static func select(service: [UInt8]) -> [UInt8] {
    [pseudoClass, selectFile, 0x00, byServiceCode, UInt8(truncatingIfNeeded: service.count)]
      + service
  }

  static func read(block: UInt16) -> [UInt8] {
    [
      pseudoClass, readBinary, UInt8(truncatingIfNeeded: block >> 8),
      UInt8(truncatingIfNeeded: block), anyLength,
    ]
  }

  /// Read Without Encryption, the only command that has a form in these: LEN, code, IDm, services, blocks
  /// (FeliCa Card User's Manual, excerpted edition, 4.4.5).
  struct Request: Hashable {
    struct Block: Hashable {
      /// The service's code, least significant byte first.
      var service: [UInt8]
      var number: UInt16
    }

    private static let command: UInt8 = 0x06
    private static let answerCode: UInt8 = 0x07
    private static let idmLength = 8
    /// A block list element of two bytes; one without the bit has three (4.2.1).
    private static let isShort: UInt8 = 0x80
    private static let serviceIndexMask: UInt8 = 0x0F

    let idm: [UInt8]
    let blocks: [Block]

    /// Decodes a read command; `nil` for another command, and for one that is not well-formed.
    init?(_ frame: [UInt8]) {
      guard frame.first == UInt8(exactly: frame.count), frame.count > 2, frame[1] == Self.command
      else { return nil }
      var rest = frame.dropFirst(2)
      func take(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      }
      guard let idm = take(Self.idmLength), let serviceCount = take(1)?.first else { return nil }
      var services: [[UInt8]] = []
      for _ in 0..<serviceCount {
        guard let service = take(2) else { return nil }
        services.append(service)
      }
      guard let blockCount = take(1)?.first else { return nil }
      var blocks: [Block] = []
      for _ in 0..<blockCount {
        guard let header = take(1)?.first,
          let number = take(header & Self.isShort != 0 ? 1 : 2)
        else { return nil }
        let index = Int(header & Self.serviceIndexMask)
        guard services.indices.contains(index) else { return nil }
        blocks.append(
          Block(
            service: services[index],
            number: number.reversed().reduce(0) { $0 << 8 | UInt16($1) }))
      }
      guard rest.isEmpty, !blocks.isEmpty else { return nil }
      (self.idm, self.blocks) = (idm, blocks)
    }

    /// Returns the card's answer: both status flags 00, and the blocks.
    func answer(_ data: [UInt8]) -> [UInt8] {
      let body =
        [Self.answerCode] + idm + [0x00, 0x00, UInt8(truncatingIfNeeded: blocks.count)] + data
      return [UInt8(truncatingIfNeeded: body.count + 1)] + body
    }
  }
}
