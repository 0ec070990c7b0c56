import CSwiftNFCOpenSSL

/// An AES-128 key that verifies SUN messages.
///
/// The key never shows itself: descriptions and mirrors are masked, keys are compared in constant
/// time, and the bytes are overwritten when the last copy is released.
public struct SUNKey: Sendable {
  /// The size of an AES-128 key in bytes.
  public static let size = 16

  /// The bytes, which do not change after `init`, so that any thread can read them.
  private final class Storage: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ source: some Collection<UInt8>) {
      bytes = .allocate(byteCount: SUNKey.size, alignment: SUNKey.size)
      bytes.copyBytes(from: source)
    }

    deinit {
      OPENSSL_cleanse(bytes.baseAddress, bytes.count)
      bytes.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      body(UnsafeRawBufferPointer(bytes))
    }
  }

  private let storage: Storage

  /// Creates a key; `nil` if there are not 16 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.size else { return nil }
    storage = Storage(bytes)
  }

  /// Creates a key from 32 hexadecimal digits of either case, as a server's settings contain them; `nil` for any
  /// other text. The caller is responsible for the text.
  public init?(hexadecimal text: some StringProtocol) {
    guard text.utf8.count == 2 * Self.size else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.size)
    defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    for (index, digit) in text.utf8.enumerated() {
      guard let value = HexadecimalText.value(digit) else { return nil }
      bytes[index / 2] = bytes[index / 2] << 4 | value
    }
    self.init(bytes)
  }

  /// The value of each of the chip's keys on delivery: zeros (NT4H2421Gx data sheet, 8.2.4.2).
  public static let factory = SUNKey(block: AESBlock.zero)

  /// - Parameter block: 16 computed bytes.
  init(block: [UInt8]) {
    precondition(block.count == Self.size, "a key has 16 bytes")
    storage = Storage(block)
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // Otherwise nothing needs the storage once its address is known, and a last copy could be erased meanwhile.
    withExtendedLifetime(storage) { storage.withBytes(body) }
  }
}

extension SUNKey: Equatable {
  public static func == (a: SUNKey, b: SUNKey) -> Bool {
    a.withBytes { a in b.withBytes { b in CRYPTO_memcmp(a.baseAddress, b.baseAddress, size) == 0 } }
  }
}

extension SUNKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SUNKey(hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
