import NFC

/// How an ISO 15693 chip is given its password.
enum VicinityPassword {
  /// ICODE SLIX2 and its successors: the same 4 bytes for reading and for writing.
  case icode
  /// ST25DV: password 1, 8 bytes.
  case st25dv

  /// `nil` for a chip without passwords, or one whose passwords are not known.
  init?(_ product: TagProduct?) {
    switch product?.name {
    case "ICODE SLIX2": self = .icode
    case let name? where name.hasPrefix("ST25DV"): self = .st25dv
    default: return nil
    }
  }

  /// In bytes.
  var size: Int {
    switch self {
    case .icode: ICODECommands.passwordSize
    case .st25dv: ST25DVCommands.passwordSize
    }
  }

  /// As the chip leaves the factory.
  var factoryPassword: [UInt8] {
    switch self {
    case .icode: ICODECommands.factoryPassword
    case .st25dv: ST25DVCommands.factoryPassword
    }
  }

  /// - Throws: ``Failure`` `usage` for a password of another length.
  func check(_ password: [UInt8], _ option: String, _ tag: any ISO15693Tag) throws {
    guard password.count == size else {
      throw Failure(
        .usage, "\(option) has \(password.count) bytes, and this tag's password has \(size)",
        tag: "tag \(tag.identifier.hexadecimal)", advice: "give \(2 * size) hexadecimal digits")
    }
  }

  /// Gives the password, which the tag needs for as long as it is in the field.
  ///
  /// - Throws: ``Failure`` `usage`; `NFCError` `authenticationFailed`.
  func give(_ password: [UInt8], to tag: any ISO15693Tag) async throws {
    try check(password, "the password", tag)
    switch self {
    case .icode: try await ICODECommands(tag).open(password)
    case .st25dv:
      try await ST25DVCommands(tag).present(password, number: ST25DVCommands.areaPassword)
    }
  }
}
