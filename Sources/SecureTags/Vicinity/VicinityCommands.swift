import SwiftNFCCore

/// Commands of a chip's maker for one ISO 15693 tag, inside a procedure that holds the reader.
struct VicinityCommands {
  let link: TagLink
  /// The UID, most significant byte first.
  let uid: [UInt8]
  /// The maker's code in a UID (ISO/IEC 7816-6).
  let manufacturer: UInt8

  init(_ link: TagLink, _ tag: any ISO15693Tag, manufacturer: UInt8) {
    self.link = link
    uid = tag.identifier
    self.manufacturer = manufacturer
  }

  /// Sends a command, addressed to the tag, and returns the answer without its flags: one exchange.
  ///
  /// - Throws: the tag's refusal, with the cause `iso15693`.
  func send(_ code: UInt8, _ parameters: [UInt8] = [], option: Bool = false) throws -> [UInt8] {
    var request = try ISO15693Request(
      .custom(code: code, manufacturer: manufacturer, parameters: parameters),
      flags: option ? [.highDataRate, .option] : .highDataRate, uid: uid
    ).encoded()
    defer { request.wipe() }
    return try ISO15693Response(decoding: link.transceive(request)).checkedPayload()
  }

  /// Sends a command for the selected tag, which an authentication has selected: one exchange.
  func sendToSelected(_ code: UInt8, _ parameters: [UInt8]) throws -> [UInt8] {
    let request = try ISO15693Request(
      .custom(code: code, manufacturer: manufacturer, parameters: parameters),
      flags: [.highDataRate, .select]
    ).encoded()
    return try ISO15693Response(decoding: link.transceive(request)).checkedPayload()
  }

  /// Sends a command with a password after its other parameters.
  func send(_ code: UInt8, _ parameters: [UInt8], password: [UInt8]) throws -> [UInt8] {
    var whole = parameters + password
    defer { whole.wipe() }
    return try send(code, whole)
  }
}

extension SecretKey {
  /// Returns the password combined with a random number, which is repeated over it (ICODE: SL2S2602
  /// data sheet, 9.5.3.2; ST25TV02K: ST's NFC SDK, TagHelper). The caller overwrites it.
  func covered(by random: [UInt8]) -> [UInt8] {
    guard !random.isEmpty else { return [] }
    return withUnsafeBytes { bytes in
      bytes.enumerated().map { $0.element ^ random[$0.offset % random.count] }
    }
  }

  /// Calls a closure with the bytes as an array, which is overwritten after the call.
  func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
    var copy = withUnsafeBytes { Array($0) }
    defer { copy.wipe() }
    return try body(copy)
  }
}
