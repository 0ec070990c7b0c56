import SUNMessage

extension DESFireKey {
  /// The key as links are verified with it; `nil` for one that is not AES.
  public var sunKey: SUNKey? {
    kind == .aes ? secret.withUnsafeBytes { SUNKey($0) } : nil
  }
}
