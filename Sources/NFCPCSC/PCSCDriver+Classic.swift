import SwiftNFCCore

// MIFARE Classic, and MIFARE Plus in security level 1, which has the same SAK and ATR. The reader runs
// the cipher. What such a Plus has in addition are frames of ISO/IEC 14443-3, which some readers send:
// an ACR122U through its PN532, SpringCard's readers in FF FE (PMD2271, 4.3.2: "level 1"), and others in
// a transparent session (ACS ACR1252U: mifare.net, forum, "Mifare Plus X switch from SL1 to SL3").
extension PCSCDriver {
  /// Sends READ, WRITE and the like as the reader's own commands, and bare frames as frames.
  func exchangeClassic(
    _ command: [UInt8], _ framing: Framing, _ timeout: Duration
  ) throws -> [UInt8] {
    guard framing != .tagProtocol, let frames = try openClassicFrames() else {
      try returnClassic()
      return try exchangeStorage(command, framing)
    }
    let isBare = framing == .bare
    let own = isBare ? try withoutCheck(command) : command
    let answer = try frame(sendFrame(own, timeout, over: frames))
    guard isBare else { return answer }
    // More than four bits are no acknowledge: the answer to S(DESELECT) is a byte.
    let isWholeByte = answer.count == 1 && answer[0] > Self.mostOfFourBits
    return isWholeByte
      ? answer + CyclicRedundancyCheck.a(answer) : Self.bare(answer, onRefusal: becomeMute)
  }

  private static let mostOfFourBits: UInt8 = 0x0F

  var hasOpenClassicFrames: Bool {
    if case .open = session?.classicFrames { true } else { false }
  }

  /// Takes the card over from the reader, if the reader can send frames to it.
  private func openClassicFrames() throws -> CardPath? {
    switch session?.classicFrames {
    case .open(let path): return path
    case .unavailable, nil: return nil
    case .unused: break
    }
    let path = try classicFramePath()
    session?.classicFrames = path.map { .open($0) } ?? .unavailable
    return path
  }

  private func classicFramePath() throws -> CardPath? {
    if model.hasDirectTransmit { return .direct }
    if model.hasEncapsulation {
      // An older reader that does not know the command may still send frames.
      _ = try transmit(Encapsulation.suspendTracking)
      return .encapsulated(.typeA)
    }
    return try startTransparentSession(.typeA) ? .transparent(.typeA) : nil
  }

  /// Ends the reader's state for frames. The card is in any state.
  func closeClassicFrames() throws {
    guard case .open(let path) = session?.classicFrames else { return }
    session?.classicFrames = .unused
    switch path {
    case .transparent: try endTransparentSession()
    case .encapsulated: _ = try transmit(Encapsulation.resumeTracking)
    default: break
    }
  }

  /// Gives the card back to the reader, which activates it again.
  func returnClassic() throws {
    guard hasOpenClassicFrames else { return }
    try closeClassicFrames()
    try resetCard()
  }
}
