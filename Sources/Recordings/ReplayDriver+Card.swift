import SwiftNFCCore

/// Plays the reader that has used this one as a card.
extension ReplayDriver {
  func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool {
    secrets.turn(to: .iso14443a(identity.target))
    let outcome = try answer(
      .waitForActivation(uid: identity.uid, historicalBytes: identity.historicalBytes))
    return outcome == .activated
  }

  func receiveCommand(timeout: Duration) throws -> EmulationReception {
    switch try answer(.receiveCommand) {
    case .command(let command):
      _ = secrets.find(inCommand: command.bytes, framing: .tagProtocol)
      return .command(command.bytes)
    case .released(let release): return .released(release)
    default: return .nothing
    }
  }

  func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease? {
    let ranges = secrets.find(inAnswer: answer)
    let outcome = try self.answer(
      .answerCommand(RecordedBytes(answer)),
      shown: .answerCommand(RecordedBytes(answer, masking: ranges)))
    guard case .released(let release) = outcome else { return nil }
    return release
  }

  /// The recording may end before, where its program was interrupted.
  func endEmulation() {}
}
