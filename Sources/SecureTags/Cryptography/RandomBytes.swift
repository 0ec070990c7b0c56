import NFCCore

/// Where the random bytes of a challenge come from, if not from the link to the tag: given by tests that have
/// another program's numbers.
package typealias RandomBytes = @Sendable (_ count: Int) -> [UInt8]

extension TagLink {
  /// What a procedure draws its challenges from.
  func random(_ own: RandomBytes?) -> (_ count: Int) -> [UInt8] {
    if let own { return own }
    return { self.random($0) }
  }
}
