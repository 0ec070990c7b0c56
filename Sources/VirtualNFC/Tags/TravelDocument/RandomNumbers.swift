import SwiftNFCSeededRandom

/// Random numbers that are the same in each run.
struct RandomNumbers: Sendable {
  private var generator: SplitMix64
  /// Numbers that come first: the published examples need theirs.
  private var given: [[UInt8]]

  init(seed: UInt64 = 0x9303, given: [[UInt8]] = []) {
    generator = SplitMix64(seed: seed)
    self.given = given
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    given.isEmpty ? generator.bytes(count) : given.removeFirst()
  }
}
