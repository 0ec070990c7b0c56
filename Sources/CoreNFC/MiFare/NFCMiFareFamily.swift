/// The families of tags of type A that an iPhone distinguishes.
public enum NFCMiFareFamily: UInt, Sendable {
  /// Any other tag of type A.
  case unknown = 1
  /// Ultralight, NTAG and similar tags.
  case ultralight = 2
  /// MIFARE Plus.
  case plus = 3
  /// MIFARE DESFire.
  case desfire = 4
}
