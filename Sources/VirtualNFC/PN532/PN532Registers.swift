/// The registers of the contactless interface unit that a host can see: PN532 data sheet, 8.6.23.
struct PN532Registers {
  static let txMode: UInt16 = 0x6302
  static let rxMode: UInt16 = 0x6303
  static let txControl: UInt16 = 0x6304
  static let txAuto: UInt16 = 0x6305
  static let manualRCV: UInt16 = 0x630D
  static let command: UInt16 = 0x6331
  static let status2: UInt16 = 0x6338
  static let fifoData: UInt16 = 0x6339
  static let fifoLevel: UInt16 = 0x633A
  static let control: UInt16 = 0x633C
  static let bitFraming: UInt16 = 0x633D

  /// TxMode and RxMode: the unit appends or checks the CRC.
  static let crcEnable: UInt8 = 0x80
  /// ManualRCV: parity is neither made nor checked; it stands in the data.
  static let parityDisable: UInt8 = 0x10
  /// TxControl: both antenna drivers on.
  static let antennaOn: UInt8 = 0x03
  /// Status2: the cipher of MIFARE Classic is active.
  static let crypto1On: UInt8 = 0x08

  private var values: [UInt16: UInt8] = [
    txMode: crcEnable, rxMode: crcEnable, txControl: 0x80, txAuto: 0x40, manualRCV: 0x00,
  ]

  subscript(address: UInt16) -> UInt8 {
    get { values[address] ?? 0 }
    set { values[address] = newValue }
  }

  /// What the framing and speed bits of TxMode stand for.
  var modulation: RadioFrame.Modulation {
    switch self[Self.txMode] & 0x03 {
    case 0x00: .typeA
    case 0x02: .feliCa
    case 0x03: .typeB
    default: .typeA
    }
  }

  /// In kilobits a second.
  var bitRate: Int { 106 << Int(self[Self.txMode] >> 4 & 0x03) }

  var appendsCRC: Bool { self[Self.txMode] & Self.crcEnable != 0 }
  var checksCRC: Bool { self[Self.rxMode] & Self.crcEnable != 0 }
  var handlesParity: Bool { self[Self.manualRCV] & Self.parityDisable == 0 }
  /// The number of bits of the last byte that are sent; 0 for all.
  var transmitLastBits: Int { Int(self[Self.bitFraming] & 0x07) }

  /// Sets what InListPassiveTarget and InAutoPoll leave behind in TxMode and RxMode.
  mutating func configure(modulation: RadioFrame.Modulation, bitRate: Int) {
    let framing: UInt8
    switch modulation {
    case .typeA, .iso15693: framing = 0x00
    case .feliCa: framing = 0x02
    case .typeB: framing = 0x03
    }
    let speed: UInt8 =
      switch bitRate {
      case 212: 0x10
      case 424: 0x20
      case 848: 0x30
      default: 0x00
      }
    self[Self.txMode] = Self.crcEnable | speed | framing
    self[Self.rxMode] = Self.crcEnable | speed | framing
    self[Self.manualRCV] &= ~Self.parityDisable
  }
}

/// Bytes and their parity bits as one run of bits, the form in which the FIFO holds them while
/// ``PN532Registers/parityDisable`` is set: nine bits a byte, least significant first.
enum ParityStream {
  /// The bits packed into bytes, and how many of the last byte count (8 for all).
  static func encode(_ frame: RadioFrame) -> (bytes: [UInt8], bitsInLastByte: Int) {
    var bits: [Bool] = []
    for (index, byte) in frame.bytes.enumerated() {
      let isLast = index == frame.bytes.count - 1
      let count = isLast ? frame.bitsInLastByte : 8
      for bit in 0..<count { bits.append(byte >> bit & 1 == 1) }
      if count == 8 {
        let odd = byte.nonzeroBitCount % 2 == 0
        if let parity = frame.parity {
          if index < parity.count { bits.append(parity[index]) }
        } else {
          bits.append(odd)
        }
      }
    }
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 1 << (index % 8) }
    return (bytes, bits.count % 8 == 0 ? 8 : bits.count % 8)
  }

  /// The frame that a run of bits stands for. Fewer than nine bits are a short frame.
  static func decode(
    _ bytes: [UInt8], bitsInLastByte: Int, modulation: RadioFrame.Modulation
  ) -> RadioFrame {
    let count = bytes.isEmpty ? 0 : (bytes.count - 1) * 8 + bitsInLastByte
    guard count >= 9 else {
      return RadioFrame(bytes, modulation: modulation, bitsInLastByte: max(1, count))
    }
    func bit(_ index: Int) -> UInt8 { bytes[index / 8] >> (index % 8) & 1 }
    var data: [UInt8] = []
    var parity: [Bool] = []
    var position = 0
    while position < count {
      let width = min(8, count - position)
      var byte: UInt8 = 0
      for offset in 0..<width { byte |= bit(position + offset) << offset }
      data.append(byte)
      if position + 8 < count { parity.append(bit(position + 8) == 1) }
      position += 9
    }
    let rest = count % 9
    let isOdd = zip(data, parity).allSatisfy { ($0.nonzeroBitCount % 2 == 0) == $1 }
    return RadioFrame(
      data, modulation: modulation, bitsInLastByte: rest == 0 ? 8 : rest,
      parity: isOdd ? nil : parity)
  }
}
