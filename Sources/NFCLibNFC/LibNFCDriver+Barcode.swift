import CLibNFC
import NFCCore

// MARK: NFC Barcode

extension LibNFCDriver {
  /// The time that the chip has to report what it has received, in milliseconds.
  private static let listeningTime: Int32 = 300

  /// Listens once for an NFC Barcode, which sends unasked, with a command of the chip.
  ///
  /// libnfc has its own search. Where its driver reports an answer that it has not fetched as one
  /// of 0 bytes, that counts the bits of one of less, and copies until the process ends
  /// (`pn53x_initiator_transceive_bits`).
  func listenForBarcode() throws(LibNFC.Failure) -> Target? {
    // The tag begins with the carrier.
    try device.set(NP_ACTIVATE_FIELD, false)
    try device.set(NP_HANDLE_CRC, false)
    try device.set(NP_HANDLE_PARITY, false)
    try device.set(NP_EASY_FRAMING, false)
    do {
      let heard = try device.listen(timeout: Self.listeningTime)
      return Self.code(in: heard).map { .barcode(data: $0) }
    } catch  where error.code == LibNFC.Failure.chip {
      // A reception that was broken.
      return nil
    }
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
