/// For which ciphers a card has keys: FeliCa Card User's Manual, excerpted edition, 4.4.10.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum NFCFeliCaEncryptionId: Int, Sendable {
  case AES = 0x4F
  case AES_DES = 0x41

  /// The names of iOS 13.
  public static var aes: Self { .AES }
  public static var aes_des: Self { .AES_DES }
}

/// The name of iOS 13.
public typealias EncryptionId = NFCFeliCaEncryptionId
