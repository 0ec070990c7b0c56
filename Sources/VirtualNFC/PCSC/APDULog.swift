import SwiftNFCCore

/// Writes the events of a ``VirtualPCSCReader`` as text, with keys and passwords masked.
///
/// The meaning of a command may depend on earlier ones. Therefore, use one log for a whole run.
///
/// The following is masked as `**`: the key of LOAD KEYS; everything after the code of a command of NXP's and
/// ST's ISO/IEC 15693 chips that contains a password, wherever those bytes are in a command; and in
/// commands to all other cards, what ``TraceLog`` masks, whether a card receives the APDU itself or a frame
/// in it.
public struct APDULog: Sendable {
  private var secrets = TraceSecrets()
  /// Whether the frames of the transparent session are those of ISO/IEC 15693; `nil` if the log has not seen
  /// its beginning.
  private var isForVicinity: Bool?
  /// Where the answer of a card is in the answer of the reader.
  private var answerPlace = AnswerPlace.none

  private enum AnswerPlace: Hashable {
    case none
    /// Before the status word.
    case plain
    /// The whole answer of the reader, with its check.
    case checked
    /// In a data object of a transparent session.
    case object
    /// After the code and the status of a PN532's reply.
    case direct
  }

  /// Creates a log for a run.
  public init() {}

  /// Returns the line for a command, an answer or the carrier, without its line feed; `nil` for
  /// events that such a reader does not have.
  public mutating func line(_ event: TraceEvent) -> String? {
    switch event {
    case .command(let apdu): return "host  > " + Self.text(apdu, ranges(inCommand: apdu))
    case .reply(let answer): return "host  < " + Self.text(answer, ranges(inAnswer: answer))
    case .carrier(let isOn):
      self = APDULog()
      return "radio   carrier \(isOn ? "on" : "off")"
    case .sent, .received, .collided: return nil
    }
  }

  private static func text(_ bytes: [UInt8], _ secrets: [Range<Int>]) -> String {
    guard !secrets.isEmpty else { return bytes.hexadecimal }
    return bytes.indices.map { index in
      secrets.contains { $0.contains(index) } ? "**" : [bytes[index]].hexadecimal
    }.joined()
  }

  // MARK: Commands to the reader

  // PC/SC part 3, 3.2.2.1.4: the key follows Lc.
  private static let readerClass: UInt8 = 0xFF
  private static let loadKeys: UInt8 = 0x82
  private static let headerLength = 5

  /// The codes of SET PASSWORD, WRITE PASSWORD, DESTROY and ENABLE PRIVACY (SL2S2602 data sheet, 9.5.3),
  /// and of Present Password and Write Password (DS10925, 7.6), each with the maker's code.
  private static let passwordCommands: Set<[UInt8]> = [
    [0xB3, 0x04], [0xB4, 0x04], [0xB9, 0x04], [0xBA, 0x04], [0xB3, 0x02], [0xB1, 0x02],
  ]

  private mutating func ranges(inCommand apdu: [UInt8]) -> [Range<Int>] {
    answerPlace = .none
    guard apdu.count >= 4, apdu[0] == Self.readerClass else {
      answerPlace = .plain
      return secrets.find(inCommand: apdu, .plain)
    }
    if apdu.count > Self.headerLength, apdu[1] == Self.loadKeys {
      return [Self.headerLength..<apdu.count]
    }
    if let frame = frame(in: apdu) {
      let command = Array(apdu[frame])
      let form: TraceSecrets.Form = TraceSecrets.isFeliCa(command) ? .feliCa : .plain
      let found = secrets.find(inCommand: command, form).map {
        frame.lowerBound + $0.lowerBound..<frame.lowerBound + $0.upperBound
      }
      return found + (isForVicinity == nil ? vicinity(apdu) : [])
    }
    return storage(apdu) ?? vicinity(apdu)
  }

  /// Returns the masked bytes of a command to an ISO/IEC 15693 tag.
  private func vicinity(_ apdu: [UInt8]) -> [Range<Int>] {
    guard apdu.count > Self.headerLength else { return [] }
    // In pass-through commands, the header contains the code.
    let first = (1..<(apdu.count - 1)).first { index in
      Self.passwordCommands.contains([apdu[index], apdu[index + 1]])
        || index == 2
          && Self.passwordCommands.contains([apdu[index], apdu[Self.headerLength]])
    }
    guard let first else { return [] }
    let start = max(first + 2, first == 2 ? Self.headerLength + 1 : 0)
    return [start..<apdu.count]
  }

  // MARK: Frames

  private static let transparentSession: [UInt8] = [0xFF, 0xC2, 0x00]
  private static let exchange: UInt8 = 0x01
  private static let switchProtocol: UInt8 = 0x02
  private static let vicinityStandard: [UInt8] = [0x8F, 0x02, 0x02]
  private static let transceive: UInt8 = 0x95
  private static let received: UInt8 = 0x97
  private static let encapsulation: [UInt8] = [0xFF, 0xFE]
  private static let encapsulatedVicinity: UInt8 = 0x04
  private static let direct: [UInt8] = [0xFF, 0x00, 0x00, 0x00]
  /// Identiv's frames of type A.
  private static let typeAFrames: [UInt8] = [0xFF, 0xEF]
  private static let toChip: UInt8 = 0xD4
  /// InDataExchange, whose first parameter is the target's number, and InCommunicateThru.
  private static let dataExchange: [UInt8] = [0xD4, 0x40]
  private static let communicateThru: [UInt8] = [0xD4, 0x42]

