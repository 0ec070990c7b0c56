import SwiftNFCCore

/// The command code and the parameters in an APDU defined by the reader's maker; the answer has no
/// flags.
struct MakerPassThrough: VicinityCommandDialect {
  let uid: [UInt8]
  private let header: [UInt8]
  private let trailer: [UInt8]

  /// `FF FB 00 00` (ACS ACR1552U, reference manual 1.07, 5.3.4.2).
  static func acs(uid: [UInt8]) -> MakerPassThrough {
    MakerPassThrough(uid: uid, header: [0xFF, 0xFB, 0x00, 0x00], trailer: [])
  }

  /// `FF FC 00 00`, with Le (Identiv uTrust 3720F, reference manual 1.00, 6.3.7).
  static func identiv(uid: [UInt8]) -> MakerPassThrough {
    MakerPassThrough(uid: uid, header: [0xFF, 0xFC, 0x00, 0x00], trailer: [0x00])
  }

  let commandPath = CommandPath.makerPassThrough

  func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard !hasOption, let body = command.body, let count = UInt8(exactly: body.count) else {
      return nil
    }
    return ExchangeOutcome(try transmit(header + [count] + body + trailer))
  }
}
