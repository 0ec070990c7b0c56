import NFCCore

/// Writes the events of a ``VirtualPCSCReader`` as text, with keys and passwords masked.
///
/// The key of LOAD KEYS, and everything after the code of a password command of NXP's and ST's
/// ISO/IEC 15693 chips, wherever those bytes are in a command, is masked as `**`.
public enum APDULog {
  /// Returns the line for a command, an answer or the carrier, without its line feed; `nil` for
  /// events that such a reader does not have.
  public static func line(_ event: TraceEvent) -> String? {
    switch event {
    case .command(let apdu):
      let shown = firstSecret(apdu) ?? apdu.count
      return "host  > " + apdu.prefix(shown).hexadecimal
        + String(repeating: "**", count: apdu.count - shown)
    case .reply(let answer): return "host  < " + answer.hexadecimal
    case .carrier(let isOn): return "radio   carrier \(isOn ? "on" : "off")"
    case .sent, .received, .collided: return nil
    }
  }

  // PC/SC part 3, 3.2.2.1.4: the key follows Lc.
  private static let readerClass: UInt8 = 0xFF
  private static let loadKeys: UInt8 = 0x82
  private static let headerLength = 5

  /// The codes of SET PASSWORD and WRITE PASSWORD (SL2S2602 data sheet, 9.5.3), and of Present Password
  /// and Write Password (DS10925, 7.6), each with the maker's code.
  private static let passwordCommands: Set<[UInt8]> = [
    [0xB3, 0x04], [0xB4, 0x04], [0xB3, 0x02], [0xB1, 0x02],
  ]

  /// Returns the index of the first masked byte.
  private static func firstSecret(_ apdu: [UInt8]) -> Int? {
    guard apdu.count > headerLength else { return nil }
    if apdu[0] == readerClass, apdu[1] == loadKeys { return headerLength }
    // In pass-through commands, the header contains the code.
    let first = (1..<(apdu.count - 1)).first { index in
      passwordCommands.contains([apdu[index], apdu[index + 1]])
        || index == 2 && passwordCommands.contains([apdu[index], apdu[headerLength]])
    }
    return first.map { max($0 + 2, $0 == 2 ? headerLength + 1 : 0) }
  }
}
