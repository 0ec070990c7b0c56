import SwiftNFCCore

/// The settings of the RFID instruction, made by the control command of SpringCard's readers.
struct SpringCardModes {
  /// The recipient of requests.
  enum Recipient: UInt8 {
    case everyone = 0x10
    case addressed = 0x11
    case selected = 0x12
  }

  var recipient = Recipient.everyone
  var hasOption = false
}

// SpringCard's vendor instructions (docs.springcard.com, SpringCore; PMD2271, 3.3.4).
extension VirtualPCSCReader {
  /// The reader's own errors: no answer, wrong check.
  static let mute: [UInt8] = [0x6F, 0x01]
  static let wrongCheck: [UInt8] = [0x6F, 0x02]

  // MARK: Frames

  /// ENCAPSULATE. P1 is 04 for an unchanged frame and 05 for one to which the reader adds the UID.
  func encapsulated(_ frame: [UInt8], _ mode: UInt8) -> [UInt8] {
    let asIs: UInt8 = 0x04
    let withUID: UInt8 = 0x05
    switch mode {
    case asIs: return answerWithFlags(to: frame)
    case withUID:
      guard frame.count >= 2 else { return Self.wrongLength }
      let flags = VicinityFlags(rawValue: frame[0])
      guard let request = request(frame[1], Array(frame.dropFirst(2)), flags: flags) else {
        return Self.wrongLength
      }
      return answerWithFlags(to: request)
    default: return Self.notSupported
    }
  }

  private func answerWithFlags(to frame: [UInt8]) -> [UInt8] {
    switch exchange(frame) {
    case .silence: Self.mute
    case .broken: Self.wrongCheck
    case .frame(let answer): answer + Self.done
    }
  }

  // MARK: Commands

  private static let counted: Set<UInt8> = [
    VicinityCommandCode.readMultipleBlocks, VicinityCommandCode.writeMultipleBlocks,
    VicinityCommandCode.getMultipleBlockSecurityStatus,
  ]
  private static let wide: Set<UInt8> = [
    VicinityCommandCode.extendedReadSingleBlock, VicinityCommandCode.extendedWriteSingleBlock,
    VicinityCommandCode.extendedLockBlock,
  ]
  private static let wideCounted: Set<UInt8> = [
    VicinityCommandCode.extendedReadMultipleBlocks, VicinityCommandCode.extendedWriteMultipleBlocks,
    VicinityCommandCode.extendedGetMultipleBlockSecurityStatus,
  ]
  private static let plain: Set<UInt8> = [
    VicinityCommandCode.readSingleBlock, VicinityCommandCode.writeSingleBlock,
    VicinityCommandCode.lockBlock, VicinityCommandCode.select, VicinityCommandCode.writeAFI,
    VicinityCommandCode.lockAFI, VicinityCommandCode.writeDSFID, VicinityCommandCode.lockDSFID,
    VicinityCommandCode.getSystemInformation,
  ]

  /// Executes the RFID instruction. Numbers have their most significant byte first; counts are numbers of
  /// blocks.
  func rfid(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    guard let own = Self.parameters(code, parameters) else { return Self.wrongLength }
    let modes = state.withLock { $0.springCard }
    guard let addressed = request(code, own), let parsed = VicinityRequest(addressed) else {
      return Self.notSupported
    }
    var flags: VicinityFlags = []
    if modes.hasOption, parsed.command.changesMemory { flags.insert(.option) }
    let uid: [UInt8]?
    switch modes.recipient {
    case .addressed: uid = parsed.uid
    case .everyone: uid = nil
    case .selected:
      _ = carry(VicinityCommandCode.select, [])
      uid = nil
      flags.insert(.select)
    }
    return Self.request(code, own, flags: flags, uid: uid).map { answer(to: $0) }
      ?? Self.wrongLength
  }

  /// Returns the parameters in the form of the air interface; `nil` for an unknown command or length.
  private static func parameters(_ code: UInt8, _ given: [UInt8]) -> [UInt8]? {
    if plain.contains(code) { return given }
    var own = given
    if wide.contains(code), given.count >= 2 {
      own.swapAt(0, 1)
    } else if counted.contains(code), given.count >= 2, given[1] > 0 {
      own[1] -= 1
    } else if wideCounted.contains(code), given.count >= 4 {
      let count = UInt16(given[2]) << 8 | UInt16(given[3])
      guard count > 0 else { return nil }
      own.swapAt(0, 1)
      (own[2], own[3]) = (UInt8((count - 1) & 0xFF), UInt8((count - 1) >> 8))
    } else {
      return nil
    }
    return own
  }

  /// CONTROL: sets the recipient of requests, or two bytes of modes, the second of which sets the option
  /// flag.
  func setSpringCardMode(_ mode: UInt8, _ data: [UInt8]) -> [UInt8] {
    let modes: UInt8 = 0x00
    let (optionOff, optionOn): (UInt8, UInt8) = (0x15, 0x3F)
    switch (mode, data.count) {
    case (modes, 2) where [optionOff, optionOn].contains(data[1]):
      state.withLock { $0.springCard.hasOption = data[1] == optionOn }
    case (_, 0):
      guard let recipient = SpringCardModes.Recipient(rawValue: mode) else {
        return Self.notSupported
      }
      state.withLock { $0.springCard.recipient = recipient }
    default: return Self.notSupported
    }
    return Self.done
  }
}
