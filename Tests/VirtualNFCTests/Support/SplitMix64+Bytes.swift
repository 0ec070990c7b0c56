@testable import VirtualNFC

extension SplitMix64 {
  /// Returns random bytes, at most this number.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    bytes(Int.random(in: 0...count, using: &self))
  }
}
