@testable import VirtualNFC

extension SplitMix64 {
  /// Any bytes, at most so many.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    bytes(Int.random(in: 0...count, using: &self))
  }
}
