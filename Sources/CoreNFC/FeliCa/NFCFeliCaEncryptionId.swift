/// The ciphers that a card has keys for: FeliCa Card User's Manual, excerpted edition, 4.4.10.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum NFCFeliCaEncryptionId: Int, Sendable {
  /// Only AES keys.
  case AES = 0x4F
  /// AES keys and DES keys.
  case AES_DES = 0x41

  /// The name of ``AES`` in iOS 13.
  public static var aes: Self { .AES }
  /// The name of ``AES_DES`` in iOS 13.
  public static var aes_des: Self { .AES_DES }
}

/// The name of iOS 13.
public typealias EncryptionId = NFCFeliCaEncryptionId
