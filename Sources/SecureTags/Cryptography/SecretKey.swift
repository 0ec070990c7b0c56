import CSwiftNFCOpenSSL
import SwiftNFCCore

/// The bytes of a key or of a password.
///
/// The bytes are never shown: not when the value is printed, dumped or mirrored. They are in memory
/// once, however often the value is copied, and are overwritten when the last copy is released.
/// Comparing two keys takes a time that does not depend on where they differ.
public struct SecretKey: Sendable {
  private let storage: Storage

  /// Keeps a copy of `bytes`. The caller is responsible for erasing the original.
  public init(_ bytes: some Collection<UInt8>) {
    storage = Storage(bytes)
  }

  /// Creates a key from hexadecimal digits of either case, as settings contain them; `nil` for any other text. Blanks and
  /// colons between the digits are ignored. The caller is responsible for the text.
  public init?(hexadecimal text: some StringProtocol) {
    guard var bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(taking: &bytes)
  }

  /// Keeps a copy of `bytes` and overwrites the original.
  package init(taking bytes: inout [UInt8]) {
    storage = Storage(bytes)
    bytes.wipe()
  }

  /// The number of bytes.
  public var count: Int { storage.bytes.count }

  /// Calls a closure with the bytes. A copy that `body` makes is no longer protected.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    // Otherwise nothing needs the storage once its address is known, and a last copy could be erased meanwhile.
    try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
  }

  /// Storage that nobody else can change: written once, before the object is shared, and
  /// overwritten when the last reference is released.
  private final class Storage: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ source: some Collection<UInt8>) {
      bytes = .allocate(byteCount: source.count, alignment: 1)
      bytes.copyBytes(from: source)
    }

    deinit {
      if let address = bytes.baseAddress { OPENSSL_cleanse(address, bytes.count) }
      bytes.deallocate()
    }
  }
}

extension SecretKey: Equatable {
  public static func == (left: SecretKey, right: SecretKey) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in left.equals(right) } }
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of bytes, but none of the bytes.
  public var description: String { "\(count) secret bytes" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UnsafeRawBufferPointer {
  /// Returns whether the bytes are equal, in a time that depends only on their number.
  fileprivate func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let address = baseAddress, let otherAddress = other.baseAddress else { return true }
    return CRYPTO_memcmp(address, otherAddress, count) == 0
  }
}

extension [UInt8] {
  /// Returns whether the bytes are equal, in a time that depends only on their number: for MACs.
  package func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.equals($0) } }
  }

  /// Overwrites the bytes and empties the array.
  package mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      if let address = bytes.baseAddress { OPENSSL_cleanse(address, bytes.count) }
    }
    removeAll()
  }

  /// Returns the exclusive-or of both sequences, with the length of the shorter one.
  package func combined(with other: some Sequence<UInt8>) -> [UInt8] {
    zip(self, other).map { $0 ^ $1 }
  }
}
