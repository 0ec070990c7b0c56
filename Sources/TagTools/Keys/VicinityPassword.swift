import NFC
import SecureTags

/// The way in which the memory password is sent to an ISO 15693 chip.
package enum VicinityPassword: Hashable, Sendable {
  /// The way of an ICODE SLIX2, SLIX-S, SLI-S and NTAG 5: the same password of 4 bytes for reading and for writing.
  case icode
  /// The way of an ST25DV or ST25TV, whose passwords have these sizes.
  case st25(sizes: [Int])

  /// Returns `nil` for a chip without passwords or with unknown passwords. The product may be one of several
  /// that share a UID.
  package init?(_ product: TagProduct?) {
    guard let chip = ISO15693Chip(product), !chip.memoryPasswordSizes.isEmpty else { return nil }
    self = chip.icode != nil ? .icode : .st25(sizes: chip.memoryPasswordSizes)
  }

  /// The permitted sizes in bytes.
  package var sizes: [Int] {
    switch self {
    case .icode: [ICODETag.passwordSize]
    case .st25(let sizes): sizes
    }
  }

  /// - Parameter name: what the error calls the password.
  /// - Throws: ``TagSecretError`` for a password of another length.
  package func check(_ password: [UInt8], _ name: String, _ tag: any ISO15693Tag) throws {
    guard !sizes.contains(password.count) else { return }
    let words = sizes.map(String.init).joined(separator: " or ")
    throw TagSecretError(
      .passwordSize(sizes),
      "\(name) has \(password.count) bytes, and this tag's password has \(words)",
      identifier: tag.identifier)
  }

  /// Sends the password. The tag remembers it as long as the tag is in the field.
  ///
  /// - Throws: ``TagSecretError``; `NFCError` `authenticationFailed`.
  func present(_ password: [UInt8], to tag: any ISO15693Tag) async throws {
    try check(password, "the password", tag)
    let secret = SecretKey(password)
    switch self {
    case .icode:
      let icode = try await ICODETag(tag)
      try await icode.authenticate(.read, secret)
      try await icode.authenticate(.write, secret)
    case .st25: try await ST25Tag(tag).authenticate(secret)
    }
  }
}
