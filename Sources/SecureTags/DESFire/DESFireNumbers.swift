import SwiftNFCCore

// Numbers in settings that a program chooses. A card would receive only their lowest bits, so that key 14 would be
// everyone, and an offset another one.

extension DESFireAccess {
  /// Throws ``NFCError/Code/invalidParameter`` for the number of a key that no application has.
  func check() throws {
    if case .key(let number) = self { _ = try DESFireApplication.keyNumber(number) }
  }
}

extension DESFireAccessRights {
  /// Throws ``NFCError/Code/invalidParameter`` for the number of a key that no application has.
  func check() throws {
    for right in [read, write, readWrite, change] { try right.check() }
  }
}

extension DESFireKeySettings {
  /// Throws ``NFCError/Code/invalidParameter`` for the number of a key that no application has.
  func check() throws {
    if case .key(let number) = keyChange { _ = try DESFireApplication.keyNumber(number) }
  }
}

extension DESFireFileSettings {
  private static let transactionLimits = 0...Int(UInt32.max)

  /// Throws ``NFCError/Code/invalidParameter`` for numbers that do not fit into the settings.
  func check() throws {
    for set in [rights] + additionalRights { try set.check() }
    try dynamicMessaging?.check()
    guard transactionLimit.map({ Self.transactionLimits.contains($0) }) ?? true else {
      throw NFCError(
        .invalidParameter,
        "a limit of transactions is 0 to \(Self.transactionLimits.upperBound)")
    }
  }
}

extension NTAG424FileSettings {
  /// Throws ``NFCError/Code/invalidParameter`` for numbers that do not fit into the settings.
  func check() throws {
    try rights.check()
    try dynamicMessaging?.check()
  }
}

extension NTAG424DynamicMessaging {
  /// Three bytes.
  private static let numbers = 0...0xFF_FFFF

  /// Throws ``NFCError/Code/invalidParameter`` for the number of a key that no application has, and for an offset or a
  /// limit that does not fit into the settings.
  func check() throws {
    try counterRetrieval.check()
    var numbers = [counterLimit]
    switch identity {
    case .none: break
    case .plain(let uidOffset, let counterOffset): numbers += [uidOffset, counterOffset]
    case .encrypted(let key, let offset, _, _):
      try DESFireAccess.key(key).check()
      numbers.append(offset)
    }
    if let authentication {
      try DESFireAccess.key(authentication.key).check()
      numbers += [
        authentication.inputOffset, authentication.offset, authentication.fileData?.lowerBound,
        authentication.fileData?.count,
      ]
    }
    guard numbers.allSatisfy({ $0.map { Self.numbers.contains($0) } ?? true }) else {
      throw NFCError(
        .invalidParameter, "offsets and limits are 0 to \(Self.numbers.upperBound)")
    }
  }
}

extension NFCError {
  /// ``recovery`` after a change of settings.
  static let settingsInDoubt = "the card may already have the new settings: set them again"
  /// ``recovery`` after data was written.
  static let dataInDoubt = "the card may already have the new data: write it again"
  /// ``recovery`` after a change of what a file is for.
  static let fileSettingsInDoubt =
    "the file may already have the new settings: read its settings to see whether it has"
}
