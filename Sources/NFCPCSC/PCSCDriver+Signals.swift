import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How a reader's light and buzzer are used.
enum SignalCommands: Hashable {
  /// `FF 00 40`: the reader blinks and sounds by itself (ACS ACR122U, application programming interface 2.04, 6.2; the
  /// examples are those of ACR122S, communication protocol 2.01, pages 24 to 26).
  case blinking
  /// `E0 00 00 29` and `E0 00 00 28`, with the bits of the lights (ACS ACM1252U-Y3, reference manual 1.03, 5.3.2 to 5.3.4;
  /// ACR1255U-J1, reference manual 1.07, 6.8.3 to 6.8.5).
  case switching(red: UInt8, green: UInt8)

  private static let greenBlinks: UInt8 = 0xA0
  private static let redBlinks: UInt8 = 0x50
  /// The buzzer sounds in the first part of a blink.
  private static let soundsFirst: UInt8 = 0x01

  /// The command of ``blinking``: one blink, in units of 100 ms, after which the lights are as before.
  static func blink(_ signal: ReaderSignal) -> [UInt8] {
    let (lights, duration): (UInt8, UInt8) =
      signal == .failure ? (redBlinks, 0x05) : (greenBlinks, 0x02)
    return [0xFF, 0x00, 0x40, lights, 0x04, duration, 0x00, 0x01, soundsFirst]
  }

  static let readLights: [UInt8] = [0xE0, 0x00, 0x00, 0x29, 0x00]
  static func setLights(_ state: UInt8) -> [UInt8] { [0xE0, 0x00, 0x00, 0x29, 0x01, state] }
  /// - Parameter duration: in units of 10 ms.
  static func sound(_ duration: UInt8) -> [UInt8] { [0xE0, 0x00, 0x00, 0x28, 0x01, duration] }

  static func duration(of signal: ReaderSignal) -> UInt8 { signal == .failure ? 50 : 15 }

  /// Returns the byte in an answer to one of these commands; `nil` for any other answer.
  static func state(in answer: [UInt8]) -> UInt8? {
    let header: [UInt8] = [0xE1, 0x00, 0x00, 0x00, 0x01]
    guard answer.count == header.count + 1, answer.starts(with: header) else { return nil }
    return answer.last
  }
}

extension PCSCReaderModel {
  /// How the light and buzzer are used; `nil` for a reader without a manual that says it.
  var signalCommands: SignalCommands? {
    if isNamed("ACR122") { return .blinking }
    if isNamed("ACR1255") { return .switching(red: 0x02, green: 0x01) }
    if isNamed("ACR1252") || isNamed("ACM1252") { return .switching(red: 0x01, green: 0x02) }
    return nil
  }
}

extension PCSCDriver {
  package func signal(_ signal: ReaderSignal) throws {
    switch model.signalCommands {
    case .blinking:
      let command = SignalCommands.blink(signal)
      // Without a card, there is no connection for an APDU.
      let answer = try isConnected ? transmit(command) : control(command)
      guard answer.count == 2, answer[0] == 0x90 else { throw refusal(answer) }
    case .switching(let red, let green):
      let before = try state(SignalCommands.readLights)
      _ = try state(SignalCommands.setLights(signal == .failure ? red : green))
      let duration = SignalCommands.duration(of: signal)
      defer { _ = try? control(SignalCommands.setLights(before)) }
      _ = try state(SignalCommands.sound(duration))
      usleep(UInt32(duration) * 10_000)
    case nil:
      throw NFCError(.unsupported, "\(name) has no light or buzzer that programs can use")
    }
  }

  private func state(_ command: [UInt8]) throws -> UInt8 {
    let answer = try control(command)
    guard let state = SignalCommands.state(in: answer) else { throw refusal(answer) }
    return state
  }

  private func refusal(_ answer: [UInt8]) -> NFCError {
    NFCError(
      .readerUnavailable,
      "\(name) refuses the command for its light and buzzer: \(answer.hexadecimal)")
  }
}
