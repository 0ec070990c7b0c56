import SwiftNFCCore

/// The states of a type A card until its selection: ISO/IEC 14443-3, 6.3 and 6.4.
///
/// A chip owns one, passes every frame to ``receive(_:)`` and acts on the result. It supports UIDs
/// of 4, 7 and 10 bytes, frames with a part of a UID, REQA and WUPA.
public struct TypeAActivation: Hashable, Sendable {
  /// The result of a frame.
  public enum Outcome: Hashable, Sendable {
    /// Activation has handled the frame; the answer, `nil` for silence.
    case handled(RadioFrame?)
    /// The card is selected, and this is a command for it, without its CRC_A.
    case command([UInt8])
    /// The card is selected, and this is not a standard frame: it has incomplete bytes, wrong check
    /// bytes, or is encrypted. The chip decides; most become silent with ``stopResponding()``.
    case other(RadioFrame)
  }

  /// The states of ISO/IEC 14443-3, figure 7.
  public enum State: Hashable, Sendable {
    /// There is no carrier.
    case powerOff
    /// The card waits for REQA or WUPA.
    case idle
    /// The card takes part in the anticollision of this level, counted from 1.
    case ready(cascadeLevel: Int)
    /// The card is selected.
    case active
    /// Halted by HLTA or an error after ACTIVE: the card responds only to WUPA.
    case halt
    /// Like ``ready(cascadeLevel:)``; the card returns to ``halt`` after an error.
    case readyFromHalt(cascadeLevel: Int)
    /// Like ``active``; the card returns to ``halt`` after an error.
    case activeFromHalt
  }

  /// The UID, 4, 7 or 10 bytes.
  public let uid: [UInt8]
  /// The ATQA, two bytes in the order in which they are sent, least significant first.
  public let atqa: [UInt8]
  /// The answer to the last SELECT.
  public let sak: UInt8
  /// The answer to earlier SELECTs, which indicates that the UID is not complete.
  public let sakOfCascade: UInt8
  /// The state after the last frame.
  public private(set) var state: State = .powerOff
  /// Whether the next frame is the second half of a command (for instance, COMPATIBILITY_WRITE's
  /// data), so that it cannot be REQA, WUPA or HLTA.
  public var expectsData = false

  /// Creates a card without power.
  ///
  /// - Parameters:
  ///   - uid: 4, 7 or 10 bytes; any other number stops the program.
  ///   - atqa: least significant byte first.
  public init(uid: [UInt8], atqa: [UInt8], sak: UInt8, sakOfCascade: UInt8 = 0x04) {
    precondition([4, 7, 10].contains(uid.count), "a UID has 4, 7 or 10 bytes")
    self.uid = uid
    self.atqa = atqa
    self.sak = sak
    self.sakOfCascade = sakOfCascade
  }

  /// Whether the card is selected and accepts commands.
  public var isActive: Bool { state == .active || state == .activeFromHalt }

  /// Switches the carrier on.
  public mutating func powerOn() {
    state = .idle
    expectsData = false
  }

  /// Switches the carrier off.
  public mutating func powerOff() {
    state = .powerOff
    expectsData = false
  }

  /// Returns to IDLE, or to HALT if the card was halted before, as after an error.
  public mutating func stopResponding() {
    expectsData = false
    switch state {
    case .powerOff: break
    case .idle, .ready, .active: state = .idle
    case .halt, .readyFromHalt, .activeFromHalt: state = .halt
    }
  }

  /// Halts the card, as HLTA and S(DESELECT) do.
  public mutating func halt() {
    expectsData = false
    if state != .powerOff { state = .halt }
  }

  /// Receives a frame.
  public mutating func receive(_ frame: RadioFrame) -> Outcome {
    guard frame.modulation == .typeA, (1...8).contains(frame.bitsInLastByte), state != .powerOff
    else { return .handled(nil) }
    if expectsData, isActive { return standard(frame) }
    if frame.bytes.count == 1, frame.bitsInLastByte == 7 { return .handled(shortFrame(frame)) }
    switch state {
    case .powerOff, .idle, .halt:
      return .handled(nil)
    case .ready(let level), .readyFromHalt(let level):
      return .handled(anticollision(frame, level: level))
    case .active, .activeFromHalt:
      return standard(frame)
    }
  }

