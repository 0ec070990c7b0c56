import NFC
import SecureTags

/// The way in which the memory password is sent to an ISO 15693 chip.
enum VicinityPassword: Hashable {
  /// The way of an ICODE SLIX2, SLIX-S, SLI-S and NTAG 5: the same password of 4 bytes for reading and for writing.
  case icode
  /// The way of an ST25DV or ST25TV, whose passwords have these sizes.
  case st25(sizes: [Int])

  /// Returns `nil` for a chip without passwords or with unknown passwords. The product may be one of several
  /// that share a UID.
  init?(_ product: TagProduct?) {
    guard let chip = ISO15693Chip(product), !chip.memoryPasswordSizes.isEmpty else { return nil }
    self = chip.icode != nil ? .icode : .st25(sizes: chip.memoryPasswordSizes)
  }

  /// The permitted sizes in bytes.
  var sizes: [Int] {
    switch self {
    case .icode: [ICODETag.passwordSize]
    case .st25(let sizes): sizes
    }
  }

  /// - Throws: ``Failure`` `usage` for a password of another length.
  func check(_ password: [UInt8], _ option: String, _ tag: any ISO15693Tag) throws {
    guard !sizes.contains(password.count) else { return }
    let words = sizes.map(String.init).joined(separator: " or ")
    let digits = sizes.map { String(2 * $0) }.joined(separator: " or ")
    throw Failure(
      .usage, "\(option) has \(password.count) bytes, and this tag's password has \(words)",
      tag: tag.identifier.tagName, advice: "give \(digits) hexadecimal digits")
  }

  /// Sends the password. The tag remembers it as long as the tag is in the field.
  ///
  /// - Throws: ``Failure`` `usage`; `NFCError` `authenticationFailed`.
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
