import CSwiftNFCLibNFC
import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What is known of a chip that acts as a card.
struct CardMode {
  /// What the chip has been armed with.
  var identity: CardIdentity
  /// Whether the chip's settings have to be written before it is armed the next time: at first, and after a failure or
  /// a long silence, when it may have lost its supply.
  var needsSettings = true
  /// Whether a command has failed: a chip that has lost its supply then refuses to be armed until it leaves the mode in
  /// which it starts.
  var mayBeInLowVoltageMode = false
  /// When a reader has activated it; `nil` once the reader has sent a command.
  var activation: ContinuousClock.Instant?
  /// A command that came with the activation.
  var firstCommand: [UInt8]?
}

/// Acts as a card.
///
/// The chip's commands are sent one by one, by `pn53x_transceive`, because libnfc's own functions for targets lose what
/// is needed here: which status has ended a session, commands of more than 262 bytes, activations of another kind
/// (1.8.0, `pn53x_target_init`, `pn53x_target_receive_bytes`), and they use a freed target after a release. What remains
/// is that libnfc ends the process if the status has bit 7 set, for a reader that uses node addresses (`pn53x.c`, 235):
/// `isolated:` is for that.
///
/// Sources: PN532 user manual (UM0701-02), 7.2.9, 7.3.14 to 7.3.21; logs of real chips in libnfc's and Seeed-Studio's
/// issues; nfcpy, `pn53x.py`.
extension LibNFCDriver {
  private enum Command {
    static let setParameters: UInt8 = 0x12
    static let samConfiguration: UInt8 = 0x14
    static let writeRegister: UInt8 = 0x08
    static let inRelease: UInt8 = 0x52
    static let tgInitAsTarget: UInt8 = 0x8C
    static let tgGetData: UInt8 = 0x86
    static let tgSetData: UInt8 = 0x8E
    static let tgGetTargetStatus: UInt8 = 0x8A
  }

  /// SetParameters: automatic RATS, which is for the reader that the chip is otherwise, and ISO/IEC 14443-4 as a card.
  private static let cardParameters: UInt8 = 0x30

  /// Normal mode, which ends LowVbat mode (UM0701-02, 7.2.10; AN10609_3, appendix on C106).
  private static let normalMode: UInt8 = 0x01

  /// CIU_Mode without and with its mode detector: without it, FeliCa's Polling is not answered, for which some phones
  /// would never come to type A (nfcpy, `pn53x.py` 717–722, 947). The firmware does not change it.
  private static let (ciuMode, detectorOff, detectorOn) = (
    [0x63, 0x01] as [UInt8], UInt8(0x3F), UInt8(0x3B)
  )
  /// CIU_TxAuto: a field that is switched on wakes the chip (libnfc, `pn53x_target_init`).
  private static let (txAuto, wakesByField) = ([0x63, 0x05] as [UInt8], UInt8(0x44))

  private enum Mode {
    /// Passive, ISO/IEC 14443-4 only: what libnfc sends for such a card.
    static let passiveCard: UInt8 = 0x05
    /// The bits of the answer, which differ from those of the command.
    static let isCard: UInt8 = 0x08
    static let isDEP: UInt8 = 0x04
    static let framing: UInt8 = 0x03
  }

  private enum Status {
    static let success: UInt8 = 0x00
    static let fieldNotOn: UInt8 = 0x0A
    static let format: UInt8 = 0x13
    static let wrongState: UInt8 = 0x25
    static let released: UInt8 = 0x29
    static let mask: UInt8 = 0x3F
  }

  /// SENS_RES 0004, low byte first, and SEL_RES 20: what phones take for a card with a UID of four bytes.
  private static let (sensRes, selRes) = ([0x04, 0x00] as [UInt8], UInt8(0x20))
  /// NFCID2t, PAD, system code, NFCID3t and the length of the general bytes: nothing. With general bytes, readers
  /// preferred NFC-DEP.
  private static let nothingElse = [UInt8](repeating: 0, count: 18 + 10 + 1)

