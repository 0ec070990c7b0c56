import SwiftNFCCore

/// A reader that acts as a card. Waits in which nothing has come are not recorded.
extension RecordingDriver {
  func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool {
    let request = RecordedCall.Request.waitForActivation(
      uid: identity.uid, historicalBytes: identity.historicalBytes)
    secrets.turn(to: .iso14443a(identity.target))
    let isActivated: Bool? = try record(request, { $0 ? .activated : nil }) {
      try driver.waitForActivation(as: identity, timeout: timeout)
    }
    return isActivated ?? false
  }

  func receiveCommand(timeout: Duration) throws -> EmulationReception {
    let reception: EmulationReception? = try record(.receiveCommand, Self.outcome) {
      try driver.receiveCommand(timeout: timeout)
    }
    return reception ?? .nothing
  }

  func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease? {
    try record(
      .answerCommand(RecordedBytes(answer)),
      { (release: EmulationRelease?) in release.map { .released($0) } ?? .done }
    ) {
      try driver.answerCommand(answer)
    } ?? nil
  }

  func endEmulation() throws {
    try record(.endEmulation) { try driver.endEmulation() }
  }

  private static func outcome(_ reception: EmulationReception) -> RecordedCall.Outcome? {
    switch reception {
    case .command(let command): .command(RecordedBytes(command))
    case .released(let release): .released(release)
    case .nothing: nil
    @unknown default: nil
    }
  }

  /// Records a call, unless it has no outcome to speak of.
  private func record<Result>(
    _ request: RecordedCall.Request, _ outcome: (Result) -> RecordedCall.Outcome?,
    _ body: () throws -> Result
  ) throws -> Result? {
    let time = recorder.time
    do {
      let result = try body()
      if let outcome = outcome(result) { write(request, outcome, from: time) }
      return result
    } catch let error as NFCError {
      write(request, .failure(error), from: time)
      throw error
    } catch {
      write(request, .cancelled, from: time)
      throw error
    }
  }
}

extension CardIdentity {
  /// The card as a reader sees it.
  var target: ISO14443ATarget {
    ISO14443ATarget(
      uid: uid, atqa: [0x00, 0x04], sak: 0x20, ats: Self.interfaceBytes + historicalBytes)
  }

  /// T0, TA1, TB1 and TC1 of the ATS of a PN532 (libnfc, `nfc-relay-picc.c`).
  static let interfaceBytes: [UInt8] = [0x75, 0x33, 0x92, 0x03]
}
