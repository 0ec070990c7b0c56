/// How data goes between card and reader.
public enum DESFireCommunication: String, Hashable, Sendable, CaseIterable {
  /// As it is; in a session of EV1's kind its answers carry a MAC all the same.
  case plain
  /// Readable, with a MAC.
  case authenticated = "mac"
  /// Enciphered, with a MAC or an enciphered check.
  case enciphered = "full"

  /// The low two bits of communication settings; 2 is plain too (MF3ICDx21_41_81 data sheet, 8.5).
  init(settings: UInt8) {
    switch settings & Self.mask {
    case 0x01: self = .authenticated
    case 0x03: self = .enciphered
    default: self = .plain
    }
  }

  static let mask: UInt8 = 0x03

  var settings: UInt8 {
    switch self {
    case .plain: 0x00
    case .authenticated: 0x01
    case .enciphered: 0x03
    }
  }
}

/// A command before it is protected.
struct DESFireCommand: Hashable, Sendable {
  /// What is done to a command and its answer.
  enum Protection: Hashable, Sendable {
    /// As each generation protects what is no data of a file: plain, with a MAC over the answer, with MACs over
    /// both.
    case administrative
    /// As a file's settings say.
    case data(DESFireCommunication)
    /// As for data that are always enciphered.
    static let enciphered = Protection.data(.enciphered)
  }

  /// What answers the command.
  enum Answer: Hashable, Sendable {
    /// Nothing but a status.
    case none
    /// Data that are protected as the command is. A cipher fills up the last block, so that their number has
    /// to be known.
    case data(count: Int)
    /// Data of any number that are not enciphered.
    case anyData
    /// A status without a MAC: the command has ended the session.
    case endOfSession
  }

  var code: DESFireCommandCode
  /// Parameters that are never enciphered.
  var header: [UInt8] = []
  /// What is protected.
  var data: [UInt8] = []
  /// Goes after the check of ``data``: ChangeKey's check of the new key.
  var trailer: [UInt8] = []
  var protection = Protection.administrative
  var answer = Answer.none
}