  /// How often a command is repeated that has failed on the line.
  private static let attempts = 3
  /// The time after an activation during which the chip may not be ready, and the pause before it is asked again.
  private static let (settling, pause) = (Duration.milliseconds(300), UInt32(15_000))
  /// The time for TgSetData to send all its blocks, in milliseconds; a reader may take its time for each.
  private static let sendingTime: Int32 = 3000
  private static let longestCommand = 65_544
  private static let noAnswer: [UInt8] = [0x6F, 0x00]

  /// The limits of a chip as a card; `nil` if it cannot be one.
  static func emulation(
    of device: LibNFC.Device, _ firmware: String?
  ) -> EmulationCapabilities? {
    // A PN533 has no such mode (libnfc, pn53x.h 109).
    guard device.supportsChipCommands, firmware?.hasPrefix("PN532 ") ?? false else { return nil }
    let traits = device.traits
    // 256 bytes and the status word, if one command can carry them.
    let longest = min(258, traits.maximumCommandLength - 1)
    guard traits.isBareChip else {
      // Its controller gives up a long command, and longer answers have stopped an ACR122U for good.
      return EmulationCapabilities(
        maximumCommandLength: traits.maximumResponseLength - 1,
        maximumAnswerLength: min(192, longest), isExperimental: true)
    }
    return EmulationCapabilities(
      maximumCommandLength: traits.maximumResponseLength < LibNFC.maximumResponseLength
        ? traits.maximumResponseLength : longestCommand,
      maximumAnswerLength: longest)
  }

  // MARK: Activation

  package func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool {
    guard capabilities.emulation != nil else {
      throw NFCError(
        .unsupported, "this reader cannot act as a card; a PN532 can", cause: .unsupportedByReader)
    }
    if cardMode == nil { cardMode = CardMode(identity: identity) }
    cardMode?.identity = identity
    cardMode?.firstCommand = nil
    active = nil
    framing = nil
    let deadline = ContinuousClock.now + timeout
    var failures = 0
    while true {
      let left = max(.milliseconds(1), deadline - .now)
      do {
        try prepareAsCard()
        guard let answer = try wait(as: identity, left) else {
          // A longer silence may be that of a chip that has lost its supply.
          cardMode?.needsSettings = timeout > Self.shortWait
          return false
        }
        if take(activation: answer) { return true }
      } catch let failure as LibNFC.Failure {
        cardMode?.needsSettings = true
        if failure.code == LibNFC.Failure.aborted { throw endedEarly(failure, "acting as a card") }
        cardMode?.mayBeInLowVoltageMode = true
        failures += 1
        guard failures < Self.attempts, !device.isClosed else {
          throw readerError(failure, "acting as a card")
        }
      }
      guard ContinuousClock.now < deadline else { return false }
    }
  }

  private static let shortWait = Duration.seconds(1)

  /// Arms the chip and waits for its answer; `nil` if none comes. The chip stays armed until the next command.
  private func wait(as identity: CardIdentity, _ limit: Duration) throws -> [UInt8]? {
    try call(atMost: limit + .seconds(5)) {
      do throws(LibNFC.Failure) {
        return try device.chipCommand(Self.armed(as: identity), timeout: Self.milliseconds(limit))
      } catch {
        guard error.code == LibNFC.Failure.timeout else { throw error }
        return nil
      }
    }
  }

  private static func armed(as identity: CardIdentity) -> [UInt8] {
    [Command.tgInitAsTarget, Mode.passiveCard] + sensRes + identity.uid.dropFirst() + [selRes]
      + nothingElse + [UInt8(truncatingIfNeeded: identity.historicalBytes.count)]
      + identity.historicalBytes
  }

  private static func milliseconds(_ time: Duration) -> Int32 {
    max(1, Int32(clamping: Int(time / .milliseconds(1))))
  }

