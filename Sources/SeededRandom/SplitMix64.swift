/// A small generator of repeatable numbers, for the random values of virtual chips, for faults and for tests. It
/// uses neither a clock nor a system call, and the same seed gives the same numbers on every system.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package init(seed: [UInt8]) {
    state = seed.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
  }

  /// Returns random bytes, at most this number.
  package mutating func bytes(upTo count: Int) -> [UInt8] {
    bytes(Int.random(in: 0...count, using: &self))
  }
}
