import SwiftNFCCore

/// How data is sent between card and reader.
public enum DESFireCommunication: String, Hashable, Sendable, CaseIterable {
  /// In plain text. In an EV1 session, answers have a MAC anyway.
  case plain
  /// Readable, with a MAC.
  case authenticated = "mac"
  /// Encrypted, with a MAC or an encrypted checksum.
  case encrypted = "full"

  /// Decodes the low two bits of communication settings; 2 is plain, too (MF3ICDx21_41_81 data
  /// sheet, 8.5).
  package init(settings: UInt8) {
    switch settings & Self.mask {
    case 0x01: self = .authenticated
    case 0x03: self = .encrypted
    default: self = .plain
    }
  }

  static let mask: UInt8 = 0x03

  var settings: UInt8 {
    switch self {
    case .plain: 0x00
    case .authenticated: 0x01
    case .encrypted: 0x03
    }
  }
}

/// A command before it is protected.
struct DESFireCommand: Hashable, Sendable {
  /// The protection of a command and its answer.
  enum Protection: Hashable, Sendable {
    /// The protection that each generation uses for commands without file data: plain, a MAC over
    /// the answer, or MACs over both.
    case administrative
    /// The protection that a file's settings require.
    case data(DESFireCommunication)
    /// The protection of data that are always encrypted.
    static let encrypted = Protection.data(.encrypted)
  }

  /// The answer to a command.
  enum Answer: Hashable, Sendable {
    /// Nothing but a status.
    case none
    /// Data with the protection of the command. A cipher pads the last block, so the number of
    /// bytes must be known.
    case data(count: Int)
    /// Any number of bytes that are not encrypted.
    case anyData
    /// A status without a MAC: the command has ended the session.
    case endOfSession
  }

  var code: DESFireCommandCode
  /// Parameters that are never encrypted.
  var header: [UInt8] = []
  /// The data to protect.
  var data: [UInt8] = []
  /// Bytes after the checksum of ``data``: ChangeKey's checksum of the new key.
  var trailer: [UInt8] = []
  var protection = Protection.administrative
  var answer = Answer.none
  /// Whether the header is sent in a frame without anything else, although the rest would fit. The answer
  /// then has one frame.
  var headerHasOwnFrame = false
}
