import SwiftNFCCore

// MARK: Frames for phones

extension LibNFCDriver {
  /// Returns the technologies after whose searches a chip can send a frame of any kind. Sony's RC-S956, which libnfc
  /// recognizes by version 1 of a PN533, refuses raw frames before a target was selected.
  static func pollingFrames(
    of device: LibNFC.Device, _ firmware: String?, _ capabilities: ReaderCapabilities
  ) -> Set<TagTechnology> {
    guard device.supportsChipCommands, let firmware, !firmware.hasPrefix("PN533 v1.") else {
      return []
    }
    return Set(PollingFrame.Technology.allCases.map(\.tagTechnology))
      .intersection(capabilities.technologies)
  }

  package func setBroadcasting(_ isOn: Bool) { isBroadcasting = isOn }

  /// Sends a frame as it is. A time-out of the chip is the success: nothing answers.
  package func broadcast(_ frame: PollingFrame) throws {
    guard !device.isClosed else { throw NFCError(.readerLost, "the reader was lost") }
    active = nil
    framing = nil
    do {
      try call {
        try settings.prepareForPollingFrame(isTypeB: frame.technology == .typeB)
        _ = try answer(to: frame.encoded)
      }
    } catch let failure as LibNFC.Failure {
      switch failure.code {
      case LibNFC.Failure.aborted: throw endedEarly(failure, "sending a polling frame")
      case _ where failure.isOfLine && hasAnsweredNothing(isRepeated: true): return
      default:
        settings.doubtSettings()
        throw readerError(failure, "sending a polling frame")
      }
    }
  }
}