  /// Writes the settings of a card, which also shows that the chip still answers.
  private func prepareAsCard() throws {
    guard cardMode?.needsSettings ?? true else { return }
    guard !device.isClosed else { throw LibNFC.Failure(code: LibNFC.Failure.inputOutput) }
    try call {
      try jewel.restore()
      try settings.rewriteChecks()
      // A reader's own controller does that for its chip.
      if cardMode?.mayBeInLowVoltageMode ?? false, device.traits.isBareChip {
        _ = try device.chipCommand([Command.samConfiguration, Self.normalMode])
      }
      try device.set(NP_ACTIVATE_FIELD, false)
      _ = try device.chipCommand([Command.setParameters, Self.cardParameters])
      _ = try device.chipCommand(
        [Command.writeRegister] + Self.ciuMode + [Self.detectorOff] + Self.txAuto
          + [Self.wakesByField])
    }
    cardMode?.needsSettings = false
    cardMode?.mayBeInLowVoltageMode = false
  }

  /// Returns whether the answer to TgInitAsTarget is the activation of a card. Others, by a FeliCa reader or one of
  /// NFC-DEP, are none: the chip is armed again.
  private func take(activation answer: [UInt8]) -> Bool {
    guard let mode = answer.first, mode & Mode.framing == 0, mode & Mode.isDEP == 0 else {
      return false
    }
    guard mode & Mode.isCard != 0 else {
      cardMode?.needsSettings = true
      return false
    }
    let frame = Array(answer.dropFirst())
    // The RATS in every log. A first command in its place was never seen, and costs nothing.
    let isRequest = frame.isEmpty || frame[0] & 0xF0 == 0xE0
    cardMode?.firstCommand = isRequest ? nil : frame
    cardMode?.activation = .now
    return true
  }

  // MARK: Commands

  package func receiveCommand(timeout: Duration) throws -> EmulationReception {
    guard let mode = cardMode else { return .released(.reader) }
    if let command = mode.firstCommand {
      cardMode?.firstCommand = nil
      cardMode?.activation = nil
      return .command(command)
    }
    let deadline = ContinuousClock.now + timeout
    var failures = 0
    while true {
      let isFresh = cardMode?.activation != nil
      let left = max(.milliseconds(1), deadline - .now)
      do {
        let answer = try cardCommand(
          [Command.tgGetData], timeout: isFresh ? min(left, Self.settling) : left)
        if let reception = try received(answer) { return reception }
      } catch let failure as LibNFC.Failure {
        guard !device.isClosed else { throw readerError(failure, "acting as a card") }
        switch failure.code {
        case LibNFC.Failure.aborted: throw endedEarly(failure, "acting as a card")
        case LibNFC.Failure.timeout:
          // The first one may have been lost; the next is waited for longer.
          cardMode?.activation = nil
          if isFresh { continue }
          return try isActivated() ? .nothing : lost(.field)
        default:
          failures += 1
          guard failures < Self.attempts else { throw readerError(failure, "acting as a card") }
          // The command in the broken answer is gone: its reader is waiting.
          if let release = try answerCommand(Self.noAnswer, isDoubtful: true) {
            return .released(release)
          }
        }
      }
    }
  }

  /// Returns what an answer to TgGetData means; `nil` if it is to be repeated.
  private func received(_ answer: [UInt8]) throws -> EmulationReception? {
    guard let status = answer.first else { return lost(.reader) }
    let activation = cardMode?.activation
    switch status & Status.mask {
    case Status.success:
      cardMode?.activation = nil
      guard status & LibNFC.Device.moreInformation != 0 else {
        return .command(Array(answer.dropFirst()))
      }
      return try collect(Array(answer.dropFirst()))
    case Status.wrongState:
      guard let activation, .now - activation < Self.settling else { return lost(.field) }
      usleep(Self.pause)
      return nil
    case Status.format:
      // Directly after an activation: ISO/IEC 14443-4 was off. Later: a block with a node address.
      return lost(.reader)
    case Status.released: return .released(.deselected)
    default: return .released(.field)
    }
  }

