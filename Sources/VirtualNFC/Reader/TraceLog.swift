/// Writes the events of a virtual reader as text, with keys and passwords masked.
///
/// The meaning of a frame may depend on earlier ones: which chip answers, and what was asked.
/// Therefore, use one log for a whole run.
///
/// ```swift
/// let log = Mutex(TraceLog())
/// let reader = try VirtualReader(field) { event in
///   print(log.withLock { $0.line(event) })
/// }
/// ```
///
/// The following is masked as `**`: keys of MIFARE Classic, in authentications and in sector
/// trailers in both directions; passwords, their acknowledges and the pages that hold them; keys of
/// Ultralight C; card keys of FeliCa Lite; keys of DESFire and all data of an authentication; the
/// data of VERIFY and related commands; and check bytes after any of these. Bytes that may be one
/// of these are masked as well.
public struct TraceLog: Sendable {
  private let revealsKeys: Bool
  /// The secrets in commands and replies of the host; the air has its own view of the same commands.
  private var host = TraceSecrets()
  private var air = TraceSecrets()
  /// Whether the running search is for type B.
  private var listsTypeB = false

  /// - Parameter revealingKeys: masks nothing.
  public init(revealingKeys: Bool = false) { revealsKeys = revealingKeys }

  /// Returns the line for an event, without its line feed.
  public mutating func line(_ event: TraceEvent) -> String {
    switch event {
    case .command(let bytes):
      return "host  > \(text(bytes, secrets(inCommand: bytes)))"
    case .reply(let bytes):
      return "host  < \(bytes.isEmpty ? "syntax error" : text(bytes, secrets(inReply: bytes)))"
    case .sent(let frame):
      return "radio > \(text(frame.bytes, secrets(in: frame)))\(Self.bits(frame))"
    case .received(nil):
      return "radio < silence"
    case .received(let frame?):
      let secrets = frame.parity == nil ? air.find(inAnswer: frame.bytes) : []
      return "radio < \(text(frame.bytes, secrets))\(Self.bits(frame))"
    case .collided(let bit):
      return "radio < collision at bit \(bit)"
    case .carrier(let isOn):
      (host, air) = (TraceSecrets(), TraceSecrets())
      return "radio   carrier \(isOn ? "on" : "off")"
    }
  }

  /// Returns the frame of an event, with zeros in place of keys and passwords; `nil` for events
  /// without a frame. Use a log either for lines or for frames, not for both.
  public mutating func frame(_ event: TraceEvent) -> RadioFrame? {
    var frame: RadioFrame
    let found: [Range<Int>]
    switch event {
    case .sent(let sent): (frame, found) = (sent, secrets(in: sent))
    case .received(let received?):
      let answer = received.parity == nil ? air.find(inAnswer: received.bytes) : []
      (frame, found) = (received, answer)
    case .carrier:
      air = TraceSecrets()
      return nil
    default: return nil
    }
    guard !revealsKeys else { return frame }
    for range in found {
      for index in range.clamped(to: frame.bytes.indices) { frame.bytes[index] = 0 }
    }
    return frame
  }

  // MARK: Host

  private mutating func secrets(inCommand bytes: [UInt8]) -> [Range<Int>] {
    guard let code = bytes.first.flatMap(PN532Command.init) else { return [] }
    switch code {
    // The target's number precedes the command.
    case .inDataExchange: return hostSecrets(bytes, from: 2, .plain)
    case .inCommunicateThru: return hostSecrets(bytes, from: 1, .frame)
    case .inListPassiveTarget, .inRelease, .inAutoPoll:
      host = TraceSecrets()
      listsTypeB = bytes.count > 2 && bytes[2] == Self.typeB
      return []
    default: return []
    }
  }

  private mutating func hostSecrets(
    _ bytes: [UInt8], from start: Int, _ form: TraceSecrets.Form
  ) -> [Range<Int>] {
    let command = Array(bytes.dropFirst(start))
    let form = TraceSecrets.isFeliCa(command) ? .feliCa : form
    return Self.moved(host.find(inCommand: command, form), by: start)
  }

  private mutating func secrets(inReply bytes: [UInt8]) -> [Range<Int>] {
    // The code of a reply is the command's code plus one; a status byte follows.
    switch bytes.first.flatMap({ PN532Command(rawValue: $0 &- 1) }) {
    case .inDataExchange, .inCommunicateThru:
      return Self.moved(host.find(inAnswer: Array(bytes.dropFirst(2))), by: 2)
    case .inListPassiveTarget:
      host.usesBlocks = Self.usesBlocks(bytes, isTypeB: listsTypeB)
      return []
    default: return []
    }
  }

  /// The baud rate and modulation type 106 kbit/s type B of InListPassiveTarget (UM0701-02, 7.3.5).
  private static let typeB: UInt8 = 0x03
  /// The bit of SAK that indicates ISO/IEC 14443-4.
  private static let speaksBlocks: UInt8 = 0x20

  /// Returns whether a target that was found supports ISO/IEC 14443-4. The reply consists of code, number
  /// of targets, the target's number, ATQA and SAK.
  private static func usesBlocks(_ reply: [UInt8], isTypeB: Bool) -> Bool {
    guard reply.count > 5, reply[1] > 0 else { return false }
    return isTypeB || reply[5] & speaksBlocks != 0
  }

  private static func moved(_ ranges: [Range<Int>], by offset: Int) -> [Range<Int>] {
    ranges.map { $0.lowerBound + offset..<$0.upperBound + offset }
  }

  // MARK: Air

  private mutating func secrets(in frame: RadioFrame) -> [Range<Int>] {
    // Short frames begin a new selection. Encrypted frames, which have their own parity bits, reveal
    // nothing.
    if frame.bitsInLastByte != 8 {
      air = TraceSecrets()
      return []
    }
    guard frame.parity == nil else { return [] }
    return air.find(inCommand: frame.bytes, frame.modulation == .feliCa ? .feliCa : .frame)
  }

  // MARK: Text

  private static func bits(_ frame: RadioFrame) -> String {
    frame.bitsInLastByte == 8 ? "" : " (\(frame.bitCount) bits)"
  }

  private func text(_ bytes: [UInt8], _ secrets: [Range<Int>]) -> String {
    guard !revealsKeys, !secrets.isEmpty else { return bytes.hexadecimal }
    return bytes.indices.map { index in
      secrets.contains { $0.contains(index) } ? "**" : [bytes[index]].hexadecimal
    }.joined()
  }
}

extension TraceEvent: CustomStringConvertible {
  /// The event's line in a log that knows no other events, with keys and passwords masked.
  public var description: String {
    var log = TraceLog()
    return log.line(self)
  }
}
