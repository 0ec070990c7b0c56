import NFCCore

/// One thing that has happened at a virtual reader.
public enum TraceEvent: Hashable, Sendable {
  /// A command from the host: its code and parameters.
  case command([UInt8])
  /// The chip's answer: the response code and data; empty for the syntax error frame.
  case reply([UInt8])
  /// A frame over the air, from the reader.
  case sent(RadioFrame)
  /// What came back; `nil` for silence.
  case received(RadioFrame?)
  /// Several tags have answered with different bits, the first of them at this position.
  case collided(bit: Int)
  /// The carrier was switched on or off.
  case carrier(Bool)
}

extension TraceEvent {
  /// A line of a trace file.
  ///
  /// Keys and passwords in commands are written as `*` unless `revealingKeys` is set: those of
  /// MIFARE Classic authentication and of PWD_AUTH.
  public func line(revealingKeys: Bool = false) -> String {
    switch self {
    case .command(let bytes):
      return
        "host  > \(Self.text(bytes, secret: revealingKeys ? nil : Self.secret(inCommand: bytes)))"
    case .reply(let bytes):
      return "host  < \(bytes.isEmpty ? "syntax error" : bytes.hexadecimal)"
    case .sent(let frame):
      let secret = revealingKeys ? nil : Self.secret(onAir: frame.bytes)
      return "radio > \(Self.text(frame.bytes, secret: secret))\(Self.bits(frame))"
    case .received(nil):
      return "radio < silence"
    case .received(let frame?):
      return "radio < \(frame.bytes.hexadecimal)\(Self.bits(frame))"
    case .collided(let bit):
      return "radio < collision at bit \(bit)"
    case .carrier(let isOn):
      return "radio   carrier \(isOn ? "on" : "off")"
    }
  }

  private static func bits(_ frame: RadioFrame) -> String {
    frame.bitsInLastByte == 8 ? "" : " (\(frame.bitCount) bits)"
  }

  private static func text(_ bytes: [UInt8], secret: Range<Int>?) -> String {
    guard let secret = secret?.clamped(to: 0..<bytes.count) else { return bytes.hexadecimal }
    return bytes[..<secret.lowerBound].hexadecimal
      + String(repeating: "**", count: secret.count)
      + bytes[secret.upperBound...].hexadecimal
  }

  private static let authenticateA: UInt8 = 0x60
  private static let authenticateB: UInt8 = 0x61
  private static let passwordAuthenticate: UInt8 = 0x1B

  private static func secret(inCommand bytes: [UInt8]) -> Range<Int>? {
    guard let code = bytes.first.flatMap(PN532Command.init) else { return nil }
    switch code {
    case .inDataExchange
    where bytes.count == 14 && [authenticateA, authenticateB].contains(bytes[2]):
      return 4..<10
    case .inDataExchange where bytes.count >= 3:
      return secret(onAir: Array(bytes.dropFirst(2))).map { $0.lowerBound + 2..<$0.upperBound + 2 }
    case .inCommunicateThru:
      return secret(onAir: Array(bytes.dropFirst(1))).map { $0.lowerBound + 1..<$0.upperBound + 1 }
    default:
      return nil
    }
  }

  private static func secret(onAir bytes: [UInt8]) -> Range<Int>? {
    bytes.first == passwordAuthenticate && (5...7).contains(bytes.count) ? 1..<bytes.count : nil
  }
}
