import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests that the nonces of a MIFARE Classic depend on the time since the carrier was switched on.
@Suite struct ClassicNonceTests {
  /// Returns the nonce of an authentication at a time after the carrier was switched on.
  private func nonce(after time: Duration, _ card: inout MIFAREClassic) -> [UInt8]? {
    card.powerOn()
    for frame in [
      RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7),
      .typeA([0x93, 0x70] + card.identifier + [card.identifier.reduce(0, ^)]),
    ] {
      _ = card.receive(frame)
    }
    card.carrierHasLasted(time)
    return card.receive(.typeA([0x60, 0x00]))?.bytes
  }

  @Test func theyDependOnTime() {
    var card = MIFAREClassic(.oneK, uid: [0x6F, 0x21, 0xD4, 0x0A], formatted: false)
    var seen: Set<[UInt8]> = []
    for milliseconds in 1...50 {
      guard let nonce = nonce(after: .milliseconds(milliseconds), &card) else {
        Issue.record("no nonce")
        return
      }
      seen.insert(nonce)
    }
    #expect(seen.count == 50)
    #expect(nonce(after: .milliseconds(7), &card) == nonce(after: .milliseconds(7), &card))
    // After 65535 steps, the generator has the same state again.
    let period = Duration.nanoseconds(9440 * 65_535)
    #expect(
      nonce(after: .milliseconds(7), &card) == nonce(after: .milliseconds(7) + period, &card))
  }
}
