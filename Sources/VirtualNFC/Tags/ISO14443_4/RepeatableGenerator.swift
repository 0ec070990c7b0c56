/// SplitMix64: what a card draws for its challenges, the same in each run from the same seed.
struct RepeatableGenerator: Hashable, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      value ^= value >> 31
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array(bytes.prefix(count))
  }
}
