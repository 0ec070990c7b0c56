/// What kind of PN532 a virtual reader is built around, and how a program finds it.
///
/// Registers, RF time-outs, retries, parameters and the baud rate are as the host left them, also from one
/// program to the next, until a command changes them or the chip is powered up. Where no public source
/// settles what the firmware does, the chip can do either; the default is what is harder on a program.
///
/// ```swift
/// var chip = VirtualPN532()
/// chip.start = .interruptedNfcpy
/// let reader = try VirtualReader(field, chip: chip)
/// ```
public struct VirtualPN532: Hashable, Sendable {
  /// The chip and the version of its firmware, as GetFirmwareVersion gives them (UM0701-02, 7.2.2).
  public enum Firmware: Hashable, Sendable, CaseIterable {
    /// PN532/C104, in an older ACR122U. It is awake after power-up (AN10609_3, 1).
    case pn532C104
    /// PN532/C106. It starts in LowVbat mode: it sleeps until woken (AN10609_3, 1).
    case pn532C106
    /// PN533, which is an SCL3711's. Its answers to ReadRegister and WriteRegister begin with a status byte.
    case pn533
  }

  /// In which state the first program finds the chip.
  public enum Start: Hashable, Sendable, CaseIterable {
    /// Just powered up.
    case poweredUp
    /// As a program with libnfc leaves it: PowerDown, search without retries.
    case libnfc
    /// As nfcpy leaves it: PowerDown, RF time-out of 1.6 ms, no RATS by itself, its own retries.
    case nfcpy
    /// As nfcpy leaves it when it is killed: awake, at 921600 baud, with the RF time-out of its last command.
    case interruptedNfcpy
    /// As a program with libnfc leaves it that is killed in the search for iCLASS: awake, carrier on, parity
    /// and check bytes off, a search without end, a short last byte, the cipher of MIFARE Classic on.
    case interruptedLibnfc
  }

  /// What the chip says of itself.
  public var firmware: Firmware
  /// The state in which the first program finds the chip.
  public var start: Start

  /// The baud rate at which the first program finds the chip; `nil` for that of ``start``.
  public var baudRate: Int?

  /// Whether InListPassiveTarget and InAutoPoll clear ParityDisable in CIU_ManualRCV, and RxNoErr and
  /// RxMultiple in CIU_RxMode. NXP's library for the same unit leaves them as they are.
  public var searchRestoresReceiver = false

  /// Whether PowerDown forgets what RFConfiguration, SetParameters and SAMConfiguration have set. It is
  /// known only of the registers.
  public var powerDownRestoresConfiguration = false

  /// Whether a MIFARE Classic authentication that nobody answers has the status 14 of a wrong key, and not
  /// the 01 of a time-out. The unit's MFAuthent command tells the firmware only that its timer has run out,
  /// and a dictionary run on a real chip gave nothing but 14.
  public var silenceIsWrongKey = true

  /// How often in turn InListPassiveTarget finds a tag that has been halted: none by ISO/IEC 14443-3, 3 or
  /// 16 times with some readers and tags.
  public var haltedTagsFound = 0

  /// Whether InListPassiveTarget for two tags lists a second one of any UID beside that which the host has
  /// named. UM0701-02, 7.3.5, says only that the named one is initialized.
  public var listsSecondBesideUID = false

  /// A chip of this firmware, in this state.
  public init(_ firmware: Firmware = .pn532C106, start: Start = .poweredUp) {
    self.firmware = firmware
    self.start = start
  }
}

extension VirtualPN532.Firmware {
  /// IC, version, revision and support: the data of GetFirmwareVersion.
  var version: [UInt8] {
    switch self {
    case .pn532C104: [0x32, 0x01, 0x04, 0x07]
    case .pn532C106: [0x32, 0x01, 0x06, 0x07]
    case .pn533: [0x33, 0x02, 0x07, 0x07]
    }
  }

  var startsAsleep: Bool { self == .pn532C106 }
  /// libnfc's driver for it reads a status byte first; an SCL3711's log shows it as 00.
  var answersRegistersWithStatus: Bool { self == .pn533 }
}