  /// Returns the position of a frame to a card of another kind than ISO/IEC 15693 in an APDU.
  private mutating func frame(in apdu: [UInt8]) -> Range<Int>? {
    guard apdu.count > Self.headerLength else { return nil }
    let end = min(apdu.count, Self.headerLength + Int(apdu[4]))
    let data = Self.headerLength..<max(Self.headerLength, end)
    if apdu.starts(with: Self.transparentSession) {
      if apdu[3] == Self.switchProtocol {
        isForVicinity = apdu[data].starts(with: Self.vicinityStandard)
      }
      guard apdu[3] == Self.exchange, isForVicinity != true else { return nil }
      answerPlace = .object
      return Self.object(Self.transceive, in: apdu, data)
    }
    if apdu.starts(with: Self.encapsulation) {
      guard apdu[2] != Self.encapsulatedVicinity else { return nil }
      answerPlace = .plain
      return data
    }
    if apdu.starts(with: Self.typeAFrames) {
      answerPlace = .checked
      return data
    }
    guard apdu.starts(with: Self.direct) else { return nil }
    if apdu[data.lowerBound] != Self.toChip {
      answerPlace = .plain
      return data
    }
    guard data.count > 3 else { return nil }
    answerPlace = .direct
    let head = Array(apdu[data].prefix(2))
    if head == Self.communicateThru { return data.dropFirst(2) }
    return head == Self.dataExchange ? data.dropFirst(3) : nil
  }

  /// Returns the position of the value of a data object (PC/SC part 3, supplement 2.02).
  private static func object(_ wanted: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Range<Int>?
  {
    var index = range.lowerBound
    while index < range.upperBound {
      let tag = bytes[index]
      // Tags of two bytes, and lengths of two or three.
      index += tag & 0x1F == 0x1F ? 2 : 1
      guard index < range.upperBound else { return nil }
      var length = Int(bytes[index])
      index += 1
      if length > 0x80 {
        let count = length & 0x7F
        guard count <= 2, index + count <= range.upperBound else { return nil }
        length = bytes[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
        index += count
      }
      guard index + length <= range.upperBound else { return nil }
      if tag == wanted { return index..<index + length }
      index += length
    }
    return nil
  }

  // MARK: Storage cards

  private static let readBinary: UInt8 = 0xB0
  private static let updateBinary: UInt8 = 0xD6
  private static let authenticate: UInt8 = 0x86
  private static let pageSize = 4
  private static let blockSize = 16
  private static let classicRead: UInt8 = 0x30
  private static let classicAuthenticate: UInt8 = 0x60
  private static let classicUID = 4

  /// Returns the masked bytes of a command that the reader turns into one of a MIFARE card; `nil` for
  /// others.
  private mutating func storage(_ apdu: [UInt8]) -> [Range<Int>]? {
    let count = apdu.count - Self.headerLength
    switch apdu[1] {
    case Self.authenticate:
      // From now on, numbers are those of blocks.
      let zeros = [UInt8](repeating: 0, count: Self.headerLength + 1 + Self.classicUID)
      _ = secrets.find(inCommand: [Self.classicAuthenticate, 0] + zeros, .plain)
      return []
    case Self.readBinary where count <= 0:
      answerPlace = .plain
      return secrets.find(inCommand: [Self.classicRead, apdu[3]], .plain)
    case Self.updateBinary where count == Self.pageSize || count == Self.blockSize:
      let code = count == Self.pageSize ? Type2Command.write : Type2Command.compatibilityWrite
      let command = [code, apdu[3]] + apdu[Self.headerLength...]
      // The header has three bytes more than the command.
      let offset = Self.headerLength - 2
      return secrets.find(inCommand: command, .plain).map {
        $0.lowerBound + offset..<$0.upperBound + offset
      }
    default: return nil
    }
  }

  // MARK: Answers

  private static let statusSize = 2
  /// The code, and the status, after which the card's answer begins.
  private static let replyHead = 3

  private mutating func ranges(inAnswer answer: [UInt8]) -> [Range<Int>] {
    let data = 0..<max(0, answer.count - Self.statusSize)
    let place: Range<Int>? =
      switch answerPlace {
      case .none: nil
      case .plain, .checked: data
      case .object: Self.object(Self.received, in: answer, data)
      case .direct: data.dropFirst(Self.replyHead)
      }
    guard let place, !place.isEmpty else { return [] }
    let found = secrets.find(inAnswer: Array(answer[place])).map {
      place.lowerBound + $0.lowerBound..<place.lowerBound + $0.upperBound
    }
    // The check would reveal what it is calculated from.
    guard answerPlace == .checked, !found.isEmpty else { return found }
    return found + [data.upperBound..<answer.count]
  }
}
