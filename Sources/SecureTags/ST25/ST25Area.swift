import SwiftNFCCore

/// Who may read and write an area of an ST25DV or ST25TV: RW_PROTECTION (ST25DV data sheet DS10925, 5.6; ST's NFC SDK,
/// ST25DVRegisterRfAiSS and ST25TVRegisterArea1SecurityAttribute; ST's library st25tags, `st25tvc.h`).
public enum ST25Access: UInt8, Hashable, Sendable, CaseIterable {
  /// Everyone can read and write.
  case open = 0
  /// Everyone can read; writing requires the password.
  case writePassword = 1
  /// Reading and writing require the password.
  case bothPasswords = 2
  /// Reading requires the password; nobody can write.
  case readPasswordNoWrite = 3

  static let mask: UInt8 = 0x03
}

/// One of the areas that the memory of an ST25DV or ST25TV is divided into.
public struct ST25Area: Hashable, Sendable {
  /// The blocks of the area, counted from the beginning of the memory.
  public var blocks: Range<Int>
  /// The access that the area's register allows.
  public var access: ST25Access
  /// Whether reading is possible whatever the access: true of area 1 of an ST25DV.
  public var canAlwaysBeRead: Bool

  /// Whether reading requires the password of the area.
  public var needsPasswordToRead: Bool {
    !canAlwaysBeRead && (access == .bothPasswords || access == .readPasswordNoWrite)
  }
  /// Whether writing requires the password of the area.
  public var needsPasswordToWrite: Bool { access == .writePassword || access == .bothPasswords }
  /// Whether nobody can write, with or without a password.
  public var isReadOnly: Bool { access == .readPasswordNoWrite }
}

extension ST25Area: CustomStringConvertible {
  /// A text for people.
  public var description: String {
    switch (needsPasswordToRead, needsPasswordToWrite, isReadOnly) {
    case (false, false, false): "read and write"
    case (false, true, _): "read, and write with a password"
    case (true, true, _): "read and write with a password"
    case (true, false, _): "read with a password, never write"
    case (false, false, true): "read only"
    }
  }
}
