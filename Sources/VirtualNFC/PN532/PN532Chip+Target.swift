import SwiftNFCCore

// TgInitAsTarget, TgGetData, TgSetData and the other commands of a chip that acts as a card: user manual UM0701-02,
// 7.3.14 to 7.3.21.
extension PN532Chip {
  /// The bit of CIU_Mode (6301h) that switches the mode detector off, so that Polling is not answered (nfcpy, pn53x.py).
  private static let detectorOff: UInt8 = 0x04
  private static let ciuMode: UInt16 = 0x6301
  /// The maximum number of data bytes in TgSetData.
  private static let longestAnswer = 262

  /// Whether a command leaves the chip as a card when a reader has activated it.
  private static let keepsTarget: Set<PN532Command> = [
    .tgGetData, .tgSetData, .tgGetInitiatorCommand, .tgResponseToInitiator, .tgGetTargetStatus,
    .tgSetGeneralBytes, .tgSetMetaData, .readRegister, .writeRegister, .getGeneralStatus,
    .getFirmwareVersion, .diagnose, .setParameters, .readGPIO, .writeGPIO,
  ]

  /// Every command ends the wait for a reader, and some end a session.
  func leaveTarget(for code: PN532Command) {
    guard target.isArmed || !Self.keepsTarget.contains(code) else { return }
    target.leave()
  }

  mutating func initializeAsTarget(_ parameters: [UInt8]) -> Answer? {
    guard let identity = TargetIdentity(parameters) else { return nil }
    forgetTargets()
    setCarrier(false)
    target.arm(
      identity, runsBlocks: self.parameters & Parameter.isPICC != 0,
      answersPolling: registers[Self.ciuMode] & Self.detectorOff == 0)
    // The chip sleeps, with its serial line, until a field or the host wakes it.
    power = .asleep(edges: 0)
    return .waits(attempts: nil)
  }

  /// Runs one of the commands that wait for the reader; called again after each change.
  mutating func runTarget(_ code: PN532Command, _ parameters: [UInt8], isFirst: Bool) -> Answer? {
    func data(_ bytes: [UInt8]?) -> Answer { bytes.map { .data($0) } ?? .waits(attempts: nil) }
    switch code {
    case .tgInitAsTarget:
      guard !isFirst else { return initializeAsTarget(parameters) }
      guard let activated = target.takeActivation() else { return .waits(attempts: nil) }
      power = .awake
      return .data(activated)
    case .tgGetData, .tgGetInitiatorCommand:
      guard parameters.isEmpty else { return nil }
      if isFirst {
        target.noteRequest(isFirst: !hasRequestedCommand)
        hasRequestedCommand = true
      }
      return data(target.takeCommand())
    case .tgSetData:
      guard parameters.count <= Self.longestAnswer else { return nil }
      if isFirst, let status = target.set(parameters) { return .data([status]) }
      return data(target.takeSent())
    case .tgResponseToInitiator:
      guard parameters.count <= Self.longestAnswer else { return nil }
      if isFirst, let status = target.respond(parameters) { return .data([status]) }
      return data(target.takeSent())
    case .tgGetTargetStatus: return parameters.isEmpty ? .data(target.status) : nil
    default: return .status(.invalidDeviceState)
    }
  }
}
