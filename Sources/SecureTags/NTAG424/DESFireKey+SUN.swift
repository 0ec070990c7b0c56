import SUNMessage

extension DESFireKey {
  /// The key in the form that verifies links; `nil` for a key that is not AES.
  public var sunKey: SUNKey? {
    kind == .aes ? secret.withUnsafeBytes { SUNKey($0) } : nil
  }
}
