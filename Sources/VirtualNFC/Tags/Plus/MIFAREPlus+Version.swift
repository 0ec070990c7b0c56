extension MIFAREPlus {
  /// Answers GetVersion as a MIFARE Plus EV1, natively and wrapped as an APDU; `nil` for other commands, and for
  /// a card that is no EV1.
  ///
  /// Three frames, of which the last ends with 90 and not with 00 as a DESFire's (Flipper Zero's firmware,
  /// from a card). The hardware is type 02 with version 11 (Proxmark3, `cmdhfmfp.c`).
  mutating func version(_ command: [UInt8]) -> [UInt8]? {
    guard hasMessagingOfEV1, let (code, isWrapped) = Self.versionCommand(command) else {
      return nil
    }
    guard code == VersionCode.first || sentVersionFrames > 0 else { return nil }
    let index = code == VersionCode.first ? 0 : sentVersionFrames
    let frame = versionFrames[index]
    let isLast = index == versionFrames.count - 1
    sentVersionFrames = isLast ? 0 : index + 1
    let status = isLast ? Status.ok : VersionCode.following
    return isWrapped ? frame + [VersionCode.wrappedStatus, status] : [status] + frame
  }

  private enum VersionCode {
    static let first: UInt8 = 0x60
    /// The code of the command for the next frame, and the status of a frame that is not the last.
    static let following: UInt8 = 0xAF
    static let wrappedClass: UInt8 = 0x90
    static let wrappedStatus: UInt8 = 0x91
  }

  private static func versionCommand(_ command: [UInt8]) -> (code: UInt8, isWrapped: Bool)? {
    let isWrapped = command.first == VersionCode.wrappedClass
    guard let code = isWrapped ? command.dropFirst().first : command.first,
      [VersionCode.first, VersionCode.following].contains(code),
      command == (isWrapped ? [VersionCode.wrappedClass, code, 0, 0, 0] : [code])
    else { return nil }
    return (code, isWrapped)
  }

  /// Hardware and software: maker, type, subtype, major and minor version, storage as twice the exponent of
  /// two, protocol. Then UID, batch, and week and year of production.
  private var versionFrames: [[UInt8]] {
    let storage: UInt8 = product == .x4K ? 0x18 : 0x16
    return [
      [0x04, 0x02, 0x01, 0x11, 0x00, storage, 0x04], [0x04, 0x02, 0x01, 0x11, 0x00, storage, 0x04],
      identifier + [0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x20],
    ]
  }
}
