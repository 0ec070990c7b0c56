import SwiftNFCCore

// Lights and buzzer.
extension VirtualPCSCReader {
  /// Carries out a command to the reader itself.
  ///
  /// - Returns: `nil` if the driver does not pass it on.
  func control(_ command: [UInt8]) -> [UInt8]? {
    guard state.withLock({ $0.passesControlOn }) else { return nil }
    switch dialect {
    case .directTransmit: return blink(command)
    case .feliCaFrames: return switchLights(command)
    // What other readers answer is not known.
    default: return nil
    }
  }

  /// `FF 00 40`, the state control of the lights, 04, T1, T2, the number of repetitions, and 00 to 03 for the buzzer. The
  /// status word ends with the lights that are on (ACR122U, application programming interface 2.04, 6.2).
  func blink(_ command: [UInt8]) -> [UInt8] {
    guard command.count == 9, command.starts(with: [0xFF, 0x00, 0x40]), command[4] == 4,
      command[8] <= 3
    else { return Self.refused }
    return state.withLock { state in
      let control = command[3]
      // Bits 2 and 3 say which lights get their final state, in bits 0 and 1.
      let mask = control >> 2 & 0x03
      state.lights = state.lights & ~mask | control & mask
      state.signals.append(command)
      return [0x90, state.lights]
    }
  }

  /// `E0 00 00 29 00`, `E0 00 00 29 01` and the lights, `E0 00 00 28 01` and the duration of the sound (ACM1252U-Y3,
  /// reference manual 1.03, 5.3.2 to 5.3.4).
  private func switchLights(_ command: [UInt8]) -> [UInt8] {
    let refused: [UInt8] = [0xE1, 0x00, 0x00, 0x01, 0x00]
    guard command.count >= 5, command.starts(with: [0xE0, 0x00, 0x00]),
      command.count == 5 + Int(command[4])
    else { return refused }
    return state.withLock { state in
      let result: UInt8
      switch (command[3], command.dropFirst(5).first) {
      case (0x29, nil): result = state.lights
      case (0x29, let lights?) where lights & 0xF0 == 0:
        state.lights = lights
        result = lights
      case (0x28, _?) where command.count == 6: result = 0
      default: return refused
      }
      if command[4] > 0 { state.signals.append(command) }
      return [0xE1, 0x00, 0x00, 0x00, 0x01, result]
    }
  }
}
