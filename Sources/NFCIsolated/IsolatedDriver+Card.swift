import SwiftNFCCore

/// Acts as a card. A reader of a stranger that uses node addresses ends the process that has the reader, and only that
/// one: see ``SwiftNFCLibNFC/LibNFCDriver``.
extension IsolatedDriver {
  func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool {
    let response = try call(
      .waitForActivation(identity, timeout: timeout), atMost: limits.call + timeout)
    guard case .decision(let isActivated) = response else { throw unexpectedResponse() }
    return isActivated
  }

  func receiveCommand(timeout: Duration) throws -> EmulationReception {
    let response = try call(.receiveCommand(timeout: timeout), atMost: limits.call + timeout)
    guard case .reception(let reception) = response else { throw unexpectedResponse() }
    return reception
  }

  func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease? {
    guard case .release(let release) = try call(.answerCommand(answer)) else {
      throw unexpectedResponse()
    }
    return release
  }

  func endEmulation() throws {
    guard helper != nil else { return }
    try confirm(.endEmulation)
  }
}
