/// A driver with its own source of random numbers, because it records them or replays a recording. The
/// driver of a real reader does not conform to this protocol, so a real tag only ever receives numbers
/// from the system's generator.
package protocol RandomNumberDriver: ReaderDriver {
  /// Returns random bytes for the reader's side of an authentication.
  func random(_ count: Int) -> [UInt8]
}

package enum RandomNumbers {
  /// Returns random bytes from the system's cryptographic generator.
  package static func system(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
