/// The registers of the contactless interface unit that a host can see: PN532 data sheet, 8.6.23.
struct PN532Registers {
  static let txMode: UInt16 = 0x6302
  static let rxMode: UInt16 = 0x6303
  static let txControl: UInt16 = 0x6304
  static let txAuto: UInt16 = 0x6305
  static let rxThreshold: UInt16 = 0x6308
  static let demodulator: UInt16 = 0x6309
  static let mifareNFC: UInt16 = 0x630C
  static let manualRCV: UInt16 = 0x630D
  static let gsNOff: UInt16 = 0x6313
  static let modulationWidth: UInt16 = 0x6314
  static let txBitPhase: UInt16 = 0x6315
  static let receiverGain: UInt16 = 0x6316
  static let gsNOn: UInt16 = 0x6317
  static let cwGsP: UInt16 = 0x6318
  static let modGsP: UInt16 = 0x6319
  static let timerMode: UInt16 = 0x631A
  static let timerPrescaler: UInt16 = 0x631B
  static let timerReloadHigh: UInt16 = 0x631C
  static let timerReloadLow: UInt16 = 0x631D
  static let timerCounterHigh: UInt16 = 0x631E
  static let timerCounterLow: UInt16 = 0x631F
  static let command: UInt16 = 0x6331
  static let error: UInt16 = 0x6336
  static let status2: UInt16 = 0x6338
  static let fifoData: UInt16 = 0x6339
  static let fifoLevel: UInt16 = 0x633A
  static let control: UInt16 = 0x633C
  static let bitFraming: UInt16 = 0x633D

  /// TxMode and RxMode: the unit appends and checks the CRC.
  static let crcEnable: UInt8 = 0x80
  /// RxMode: RxNoErr and RxMultiple. TxMode: InvMod and TxMix.
  private static let modeExtras: UInt8 = 0x0C
  /// ManualRCV: the unit neither generates nor checks parity; the parity bits are part of the data.
  static let parityDisable: UInt8 = 0x10
  /// TxControl: both antenna drivers on.
  static let antennaOn: UInt8 = 0x03
  /// TxAuto: Force100ASK, which type A uses, with both drivers switched by the unit.
  private static let amplitudeOfTypeA: UInt8 = 0x43
  private static let amplitudeOfOthers: UInt8 = 0x07
  /// TxAuto: collision avoidance, which the unit clears automatically.
  private static let collisionAvoidance: UInt8 = 0x08
  /// Status2: the cipher of MIFARE Classic is active.
  static let crypto1On: UInt8 = 0x08
  /// Control: the unit is an initiator; a log shows the value 14 after four bits.
  static let initiator: UInt8 = 0x10
  static let lastBits: UInt8 = 0x07
  /// BitFraming: Transceive sends what is in the FIFO.
  static let startSend: UInt8 = 0x80

  /// The values after power-up and after PowerDown. TxMode, RxMode, ManualRCV, Status2 and BitFraming are
  /// 00 in a log of a PN532 1.6 that has just been opened; the others are the data sheet's reset values.
  private var values: [UInt16: UInt8] = [
    0x6301: 0x3B, txControl: 0x80, 0x6306: 0x10, 0x6307: 0x84, rxThreshold: 0x84, demodulator: 0x4D,
    mifareNFC: 0x62, gsNOff: 0x88, modulationWidth: 0x26, txBitPhase: 0x87, receiverGain: 0x48,
    gsNOn: 0x88, cwGsP: 0x20, modGsP: 0x20, command: 0x20, 0x6332: 0x80, 0x6334: 0x14, 0x633B: 0x08,
  ]

  /// The first address of the special function registers (PN532 user manual, 7.2.4).
  private static let firstSpecialRegister: UInt16 = 0xFF00
  /// The special function registers that a host can read and write: the ports (libnfc, `pn53x-internal.h`). An address
  /// without one is a syntax error (libnfc, `test_register_endianness.c`).
  private static let specialRegisters: Set<UInt16> = [
    0xFFB0, 0xFFF4, 0xFFF5, 0xFFF7, 0xFFFC, 0xFFFD,
  ]