  // MARK: Frames

  private static let requestA: UInt8 = 0x26
  private static let wakeUpA: UInt8 = 0x52
  private static let haltA: UInt8 = 0x50
  private static let selectCodes: [UInt8] = [0x93, 0x95, 0x97]
  /// The byte in place of a UID byte if more UID bytes follow (ISO/IEC 14443-3, 6.4.4).
  private static let cascadeTag: UInt8 = 0x88

  private mutating func standard(_ frame: RadioFrame) -> Outcome {
    guard let payload = frame.parity == nil ? frame.checkedPayload : nil else {
      return .other(frame)
    }
    if !expectsData, payload.count == 2, payload[0] == Self.haltA, payload[1] == 0 {
      halt()
      return .handled(nil)
    }
    return .command(payload)
  }

  private mutating func shortFrame(_ frame: RadioFrame) -> RadioFrame? {
    switch (frame.bytes[0], state) {
    case (Self.requestA, .idle), (Self.wakeUpA, .idle):
      state = .ready(cascadeLevel: 0)
    case (Self.wakeUpA, .halt):
      state = .readyFromHalt(cascadeLevel: 0)
    default:
      // REQA in READY or ACTIVE is an error like any other: the card returns to IDLE or HALT and is
      // silent.
      stopResponding()
      return nil
    }
    return .typeA(bare: atqa)
  }

  /// Returns the four UID bytes of a cascade level and their exclusive-or.
  private func cascade(_ level: Int) -> [UInt8] {
    let last = uid.count == 4 ? 0 : uid.count == 7 ? 1 : 2
    let part =
      level < last
      ? [Self.cascadeTag] + uid[(3 * level)..<(3 * level + 3)]
      : Array(uid[(3 * level)..<(3 * level + 4)])
    return part + [part.reduce(0, ^)]
  }

  private mutating func anticollision(_ frame: RadioFrame, level: Int) -> RadioFrame? {
    let last = uid.count == 4 ? 0 : uid.count == 7 ? 1 : 2
    guard frame.bytes.count >= 2, level <= last, frame.bytes[0] == Self.selectCodes[level],
      !hasParityError(frame)
    else {
      stopResponding()
      return nil
    }
    let part = cascade(level)
    if frame.bytes[1] == 0x70 {
      guard let payload = frame.checkedPayload, payload.count == 7, Array(payload[2...]) == part
      else {
        stopResponding()
        return nil
      }
      guard level == last else {
        state =
          isFromHalt ? .readyFromHalt(cascadeLevel: level + 1) : .ready(cascadeLevel: level + 1)
        return .typeA([sakOfCascade])
      }
      state = isFromHalt ? .activeFromHalt : .active
      return .typeA([sak])
    }
    // NVB holds the number of whole bytes, including SEL and NVB, in its high half and the number of
    // further bits in its low half.
    let knownBits = Int(frame.bytes[1] >> 4) * 8 + Int(frame.bytes[1] & 0x0F) - 16
    guard frame.bytes[1] & 0x0F < 8, (0...32).contains(knownBits),
      frame.bitCount == knownBits + 16
    else {
      stopResponding()
      return nil
    }
    func bit(_ bytes: [UInt8], _ index: Int) -> UInt8 { bytes[index / 8] >> (index % 8) & 1 }
    let known = Array(frame.bytes.dropFirst(2))
    for index in 0..<knownBits where bit(known, index) != bit(part, index) {
      stopResponding()
      return nil
    }
    // A split byte continues where the reader stopped. The answer's first byte holds the rest of it in
    // its high bits, as in a receiver that aligns on the byte.
    return RadioFrame(
      Array(part[(knownBits / 8)...]), modulation: .typeA, bitsInLastByte: 8)
  }

  /// Returns whether a parity bit is wrong: each must make the number of ones in its byte odd (ISO/IEC
  /// 14443-3, 6.2.3).
  private func hasParityError(_ frame: RadioFrame) -> Bool {
    guard let parity = frame.parity else { return false }
    return zip(frame.bytes, parity).contains { byte, bit in
      bit != byte.nonzeroBitCount.isMultiple(of: 2)
    }
  }

  private var isFromHalt: Bool {
    if case .readyFromHalt = state { return true }
    return false
  }
}
