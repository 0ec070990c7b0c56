import SwiftNFCCore

/// A source of random bytes for challenges that replaces that of the link to the tag. Tests use it to
/// repeat another program's numbers.
package typealias RandomBytes = @Sendable (_ count: Int) -> [UInt8]

extension TagLink {
  /// Returns the source from which a procedure draws its challenges.
  func random(_ own: RandomBytes?) -> (_ count: Int) -> [UInt8] {
    if let own { return own }
    return { self.random($0) }
  }
}