  /// The session has ended in a way that does not say in which state the chip is.
  private func lost(_ release: EmulationRelease) -> EmulationReception {
    cardMode?.needsSettings = true
    return .released(release)
  }

  /// Fetches the rest of a command that is longer than the chip passes on at once.
  private func collect(_ beginning: [UInt8]) throws -> EmulationReception {
    var command = beginning
    while command.count <= Self.longestCommand {
      let answer = try cardCommand([Command.tgGetData], timeout: .seconds(1))
      guard let status = answer.first, status & Status.mask == Status.success else {
        return try received(answer) ?? lost(.field)
      }
      command += answer.dropFirst()
      if status & LibNFC.Device.moreInformation == 0 { return .command(command) }
    }
    return lost(.reader)
  }

  /// Whether a reader has the chip activated (UM0701-02, p. 172).
  private func isActivated() throws -> Bool {
    do {
      return try call { try device.chipCommand([Command.tgGetTargetStatus]).first == 0x01 }
    } catch let failure as LibNFC.Failure {
      if failure.code == LibNFC.Failure.aborted { throw endedEarly(failure, "acting as a card") }
      throw readerError(failure, "acting as a card")
    }
  }

  private func cardCommand(_ command: [UInt8], timeout: Duration) throws -> [UInt8] {
    try call(atMost: timeout + .seconds(5)) {
      try device.cardCommand(command, timeout: Self.milliseconds(timeout))
    }
  }

  package func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease? {
    let longest = capabilities.emulation?.maximumAnswerLength ?? 0
    guard answer.count <= longest else {
      throw NFCError(
        .commandTooLong,
        "an answer has at most \(longest) bytes on this reader, not \(answer.count)")
    }
    return try answerCommand(answer, isDoubtful: false)
  }

  /// - Parameter isDoubtful: whether the chip may not be waiting for an answer.
  private func answerCommand(_ answer: [UInt8], isDoubtful: Bool) throws -> EmulationRelease? {
    var isDoubtful = isDoubtful
    var failures = 0
    while true {
      do {
        let answer = try cardCommand(
          [Command.tgSetData] + answer, timeout: .milliseconds(Self.sendingTime))
        switch (answer.first ?? Status.fieldNotOn) & Status.mask {
        case Status.success: return nil
        case Status.released: return .deselected
        // It was sent before, and only the chip's word for that was lost.
        case Status.wrongState where isDoubtful: return nil
        case Status.wrongState, Status.format:
          cardMode?.needsSettings = true
          return .field
        default: return .field
        }
      } catch let failure as LibNFC.Failure {
        guard !device.isClosed else { throw readerError(failure, "acting as a card") }
        if failure.code == LibNFC.Failure.aborted { throw endedEarly(failure, "acting as a card") }
        if failure.code == LibNFC.Failure.timeout, try !isActivated() {
          cardMode?.needsSettings = true
          return .field
        }
        failures += 1
        guard failures < Self.attempts else { throw readerError(failure, "acting as a card") }
        isDoubtful = true
      }
    }
  }

  // MARK: End

  package func endEmulation() throws {
    guard cardMode != nil else { return }
    active = nil
    framing = nil
    guard !device.isClosed else { return cardMode = nil }
    try reader("ending to act as a card") { try restoreAsReader() }
  }

  /// The same, before the reader is released.
  func leaveCardMode() {
    guard cardMode != nil, !device.isClosed else { return }
    try? restoreAsReader()
  }

  private func restoreAsReader() throws {
    defer { cardMode = nil }
    // Target number 0: all, and the chip itself (libnfc, `pn53x_idle`).
    _ = try? device.chipCommand([Command.inRelease, 0x00])
    _ = try device.chipCommand([Command.writeRegister] + Self.ciuMode + [Self.detectorOn])
    try settings.establishAgain()
  }
}
