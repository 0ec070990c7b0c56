/// The PN532 of a virtual reader, and the state in which a program finds it.
///
/// Registers, RF time-outs, retries, parameters and the baud rate keep the host's values, also from
/// one program to the next, until a command changes them or the chip is powered up. If no public
/// source settles what the firmware does, the chip supports both behaviors; the default is the one
/// that is harder for a program.
///
/// ```swift
/// var chip = VirtualPN532()
/// chip.start = .interruptedNfcpy
/// let reader = try VirtualReader(field, chip: chip)
/// ```
public struct VirtualPN532: Hashable, Sendable {
  /// The chip and its firmware version, as GetFirmwareVersion reports them (UM0701-02, 7.2.2).
  @nonexhaustive
  public enum Firmware: Hashable, Sendable, CaseIterable {
    /// PN532/C104, used in an older ACR122U. It is awake after power-up (AN10609_3, 1).
    case pn532C104
    /// PN532/C106. It starts in LowVbat mode: it sleeps until woken (AN10609_3, 1).
    case pn532C106
    /// PN533, used in an SCL3711. Its answers to ReadRegister and WriteRegister begin with a status
    /// byte.
    case pn533
    /// RC-S956, the chip of Sony's RC-S330 and RC-S360: a PN533 with firmware of Sony's own, which accepts raw
    /// frames only after a target has been selected (libnfc 1.8.0, `pn53x.c`; nfcpy, `rcs956.py`).
    case rcs956
  }

  /// The state in which the first program finds the chip.
  @nonexhaustive
  public enum Start: Hashable, Sendable, CaseIterable {
    /// Just powered up.
    case poweredUp
    /// As a program with libnfc leaves it: PowerDown, search without retries.
    case libnfc
    /// As nfcpy leaves it: PowerDown, RF time-out of 1.6 ms, no automatic RATS, its own retries.
    case nfcpy
    /// As nfcpy leaves it when it is killed: awake, at 921600 baud, with the RF time-out of its last command.
    case interruptedNfcpy
    /// As a libnfc program leaves it that is killed in the search for iCLASS: awake, carrier on,
    /// parity and check bytes off, an endless search, a short last byte, the cipher of MIFARE
    /// Classic on.
    case interruptedLibnfc
  }

  /// The chip and its firmware version.
  public var firmware: Firmware
  /// The state in which the first program finds the chip.
  public var start: Start

  /// The baud rate at which the first program finds the chip; `nil` for the default of ``start``.
  public var baudRate: Int?

  /// Whether the first program finds a chip whose frames have no preamble and no postamble, as
  /// SetParameters with fRemovePrePostAmble leaves it until it is powered up (UM0701-02, 7.2.9).
  public var omitsPreambles = false

  /// Whether InListPassiveTarget and InAutoPoll clear ParityDisable in CIU_ManualRCV, and RxNoErr
  /// and RxMultiple in CIU_RxMode. NXP's library for the same unit does not change them.
  public var searchRestoresReceiver = false

  /// Whether PowerDown resets what RFConfiguration, SetParameters and SAMConfiguration have set.
  /// This is known only for the registers.
  public var powerDownRestoresConfiguration = false

  /// Whether an unanswered MIFARE Classic authentication has the status 14 of a wrong key instead
  /// of the status 01 of a time-out. The unit's MFAuthent command reports to the firmware only that
  /// its timer has expired, and a dictionary attack on a real chip always returned 14.
  public var silenceIsWrongKey = true

  /// The number of times that InListPassiveTarget finds a halted tag: never according to ISO/IEC
  /// 14443-3, 3 or 16 times with some readers and tags.
  public var haltedTagsFound = 0

  /// Whether InListPassiveTarget for two tags lists a second tag with any UID in addition to the
  /// one that the host has named. UM0701-02, 7.3.5, says only that the named one is initialized.
  public var listsSecondBesideUID = false

  /// Whether an unanswered REQA leaves seven bits in the last byte and no check bytes, as examples for real chips say
  /// (kormax/apple-enhanced-contactless-polling). A frame that a host sends next is cut unless it sets both.
  public var keepsShortFrame = true

  /// The time after the carrier was switched on in which a FeliCa card answers nothing: up to 20 ms for some (NFC Forum
  /// Digital Protocol 2.0, 8.7.4.1).
  public var feliCaStart = Duration.zero

  /// What the chip does as a card, where no public source settles it.
  public var target = TargetReadings()

  /// Creates a chip with this firmware, in this state.
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
    case .rcs956: [0x33, 0x01, 0x30, 0x07]
    }
  }

  var startsAsleep: Bool { self == .pn532C106 }
  /// libnfc's driver for it reads a status byte first; an SCL3711's log shows it as 00.
  var answersRegistersWithStatus: Bool { self == .pn533 }
  /// Whether raw frames are refused while there is no target.
  var refusesFramesWithoutTarget: Bool { self == .rcs956 }
  /// Whether InDeselect and InRelease name the number of targets and one of them, and their answer begins with
  /// that number (libnfc 1.8.0, `pn53x_InDeselect`).
  var countsReleasedTargets: Bool { self == .rcs956 }
  /// Whether ResetMode is among the commands (nfcpy, `rcs956.py`).
  var hasResetMode: Bool { self == .rcs956 }
  /// The commands of a PN532 that this chip does not have.
  var lacks: Set<PN532Command> {
    switch self {
    case .pn532C104, .pn532C106: []
    case .pn533: [.samConfiguration, .powerDown, .inAutoPoll]
    case .rcs956: [.samConfiguration, .writeGPIO, .inAutoPoll]
    }
  }
}
