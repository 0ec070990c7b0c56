import NFC
import Synchronization

@testable import VirtualNFC

/// A PN532 at the end of a pseudo-terminal that keeps every register and setting until a host changes it,
/// with one NTAG in its field. It answers as many commands as these tests need, and misbehaves on request.
///
/// Of InListPassiveTarget it takes for granted only what public sources say: the transmitter is set up, CRC is on;
/// parity and `RxNoErr` stay as they are.
final class StubbornChip: Sendable {
  /// How it answers from now on.
  enum Manner: Sendable {
    case properly
    /// One byte, a pause, and the next, after the acknowledgement.
    case trickling
    /// Properly until one attempt is set by RFConfiguration, item 5, which it refuses; as ``tricklingAtLength`` from then on.
    case tricklingAfterRefusal
    /// As ``trickling``, in frames of 255 bytes.
    case tricklingAtLength
    /// Not at all, not even with an acknowledgement.
    case silent
    /// An acknowledgement and nothing after it.
    case mute
    /// Not at all until the second SAMConfiguration, and properly from then on.
    case slowToWake
  }

  struct State: Sendable {
    var registers: [UInt16: UInt8] = [:]
    /// RFConfiguration, by item.
    var configuration: [UInt8: [UInt8]] = [:]
    var commands: [[UInt8]] = []
    var bytes = 0
    var manner = Manner.properly
    var isEnding = false
  }

  static let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
  static let manualRCV: UInt16 = 0x630D
  static let rxMode: UInt16 = 0x6303
  static let txAuto: UInt16 = 0x6305
  static let parityDisable: UInt8 = 0x10
  static let rxNoError: UInt8 = 0x08
  static let force100ASK: UInt8 = 0x40

  private let terminal: PseudoTerminal
  private let state: Mutex<State>
  private let thread: Mutex<VirtualReaderThread?> = Mutex(nil)

  var path: String { terminal.path }
  var connectionString: String { "pn532_uart:\(path)" }

  init(
    registers: [UInt16: UInt8] = [:], configuration: [UInt8: [UInt8]] = [:],
    manner: Manner = .properly
  ) throws {
    terminal = try PseudoTerminal()
    state = Mutex(
      State(registers: registers, configuration: configuration, manner: manner))
    let thread = try VirtualReaderThread { [weak self, terminal] in
      var reader = PN532FrameReader()
      while true {
        let event = terminal.wait(milliseconds: 50)
        guard let self, !self.state.withLock({ $0.isEnding }) else { return }
        guard case .bytes(let bytes) = event else { continue }
        self.state.withLock { $0.bytes += bytes.count }
        for case .command(let command) in reader.feed(bytes) { self.answer(command) }
      }
    }
    self.thread.withLock { $0 = thread }
  }

  deinit {
    state.withLock { $0.isEnding = true }
    terminal.wake()
  }

  /// Everything that it knows.
  var now: State { state.withLock { $0 } }

  func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

  func forgetCommands() { state.withLock { $0.commands = [] } }

  private func answer(_ command: [UInt8]) {
    let manner = state.withLock { state -> Manner in
      state.commands.append(command)
      if state.manner == .slowToWake, command[0] == 0x14,
        state.commands.filter({ $0[0] == 0x14 }).count > 1
      {
        state.manner = .properly
      }
      if state.manner == .tricklingAfterRefusal,
        command.starts(with: [0x32, 0x05, 0x00, 0x01, 0x00])
      {
        state.manner = .tricklingAtLength
        return .tricklingAfterRefusal
      }
      return state.manner
    }
    if manner == .tricklingAfterRefusal, command.starts(with: [0x32, 0x05, 0x00, 0x01, 0x00]) {
      terminal.send(PN532Frame.acknowledge)
      return terminal.send(PN532Frame.error)
    }
    guard ![.silent, .slowToWake].contains(manner) else { return }
    terminal.send(PN532Frame.acknowledge)
    guard manner != .mute else { return }
    guard let data = state.withLock({ Self.response(to: command, &$0) }) else {
      return terminal.send(PN532Frame.error)
    }
    let content = [PN532Frame.chipToHost, command[0] + 1] + data
    let rest = [UInt8](repeating: 0, count: manner == .tricklingAtLength ? 255 - content.count : 0)
    let frame = PN532Frame.encode(content + rest)
    guard [.trickling, .tricklingAtLength].contains(manner) else { return terminal.send(frame) }
    for byte in frame + [UInt8](repeating: 0, count: 200) {
      terminal.send([byte])
      guard case .timeout = terminal.wait(milliseconds: 250) else { return }
    }
  }

  private static func response(to command: [UInt8], _ state: inout State) -> [UInt8]? {
    switch command[0] {
    case 0x00: return Array(command.dropFirst())
    case 0x02: return [0x32, 0x01, 0x06, 0x07]
    case 0x04: return [0x01, 0x00, 0x00, 0x80]
    case 0x06:
      return stride(from: 1, to: command.count - 1, by: 2).map {
        state.registers[UInt16(command[$0]) << 8 | UInt16(command[$0 + 1])] ?? 0
      }
    case 0x08:
      for index in stride(from: 1, to: command.count - 2, by: 3) {
        let register = UInt16(command[index]) << 8 | UInt16(command[index + 1])
        state.registers[register] = command[index + 2]
      }
      return []
    case 0x12, 0x14: return []
    case 0x32:
      state.configuration[command[1]] = Array(command.dropFirst(2))
      return []
    case 0x16, 0x44, 0x52: return [0x00]
    case 0x4A: return list(command, &state)
    case 0x40, 0x42: return exchange(command, &state)
    default: return nil
    }
  }

  /// Whether type A frames go out and come back as they should.
  private static func isFitForTypeA(_ state: State) -> Bool {
    (state.registers[manualRCV] ?? 0) & parityDisable == 0
      && (state.registers[rxMode] ?? 0) & rxNoError == 0
  }

  private static func list(_ command: [UInt8], _ state: inout State) -> [UInt8] {
    let isTypeA = command[2] == 0x00 || command[2] == 0x04
    state.registers[0x6302] = isTypeA ? 0x80 : 0x83
    state.registers[rxMode] = (state.registers[rxMode] ?? 0) & rxNoError | (isTypeA ? 0x80 : 0x83)
    state.registers[txAuto] = isTypeA ? 0x43 : 0x07
    guard command[2] == 0x00, isFitForTypeA(state) else { return [0x00] }
    return [0x01, 0x01, 0x00, 0x44, 0x00, 0x07] + uid
  }

  private static func exchange(_ command: [UInt8], _ state: inout State) -> [UInt8] {
    let mode = state.registers[0x6302] ?? 0
    let data = Array(command.dropFirst(command[0] == 0x40 ? 2 : 1))
    guard mode & 0x03 == 0, isFitForTypeA(state), data.first == 0x30 else { return [0x01] }
    let bytes = [UInt8](repeating: 0xA5, count: 16)
    return [0x00] + bytes + (mode & 0x80 == 0 ? CyclicRedundancyCheck.a(bytes) : [])
  }
}
