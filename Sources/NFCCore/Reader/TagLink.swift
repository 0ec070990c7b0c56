/// The way from a procedure to the tag: one call is one exchange.
///
/// A link exists only while a procedure runs on the reader's thread.
struct TagLink {
  private let driver: any ReaderDriver
  let target: Target
  private let work: Reader.Work

  init(driver: any ReaderDriver, target: Target, work: Reader.Work) {
    self.driver = driver
    self.target = target
    self.work = work
  }

  /// What a tag may take for an ordinary command, waiting-time extensions included.
  static let defaultTimeout = Duration.milliseconds(1000)

  var capabilities: ReaderCapabilities { driver.capabilities(for: target) }

  /// Sends a command and gives the answer.
  ///
  /// Throws `commandTooLong` before anything is sent.
  func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration = TagLink.defaultTimeout
  ) throws -> [UInt8] {
    try work.checkCancellation()
    let longest = capabilities.maximumCommandLength
    guard command.count <= longest else {
      throw NFCError(
        .commandTooLong,
        "a command has at most \(longest) bytes on this reader, not \(command.count)")
    }
    return try driver.exchange(command, framing: framing, timeout: timeout)
  }

  /// Wakes the tag anew after it has fallen silent; what was unlocked in it is locked again.
  func selectAgain() throws {
    try work.checkCancellation()
    try driver.select(target)
  }

  func authenticate(block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8]) throws {
    try work.checkCancellation()
    // The cipher is keyed with the UID's last four bytes (MF1S50 data sheet, 10.1; AN10927 for seven).
    try driver.authenticate(
      block: block, keyType: keyType, key: key, uid: Array(target.identifier.suffix(4)))
  }
}
