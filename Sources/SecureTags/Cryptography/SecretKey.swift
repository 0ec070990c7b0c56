import COpenSSL

/// The bytes of a key or of a password.
///
/// They are shown nowhere: not when the value is printed, dumped or mirrored. They stand in memory once, however
/// often the value is copied, and are overwritten when the last copy goes. Two keys are compared in a time that
/// says nothing of where they differ.
public struct SecretKey: Sendable {
  private let storage: Storage

  /// Keeps a copy of `bytes`; those that are given are the caller's to forget.
  public init(_ bytes: some Collection<UInt8>) {
    storage = Storage(bytes)
  }

  /// Keeps `bytes`, and overwrites them where they were.
  package init(taking bytes: inout [UInt8]) {
    storage = Storage(bytes)
    bytes.wipe()
  }

  /// The number of bytes.
  public var count: Int { storage.bytes.count }

  /// Lends the bytes for the time of a call. What `body` copies is no longer protected.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(storage.bytes))
  }

  /// Bytes of their own, which nobody else can change: written once, before the object is seen by anybody, and
  /// overwritten when nobody sees it any more.
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
  /// How many bytes there are, and none of them.
  public var description: String { "\(count) secret bytes" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are equal, in a time that depends on their number only.
  fileprivate func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let address = baseAddress, let otherAddress = other.baseAddress else { return true }
    return CRYPTO_memcmp(address, otherAddress, count) == 0
  }
}

extension [UInt8] {
  /// Whether the bytes are equal, in a time that depends on their number only: for MACs.
  package func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.equals($0) } }
  }

  /// Overwrites the bytes and leaves none.
  package mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      if let address = bytes.baseAddress { OPENSSL_cleanse(address, bytes.count) }
    }
    removeAll()
  }

  /// Both, byte by byte; as long as the shorter one.
  package func combined(with other: some Sequence<UInt8>) -> [UInt8] {
    zip(self, other).map { $0 ^ $1 }
  }
}
