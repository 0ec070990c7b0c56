import SwiftNFCCore

/// Unchanged frames, flags first, to the tag that one of SpringCard's readers has found; see
/// ``Encapsulation``.
struct SpringCardEncapsulation: VicinityDialect {
  let uid: [UInt8]
  let commandPath = CommandPath.encapsulation
  let maximumCommandLength = Encapsulation.maximumCommandLength
  let maximumResponseLength = Encapsulation.maximumResponseLength

  func carry(_ frame: [UInt8], by transmit: Transmit) throws -> ExchangeOutcome? {
    guard let command = Encapsulation.command(frame, of: .vicinity) else { return nil }
    let outcome = ExchangeOutcome(try transmit(command), meanings: Encapsulation.meanings)
    // An answer has at least flags.
    return outcome == .answer([]) ? .malformed : outcome
  }
}
