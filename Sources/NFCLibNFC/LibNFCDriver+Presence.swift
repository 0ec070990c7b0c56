import CLibNFC
import NFCCore

// MARK: Is the tag still there?

extension LibNFCDriver {
  /// READ of page 0, which every Ultralight and NTAG allows (NTAG21x data sheet, 10.2).
  private static let readFirstPage: [UInt8] = [0x30, 0x00]

  package func isPresent(_ target: Target) throws -> Bool {
    guard let active, active.isSame(as: target) else { return try isAwake(target) }
    switch target {
    case .iso14443a(let tag) where tag.supportsISO14443Part4: return try answersAsCard(target)
    case .iso14443b: return try answersAsCard(target)
    case .iso14443a(let tag) where tag.sak == 0: return try answersRead(target)
    default:
      // Their searches find a tag again that is awake, and lose nothing in it; a Classic has no other way.
      self.active = nil
      return try isAwake(target)
    }
  }

  private func isAwake(_ target: Target) throws -> Bool {
    do {
      try select(target)
      return true
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }

  /// Asks a card of ISO/IEC 14443-4 for the block that it has sent last (R(NAK): ISO/IEC 14443-4, 7.5.4.3, rule
  /// 12), which changes nothing in it.
  private func answersAsCard(_ target: Target) throws -> Bool {
    do {
      try call {
        try use(.tagProtocol)
        try device.checkPresence()
      }
      return true
    } catch let failure as LibNFC.Failure {
      framing = nil
      active = nil
      switch failure.code {
      case LibNFC.Failure.aborted: throw endedEarly(failure, "checking for a tag")
      case LibNFC.Failure.notSupported, LibNFC.Failure.invalidArgument:
        return try isAwake(target)
      case LibNFC.Failure.inputOutput: throw readerError(failure, "checking for a tag")
      default: return false
      }
    }
  }

  private func answersRead(_ target: Target) throws -> Bool {
    // In the form that the chip is already configured for.
    let isBare = framing == .bare
    let command =
      isBare
      ? Self.readFirstPage + CyclicRedundancyCheck.a(Self.readFirstPage) : Self.readFirstPage
    do {
      let answer = try exchange(
        command, framing: isBare ? .bare : .checked, timeout: .milliseconds(100))
      if answer.count > 1 { return true }
    } catch let error as NFCError where error.code == .tagResponseError {
      // A tag that has refused, or that was asleep, is found again.
    }
    active = nil
    return try isAwake(target)
  }
}
