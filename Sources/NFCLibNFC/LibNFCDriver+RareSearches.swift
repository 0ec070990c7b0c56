import CSwiftNFCLibNFC
import SwiftNFCCore

// MARK: Technologies that the chip has no search for

/// The chip sends the frames of these searches as they are. libnfc has searches of its own, which write registers one by
/// one and read them back, wait for half a second in all, and take lengths from a card's answer without checking.
extension LibNFCDriver {
  /// Each search by hand is repeated with a long time-out once in so many times, for a tag that takes longer to answer
  /// than all sources say.
  private static let searchesUntilLong = 10
  /// The time that the chip has to report what it has received, in milliseconds.
  private static let chipTime: Int32 = 300

  func findRare(_ technology: TagTechnology) throws -> Target? {
    rareSearches[technology, default: 0] += 1
    let isLong = (rareSearches[technology] ?? 0) % Self.searchesUntilLong == 0
    active = nil
    onlyHaltedCard = nil
    var isRepeated = false
    while true {
      do {
        let found = try call { try search(technology, isLong: isLong) }
        active = found
        if found != nil { framing = .checked }
        return found
      } catch let failure as LibNFC.Failure {
        switch failure.code {
        case LibNFC.Failure.transmission, LibNFC.Failure.targetReleased,
          LibNFC.Failure.authentication, LibNFC.Failure.chip:
          return nil
        case LibNFC.Failure.aborted: throw endedEarly(failure, "looking for tags")
        case _ where failure.isOfLine && hasAnsweredNothing(isRepeated: isRepeated): return nil
        case _ where failure.isOfLine && !isRepeated && !device.isClosed:
          settings.doubtSettings()
          isRepeated = true
        default: throw readerError(failure, "looking for tags")
        }
      }
    }
  }

  private func search(
    _ technology: TagTechnology, isLong: Bool
  ) throws(LibNFC.Failure) -> Target? {
    framing = nil
    try jewel.restore()
    try device.set(NP_EASY_FRAMING, false)
    switch technology {
    case .iso14443bPrime: return try findTypeBPrime(isLong)
    case .iso14443b2sr: return try findSRx(isLong)
    case .iso14443b2ct: return try findCTx(isLong)
    case .iClass: return try findICLASS(isLong)
    case .barcode: return try findBarcode()
    default: return nil
    }
  }

  /// InCommunicateThru (UM0701-02, 7.3.9).
  private static let inCommunicateThru: UInt8 = 0x42

  /// Sends a frame as it is; `nil` for silence, and for what is not an answer.
  func answer(to frame: [UInt8]) throws(LibNFC.Failure) -> [UInt8]? {
    do {
      let answer = try device.chipCommand([Self.inCommunicateThru] + frame, timeout: Self.chipTime)
      return answer.isEmpty ? nil : Array(answer.dropFirst())
    } catch  where error.code == LibNFC.Failure.transmission || error.code == LibNFC.Failure.chip {
      return nil
    }
  }

  // MARK: B'

  private static let apgen: [UInt8] = [0x01, 0x0B, 0x3F, 0x80]
  private static let repgen: UInt8 = 0x07
  private static let attrib: UInt8 = 0x0F

  private func findTypeBPrime(_ isLong: Bool) throws(LibNFC.Failure) -> Target? {
    try settings.prepareForTypeB(isLong: isLong)
    guard let answer = try answer(to: Self.apgen), let target = Self.typeBPrime(answer),
      case .iso14443bPrime(let div, _, _, _) = target,
      try self.answer(to: [answer[0], Self.attrib] + div) != nil
    else { return nil }
    return target
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

  // MARK: ST SRx (SRIX4K data sheet, 7)

  private static let initiate: [UInt8] = [0x06, 0x00]
  private static let select: UInt8 = 0x0E
  static let getUID: [UInt8] = [0x0B]

  private func findSRx(_ isLong: Bool) throws(LibNFC.Failure) -> Target? {
    try settings.prepareForTypeB(isLong: isLong)
    guard let chipID = try answer(to: Self.initiate)?.first,
      try answer(to: [Self.select, chipID])?.first == chipID,
      let uid = try answer(to: Self.getUID), uid.count == 8
    else { return nil }
    return .iso14443b2sr(uid: uid.reversed())
  }

  // MARK: ASK CTx (libnfc, `pn53x_initiator_select_passive_target_ext`)

  private static let requestT: [UInt8] = [0x10]
  private static let selectAll: [UInt8] = [0x9F, 0xFF, 0xFF]
  /// READ of address 4: the upper half of the serial number.
  private static let readUpperHalf: [UInt8] = [0xC4]

  private func findCTx(_ isLong: Bool) throws(LibNFC.Failure) -> Target? {
    try settings.prepareForTypeB(isLong: isLong)
    guard let codes = try answer(to: Self.requestT), codes.count >= 2,
      let lower = try answer(to: Self.selectAll), lower.count == 2,
      let upper = try answer(to: Self.readUpperHalf), upper.count >= 2
    else { return nil }
    return .iso14443b2ct(
      uid: (lower + upper.prefix(2)).reversed(), productCode: codes[0], fabricationCode: codes[1])
  }

  // MARK: iCLASS (libnfc, as above)

  private static let activateAll: [UInt8] = [0x0A]
  private static let identify: [UInt8] = [0x0C]
  private static let selectCard: UInt8 = 0x81
  private static let identifierLength = 8

  private func findICLASS(_ isLong: Bool) throws(LibNFC.Failure) -> Target? {
    try settings.enterICLASS(isLong: isLong)
    // The answer is only the start of a frame.
    _ = try answer(to: Self.activateAll)
    guard let identifier = try answer(to: Self.identify), identifier.count >= Self.identifierLength,
      let answer = try answer(
        to: [Self.selectCard] + identifier.prefix(Self.identifierLength)),
      answer.count >= Self.identifierLength
    else {
      try settings.leaveICLASS()
      return nil
    }
    try settings.talkToICLASS()
    return .iClass(serialNumber: answer.prefix(Self.identifierLength).reversed())
  }

  // MARK: NFC Barcode

  /// Listens once for an NFC Barcode, which sends unasked.
  private func findBarcode() throws(LibNFC.Failure) -> Target? {
    protocolCard = nil
    try settings.enterBarcode()
    let heard = try answer(to: [])
    try settings.leaveBarcode()
    return heard.flatMap { Self.code(in: $0) }.map { .barcode(data: $0) }
  }

  /// Codes of 128 and of 256 bits.
  private static let codeLengths = [16, 32]

  /// Returns the code in what a type A receiver has received without removing parity: after the
  /// first bit, which is 1 and opens the frame, all others, the earliest in the lowest bit. The
  /// last two bytes are CRC_A, most significant byte first (Thinfilm NFC Barcode Protocol, tag
  /// functional specification 3.4).
  static func code(in heard: [UInt8]) -> [UInt8]? {
    guard codeLengths.contains(heard.count) else { return nil }
    var code: [UInt8] = []
    var carried: UInt8 = 1
    for byte in heard {
      let mirrored = (0..<8).reduce(UInt8(0)) { $0 << 1 | byte >> UInt8($1) & 1 }
      code.append(carried << 7 | mirrored >> 1)
      carried = mirrored & 1
    }
    let check = CyclicRedundancyCheck.a(code.dropLast(2))
    return check.reversed().elementsEqual(code.suffix(2)) ? code : nil
  }
}