  /// Returns whether a host can name this address; those of the contactless unit are not checked.
  static func exists(_ address: UInt16) -> Bool {
    address < firstSpecialRegister || specialRegisters.contains(address)
  }

  subscript(address: UInt16) -> UInt8 {
    get { values[address] ?? 0 }
    set { values[address] = newValue }
  }

  /// Returns the value of a register, and applies the changes that reading causes.
  mutating func read(_ address: UInt16) -> UInt8 {
    let value = self[address]
    if address == Self.txAuto { self[address] = value & ~Self.collisionAvoidance }
    return value
  }

  /// The modulation that the framing and speed bits of TxMode select.
  var modulation: RadioFrame.Modulation {
    switch self[Self.txMode] & 0x03 {
    case 0x00: .typeA
    case 0x02: .feliCa
    case 0x03: .typeB
    default: .typeA
    }
  }

  /// The bit rate in kilobits per second.
  var bitRate: Int { 106 << Int(self[Self.txMode] >> 4 & 0x03) }

  var appendsCRC: Bool { self[Self.txMode] & Self.crcEnable != 0 }
  var checksCRC: Bool { self[Self.rxMode] & Self.crcEnable != 0 }
  var handlesParity: Bool { self[Self.manualRCV] & Self.parityDisable == 0 }
  /// The number of bits of the last byte that are sent; 0 for all.
  var transmitLastBits: Int { Int(self[Self.bitFraming] & 0x07) }

  /// Sets the registers that InListPassiveTarget and InAutoPoll set: modes, and the analogue settings of
  /// the protocol.
  ///
  /// - Parameter restoresReceiver: whether to also set parity, RxNoErr and RxMultiple.
  mutating func configure(
    modulation: RadioFrame.Modulation, bitRate: Int, _ analogue: RadioConfiguration,
    restoresReceiver: Bool
  ) {
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
    let mode = Self.crcEnable | speed | framing
    self[Self.txMode] = self[Self.txMode] & Self.modeExtras | mode
    self[Self.rxMode] = mode | (restoresReceiver ? 0 : self[Self.rxMode] & Self.modeExtras)
    if restoresReceiver { self[Self.manualRCV] &= ~Self.parityDisable }
    self[Self.bitFraming] = 0
    self[Self.status2] &= ~Self.crypto1On
    self[Self.control] = Self.initiator
    set(modulation, analogue)
  }

  /// Sets the analogue settings of items 0A to 0C, which begin with RFCfg, GsNOn, CWGsP, ModGsP, Demod
  /// while the carrier is on, and RxThreshold.
  private mutating func set(_ modulation: RadioFrame.Modulation, _ analogue: RadioConfiguration) {
    let common = [
      Self.receiverGain, Self.gsNOn, Self.cwGsP, Self.modGsP, Self.demodulator, Self.rxThreshold,
    ]
    let fromTypeA: [UInt16: Int] = [
      Self.gsNOff: 7, Self.modulationWidth: 8, Self.mifareNFC: 9, Self.txBitPhase: 10,
    ]
    switch modulation {
    case .typeA, .iso15693:
      for (register, value) in zip(common, analogue.typeA) { self[register] = value }
      for (register, index) in fromTypeA where index < analogue.typeA.count {
        self[register] = analogue.typeA[index]
      }
      self[Self.txAuto] = Self.amplitudeOfTypeA | Self.collisionAvoidance
    case .feliCa:
      for (register, value) in zip(common, analogue.feliCa) { self[register] = value }
      self[Self.txAuto] = Self.amplitudeOfOthers
    case .typeB:
      // Item 0C contains three of them; the others keep the values for type A.
      for (register, value) in zip(common, analogue.typeA) { self[register] = value }
      for (register, value) in zip([Self.gsNOn, Self.modGsP, Self.rxThreshold], analogue.typeB) {
        self[register] = value
      }
      self[Self.txAuto] = Self.amplitudeOfOthers
    }
  }
}
