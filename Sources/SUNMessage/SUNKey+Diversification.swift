extension SUNKey {
  /// The maximum number of bytes of input.
  package static let longestDiversificationInput = 2 * size - 1

  /// Returns the key of one chip, derived from this master key and data of the chip: NXP AN10922,
  /// 2.2.
  ///
  /// - Parameter input: usually the UID, the application identifier and a name of the system; 1 to
  ///   31 bytes.
  /// - Returns: `nil` for an input that is empty or too long.
  public func diversified(by input: some Collection<UInt8>) -> SUNKey? {
    guard (1...Self.longestDiversificationInput).contains(input.count) else { return nil }
    let code = CMAC.code([Self.diversificationConstant] + input, blocks: 2) {
      AESBlock.encrypt($0, self)
    }
    return SUNKey(block: code)
  }

  /// The constant for AES-128 keys (AN10922, 2.2).
  private static let diversificationConstant: UInt8 = 0x01
}
