/// A driver that has random numbers of its own: one that records them, or one that plays a recording back and is no
/// reader. The driver of a reader has none, so that nothing but the system's generator is used with a real tag.
package protocol RandomNumberDriver: ReaderDriver {
  /// Random bytes for the reader's side of a proof.
  func random(_ count: Int) -> [UInt8]
}

package enum RandomNumbers {
  /// Of the system's generator for cryptography.
  package static func system(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
