import SwiftNFCCore

/// Who holds one of the rights to a file.
public enum DESFireAccess: Hashable, Sendable {
  /// Whoever authenticates with the key of this number, 0 to 13.
  case key(Int)
  /// Everyone, without a key.
  case everyone
  /// Nobody, regardless of the key.
  case nobody

  static let everyoneBits: UInt8 = 0x0E
  static let nobodyBits: UInt8 = 0x0F

  init(bits: UInt8) {
    switch bits & 0x0F {
    case Self.everyoneBits: self = .everyone
    case Self.nobodyBits: self = .nobody
    case let number: self = .key(Int(number))
    }
  }

  var bits: UInt8 {
    switch self {
    case .key(let number): UInt8(truncatingIfNeeded: number) & 0x0F
    case .everyone: Self.everyoneBits
    case .nobody: Self.nobodyBits
    }
  }
}

extension DESFireAccess: CustomStringConvertible {
  /// `key 1`, `everyone` or `nobody`.
  public var description: String {
    switch self {
    case .key(let number): "key \(number)"
    case .everyone: "everyone"
    case .nobody: "nobody"
    }
  }
}

/// The access rights of a file: MF3ICDx21_41_81 data sheet, 8.5.2.
public struct DESFireAccessRights: Hashable, Sendable {
  /// Who may read.
  public var read: DESFireAccess
  /// Who may write.
  public var write: DESFireAccess
  /// Who may both read and write.
  public var readWrite: DESFireAccess
  /// Who may change these rights.
  public var change: DESFireAccess

  /// Creates the rights of a file.
  public init(
    read: DESFireAccess, write: DESFireAccess, readWrite: DESFireAccess, change: DESFireAccess
  ) {
    self.read = read
    self.write = write
    self.readWrite = readWrite
    self.change = change
  }

  /// Decodes four half bytes: read, write, both, change, from the highest.
  public init(_ bits: UInt16) {
    func half(_ shift: Int) -> DESFireAccess {
      DESFireAccess(bits: UInt8(truncatingIfNeeded: bits >> shift))
    }
    self.init(read: half(12), write: half(8), readWrite: half(4), change: half(0))
  }

  /// The rights as four half bytes: read, write, both, change, from the highest.
  public var bits: UInt16 {
    [read, write, readWrite, change].reduce(0) { $0 << 4 | UInt16($1.bits) }
  }

  /// Returns how data is sent when the session's key is `key`: as the file's settings say if that
  /// key gives the right, in plain if everyone has the right (data sheet, 8.5.2).
  func communication(
    _ setting: DESFireCommunication, for rights: [DESFireAccess], key: UInt8?
  ) -> DESFireCommunication {
    if let key, rights.contains(.key(Int(key))) { return setting }
    return rights.contains(.everyone) ? .plain : setting
  }
}
