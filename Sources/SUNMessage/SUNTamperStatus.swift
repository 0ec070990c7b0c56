/// What an NTAG 223 DNA StatusDetect or NTAG 224 DNA StatusDetect says about the wire that opening the
/// package breaks.
///
/// Source: Proxmark3, `ntag22x_libsuncmac.py`, with links of a real chip. That the stored state comes first is from
/// storage-tags, `ntag22x-sun.ts`; NTAG 424 DNA TagTamper has the same order.
public struct SUNTamperStatus: Hashable, Sendable {
  /// A state of the wire.
  @nonexhaustive
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The wire is whole.
    case closed
    /// The wire is broken, or there is none.
    case open
    /// The chip could not measure it.
    case invalid
    /// The chip is configured not to report it.
    case hidden

    /// The character in the link.
    var letter: UInt8 {
      switch self {
      case .closed: UInt8(ascii: "C")
      case .open: UInt8(ascii: "O")
      case .invalid: UInt8(ascii: "I")
      case .hidden: UInt8(ascii: "0")
      }
    }

    /// The four bits that represent it in the input of the MAC.
    fileprivate var code: UInt8 { letter & 0x0F }

    fileprivate init?(letter: UInt8) {
      // Programs that pass on links may change the case of letters.
      let capital =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
        ? letter & 0xDF : letter
      guard let state = Self.allCases.first(where: { $0.letter == capital }) else { return nil }
      self = state
    }
  }

  /// The state that the chip has stored permanently.
  public let stored: State
  /// The state when the link was read.
  public let current: State
  /// The other four bytes of the status, which the MAC covers, too. What they mean is not public; they are zeros
  /// in all published links.
  public let otherBytes: [UInt8]

  /// The number of characters in a link.
  static let length = 10
  private static let stateCount = 2

  /// Parses the status in a link; `nil` for a text of another form.
  init?(_ text: ArraySlice<UInt8>) {
    let letters = Array(text.prefix(Self.stateCount))
    guard text.count == Self.length, let stored = State(letter: letters[0]),
      let current = State(letter: letters[1]),
      let rest = HexadecimalText.bytes(text.dropFirst(Self.stateCount))
    else { return nil }
    self.stored = stored
    self.current = current
    otherBytes = rest
  }

  /// The five bytes that the MAC covers.
  var encoded: [UInt8] { [stored.code << 4 | current.code] + otherBytes }
}
