import CSwiftNFCLibNFC

/// Checks an answer of a PN53x before libnfc takes it apart.
///
/// libnfc 1.8.0 believes the chip: it calls `abort()` if the highest bit of a status byte is set (chips/pn53x.c,
/// `pn53x_transceive`), reads a status from memory that nobody has written if there is none, and copies as many bytes of
/// a target as a length in the answer says, also if there are fewer (`pn53x_decode_target_data`). Of an answer in
/// several parts it checks the status of the first only: if the tag leaves after that, a part passes for the whole.
struct ChipAnswer {
  /// What libnfc may see of an answer.
  enum Verdict: Equatable {
    /// This many of its bytes.
    case use(Int)
    /// An answer that says that there is no target.
    case noTarget
    /// A status that says that the tag's answer was broken.
    case broken
    /// No answer: it took too long.
    case silence
    /// An error in place of the rest of an answer.
    case cutShort
    /// None: it cannot be what the chip says.
    case malformed
  }

  /// The beginning of a command, as far as the form of its answer depends on it.
  struct Command: Equatable {
    /// The command's code (UM0701-02, 7), zero before the first one.
    var code: UInt8 = 0
    var first: UInt8?
    var second: UInt8?
    var length = 0

    init() {}

    init(_ bytes: some RandomAccessCollection<UInt8>) {
      var bytes = bytes.makeIterator()
      code = bytes.next() ?? 0
      first = bytes.next()
      second = bytes.next()
    }
  }

  let command: Command
  /// The technology that libnfc searches for with commands of its own, if it does.
  var search: nfc_modulation_type?
  /// Whether the driver reports an answer that has not come as one without bytes.
  var reportsSilence = false

  // Commands of the chip (UM0701-02, 7.1, table 11; PN531 and PN533 have the same codes).
  private static let inListPassiveTarget: UInt8 = 0x4A
  private static let (inDataExchange, inCommunicateThru): (UInt8, UInt8) = (0x40, 0x42)
  private static let readRegister: UInt8 = 0x06
  /// Those whose answer begins with a status in which libnfc does not expect the highest bit: PowerDown,
  /// InDataExchange, InCommunicateThru, InJumpForPSL, InPSL, InATR, InSelect, InJumpForDEP, and the Tg commands.
  private static let withStatus: Set<UInt8> = [
    0x16, 0x40, 0x42, 0x46, 0x4E, 0x50, 0x54, 0x56, 0x86, 0x88, 0x8E, 0x90, 0x92, 0x94,
  ]
  /// InDeselect and InRelease, of whose status libnfc takes only the low bits.
  private static let withError: Set<UInt8> = [0x44, 0x52]
  /// The bit "NAD present" of a status (UM0701-02, 7.1): never set, because no command here sends a NAD.
  private static let nodeAddress: UInt8 = 0x80

  /// Whether the command asks for the rest of an answer: InDataExchange without data, which nothing else sends.
  private var asksForRest: Bool { command.code == Self.inDataExchange && command.length == 2 }

  func verdict(on answer: UnsafeBufferPointer<UInt8>) -> Verdict {
    switch command.code {
    case Self.inListPassiveTarget:
      guard let count = answer.first else { return reportsSilence ? .noTarget : .malformed }
      guard count > 0 else { return .use(answer.count) }
      // Never more than one is asked for.
      guard count == 1 else { return .malformed }
      return target(answer)
    case let code where Self.withStatus.contains(code):
      guard let status = answer.first else { return reportsSilence ? .silence : .malformed }
      guard status & Self.nodeAddress == 0 else { return .malformed }
      guard status & 0x3F != 0 else { return exchange(answer) }
      return asksForRest ? .cutShort : .use(answer.count)
    case let code where Self.withError.contains(code):
      guard !answer.isEmpty else { return reportsSilence ? .silence : .malformed }
      return .use(answer.count)
    case Self.readRegister:
      // Two bytes name a register. A PN533 puts a status before the values.
      guard answer.count >= (command.length - 1) / 2 else {
        return answer.isEmpty && reportsSilence ? .silence : .malformed
      }
      return .use(answer.count)
    default: return .use(answer.count)
    }
  }

  // MARK: InListPassiveTarget (UM0701-02, 7.3.5)

  /// Number of targets and number of the target, before its data.
  private static let head = 2

  /// What a card itself has sent and cannot be is no target, or the part is left out: the chip is not to blame.
  private func target(_ answer: UnsafeBufferPointer<UInt8>) -> Verdict {
    switch command.second {
    case 0x00: return typeA(answer)
    case 0x01, 0x02: return feliCa(answer)
    // ATQB (12 bytes) and the length of the answer to ATTRIB.
    case 0x03: return answer.count > Self.head + 12 ? .use(answer.count) : .malformed
    // SENS_RES and four bytes of the UID.
    case 0x04: return answer.count >= Self.head + 6 ? .use(answer.count) : .malformed
    default: return .use(answer.count)
    }
  }

  /// UIDs of one to three cascade levels; a PN531 leaves the cascade tags in (`pn53x_decode_target_data`).
  private static let uidLengths: Set<UInt8> = [4, 7, 8, 10, 12]

  private func typeA(_ answer: UnsafeBufferPointer<UInt8>) -> Verdict {
    // ATQA, SAK, and the length of the UID.
    let start = Self.head + 4
    guard answer.count >= start, Self.uidLengths.contains(answer[start - 1]) else {
      return .malformed
    }
    let end = start + Int(answer[start - 1])
    guard answer.count >= end else { return .malformed }
    // The ATS counts its own length (ISO/IEC 14443-4, 5.2.3).
    guard answer.count > end, (1...answer.count - end).contains(Int(answer[end])) else {
      return .use(end)
    }
    return .use(end + Int(answer[end]))
  }

  private static let pollingResponse: UInt8 = 0x01
  /// LEN of an answer to Polling without and with two bytes more (JIS X 6319-4, Polling).
  private static let pollingLengths: Set<UInt8> = [18, 20]

  private func feliCa(_ answer: UnsafeBufferPointer<UInt8>) -> Verdict {
    guard answer.count >= Self.head + 18 else { return .malformed }
    guard Self.pollingLengths.contains(answer[2]), answer[3] == Self.pollingResponse else {
      return .noTarget
    }
    let end = Self.head + Int(answer[2])
    return answer.count >= end ? .use(end) : .malformed
  }

  // MARK: Searches by hand (`pn53x_initiator_select_passive_target_ext`)

  /// The shortest answers that libnfc reads without a look at their length, status counted, by what it sends.
  private static let answersByHand: [UInt32: [UInt8: Int]] = [
    // INITIATE, SELECT, GET_UID.
    NMT_ISO14443B2SR.rawValue: [0x06: 2, 0x0E: 2, 0x0B: 9],
    // REQT, and READ of the second half of the UID.
    NMT_ISO14443B2CT.rawValue: [0x10: 3, 0xC4: 3],
    // IDENTIFY and SELECT.
    NMT_ISO14443BICLASS.rawValue: [0x0C: 9, 0x81: 9],
  ]

  private func exchange(_ answer: UnsafeBufferPointer<UInt8>) -> Verdict {
    guard command.code == Self.inCommunicateThru else { return .use(answer.count) }
    // What a barcode sends unasked: libnfc counts bits from the last byte, which has to be there.
    guard let first = command.first else {
      return answer.count > 1 ? .use(answer.count) : .broken
    }
    guard let search, let shortest = Self.answersByHand[search.rawValue]?[first] else {
      return .use(answer.count)
    }
    return answer.count >= shortest ? .use(answer.count) : .broken
  }
}
