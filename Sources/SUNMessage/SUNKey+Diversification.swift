extension SUNKey {
  /// The most bytes of input.
  package static let longestDiversificationInput = 2 * size - 1

  /// The key of one chip, from this master key and what is known of the chip: NXP AN10922, 2.2.
  ///
  /// - Parameter input: most often the UID, the application's identifier and a name of the system; 1 to 31 bytes.
  /// - Returns: `nil` for no input, or one that is too long.
  public func diversified(by input: some Collection<UInt8>) -> SUNKey? {
    guard (1...Self.longestDiversificationInput).contains(input.count) else { return nil }
    let code = CMAC.code([Self.diversificationConstant] + input, blocks: 2) {
      AESBlock.encrypt($0, self)
    }
    return SUNKey(block: code)
  }

  /// Of AES-128 keys (AN10922, 2.2).
  private static let diversificationConstant: UInt8 = 0x01
}
