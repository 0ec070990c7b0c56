import CLibNFC
import NFCCore

// MARK: B'

extension LibNFCDriver {
  private static let apgen: [UInt8] = [0x01, 0x0B, 0x3F, 0x80]
  private static let repgen: UInt8 = 0x07
  private static let attrib: UInt8 = 0x0F

  /// Finds and selects a B' card by libnfc's raw frames.
  ///
  /// libnfc has its own search, but takes lengths from the card's answer without checking: one that
  /// is too short makes it copy endlessly.
  func findTypeBPrime() throws -> Target? {
    active = nil
    do {
      let answer = try call {
        try forceTypeB()
        return try device.transceive(Self.apgen, timeout: 300)
      }
      guard let target = Self.typeBPrime(answer), case .iso14443bPrime(let div, _, _, _) = target
      else { return nil }
      _ = try call {
        try device.transceive([answer[0], Self.attrib] + div, timeout: 300)
      }
      active = target
      framing = .checked
      return target
    } catch let failure as LibNFC.Failure {
      switch failure.code {
      case LibNFC.Failure.transmission, LibNFC.Failure.targetReleased: return nil
      case LibNFC.Failure.aborted: throw endedEarly(failure, "looking for tags")
      default: throw readerError(failure, "looking for tags")
      }
    }
  }

  private func forceTypeB() throws(LibNFC.Failure) {
    framing = nil
    try jewel.restore()
    try settings.prepareForTypeB()
    try device.set(NP_FORCE_ISO14443_B, true)
    try device.set(NP_FORCE_SPEED_106, true)
    try device.set(NP_EASY_FRAMING, false)
  }

  /// Reads REPGEN: address, code, DIV, version, and for long answers configuration and ATR.
  private static func typeBPrime(_ answer: [UInt8]) -> Target? {
    guard answer.count >= 7, answer[1] == repgen else { return nil }
    let version = answer[6]
    let isLong = version & 0x80 != 0 && answer.count > 7
    let configuration = isLong ? answer[7] : nil
    let hasATR = configuration.map { $0 & 0x40 != 0 } ?? false
    return .iso14443bPrime(
      div: Array(answer[2..<6]), version: version, configuration: configuration,
      atr: hasATR ? Array(answer.dropFirst(8)) : [])
  }
}
