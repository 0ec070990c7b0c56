import CLibNFC

/// The settings of a reader's chip, as far as this module depends on them.
///
/// A reader is in the state that the previous program has left, and libnfc writes only settings
/// that it believes to differ: when it opens a reader, it assumes that check bytes are switched on,
/// and it does not track what its own search for iCLASS writes. Therefore, every setting is written
/// here before it is relied on: when a reader is opened, and after the searches that libnfc
/// implements by hand. Settings that libnfc caches cost no separate command.
///
/// Sources: PN532 user manual (UM0701-02), 7.2.5 and 7.3.1; PN532 data sheet, 8.6.23; libnfc 1.8.0, `pn53x.c`.
final class ChipSettings {
  private let device: LibNFC.Device
  /// The radio time-out that is in force, an index into ``radioTimeouts``; `nil` if it is not known.
  private var radioTimeout: Int? = 0
  /// Whether the settings for check bytes are those of libnfc's flags.
  private(set) var areChecksKnown = true
  /// Whether the chip has acknowledged the last change of whether it sends RATS by itself.
  private var isAutomaticRATSKnown = true
  /// The transmitter and receiver settings that the chip's search loaded, before the search for
  /// iCLASS first overwrote them.
  private var analogue: [UInt8]?
  /// Whether the settings of the search for iCLASS are in effect.
  private var isSetUpForICLASS = false
  /// Whether the chip's settings for type B are known.
  private var isTypeBEstablished = false
  /// Whether the transmitter is set up for type B frames, as far as is known.
  private var isSetUpForTypeB = false

  init(_ device: LibNFC.Device) { self.device = device }

  // MARK: Commands and registers of the chip (UM0701-02, 7.2, 7.3; PN532 data sheet, 8.6.23)

  private static let readRegister: UInt8 = 0x06
  private static let writeRegister: UInt8 = 0x08
  private static let rfConfiguration: UInt8 = 0x32
  /// RFConfiguration, item 4: how often InDataExchange and InCommunicateThru repeat by themselves. Never: a
  /// command that counts would count twice.
  private static let maximumRetriesOfExchange: [UInt8] = [rfConfiguration, 0x04, 0x00]
  /// RFConfiguration, item 0Ch: GsNOn, ModGsP and RxThreshold for type B, as the chip has them at power-up.
  private static let typeBTransmitter: [UInt8] = [rfConfiguration, 0x0C, 0xFF, 0x17, 0x85]

  private enum Register: UInt16 {
    case transmitterMode = 0x6302
    case receiverMode = 0x6303
    case manualReceive = 0x630D
    case transmitterAuto = 0x6305
    case conductanceOff = 0x6313
    case receiverConfiguration = 0x6316
    case conductanceOn = 0x6317
    case conductanceWithoutModulation = 0x6318
    case conductanceWithModulation = 0x6319

    var bytes: [UInt8] {
      [UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]
    }
  }

  /// TxAuto with both drivers switched on by the chip and without `Force100ASK`, which type A needs
  /// and which does not work for type B; libnfc's own value before its search for SRx.
  private static let transmitterOfTypeB: UInt8 = 0x07
  /// The registers that the search for iCLASS overwrites
  /// (`pn53x_initiator_init_iclass_modulation`).
  private static let analogueRegisters: [Register] = [
    .conductanceOff, .receiverConfiguration, .conductanceOn, .conductanceWithoutModulation,
    .conductanceWithModulation,
  ]

  // MARK: Opening

  /// Puts a chip that has just been opened into the state that everything here begins from.
  func establish() throws(LibNFC.Failure) {
    try rewriteChecks()
    try device.initializeInitiator()
    // Otherwise a search without a target would never end.
    try device.set(NP_INFINITE_SELECT, false)
    try device.set(NP_TIMEOUT_COM, Self.radioTimeouts[0].asked)
    try bestEffort(Self.maximumRetriesOfExchange)
  }

  /// Puts a chip that has acted as a card into the same state.
  func establishAgain() throws(LibNFC.Failure) {
    try establish()
    radioTimeout = 0
    isSetUpForTypeB = false
    // libnfc's copy of the parameters is not what the chip has.
    isAutomaticRATSKnown = false
    try setAutomaticRATS(true)
  }

  /// Called before the first search for type B: the firmware of a complete reader has its own
  /// settings for its antenna.
  private func establishTypeB() throws(LibNFC.Failure) {
    guard !isTypeBEstablished else { return }
    if device.traits.isBareChip { try bestEffort(Self.typeBTransmitter) }
    isTypeBEstablished = true
  }

  /// Applies a setting that not every chip of the family has.
  private func bestEffort(_ command: [UInt8]) throws(LibNFC.Failure) {
    do {
      _ = try device.chipCommand(command)
    } catch {
      guard !device.traits.isBareChip || error.code == LibNFC.Failure.notSupported else {
        throw error
      }
      device.resynchronize()
    }
  }

  /// Makes the chip generate and check CRC and parity, whatever libnfc's cache says: a flag is
  /// written only if it is to change. Sent with the next command.
  func rewriteChecks() throws(LibNFC.Failure) {
    // To write a part of a register, libnfc reads the rest, and over a bus it does not notice that the answer is lost:
    // it would write what happens to be in memory (1.8.0, `pn53x_writeback_register`).
    if device.traits.reportsSilenceAsAnswer {
      try device.cache(0, in: Register.manualReceive.rawValue)
    }
    try rewrite(NP_HANDLE_CRC)
    try rewrite(NP_HANDLE_PARITY)
    try device.set(NP_ACCEPT_INVALID_FRAMES, false)
    areChecksKnown = true
  }

  /// Called after a command that has failed between host and chip. libnfc forgets what it was about to write before it
  /// sends it (1.8.0, `pn53x_writeback_register`).
  func doubtChecks() { areChecksKnown = false }

  /// Switches check bytes on. Sent with the next command.
  func switchChecksOn() throws(LibNFC.Failure) {
    guard areChecksKnown else { return try rewriteChecks() }
    try device.set(NP_HANDLE_CRC, true)
    try device.set(NP_HANDLE_PARITY, true)
  }

  // This is not a loop over both: the optimizer of Swift 6.3 fails for one that throws a typed
  // error.
  private func rewrite(_ property: nfc_property) throws(LibNFC.Failure) {
    try device.set(property, false)
    try device.set(property, true)
  }

  /// Sets whether the chip generates and checks the CRC of a type A tag that its search has just
  /// found: TxMode and RxMode are 80h then (logs of real chips), 106 kbit/s and framing of type A,
  /// with the CRC.
  func setTypeAChecks(_ isOn: Bool) throws(LibNFC.Failure) {
    for register in [Register.transmitterMode, .receiverMode] {
      try device.cache(isOn ? Self.checksOn : 0, in: register.rawValue)
    }
  }

  private static let checksOn: UInt8 = 0x80

  /// Sets whether the chip activates a card that supports ISO/IEC 14443-4: a separate command, SetParameters, that
  /// libnfc sends only if it believes that the setting changes. If its answer was lost, the chip may have either, and
  /// libnfc's flag and its copy of the parameters differ: both are changed twice.
  func setAutomaticRATS(_ isOn: Bool) throws(LibNFC.Failure) {
    if !isAutomaticRATSKnown {
      try device.set(NP_AUTO_ISO14443_4, isOn)
      try device.set(NP_AUTO_ISO14443_4, !isOn)
    }
    isAutomaticRATSKnown = false
    try device.set(NP_AUTO_ISO14443_4, isOn)
    isAutomaticRATSKnown = true
  }

  // MARK: The radio's time-out

  /// RFConfiguration, item 2: the time that the chip waits for a tag below ISO/IEC 14443-4, in
  /// milliseconds, and the value that makes libnfc set it (`pn53x_int_to_timeout`). The first is
  /// the one at power-up.
  private static let radioTimeouts: [(milliseconds: Int32, asked: Int32)] = [
    (51, 52), (102, 103), (204, 206), (409, 411), (819, 821), (1638, 1641), (3276, 3281),
  ]

  /// Makes the chip wait for a tag at least as long as a command may take, in steps; not less than
  /// after power-up, so that ordinary commands cost nothing. The setting remains until the next
  /// search, so that commands of different lengths do not each require a command to the reader.
  ///
  /// - Returns: how long it waits now, in milliseconds.
  func allow(_ milliseconds: Int32) throws(LibNFC.Failure) -> Int32 {
    let wanted = Self.radioTimeouts.lastIndex { $0.milliseconds <= milliseconds } ?? 0
    if let radioTimeout, wanted <= radioTimeout {
      return Self.radioTimeouts[radioTimeout].milliseconds
    }
    try setRadioTimeout(wanted)
    return Self.radioTimeouts[wanted].milliseconds
  }

  /// A search does not wait for longer than after power-up.
  private func shortenRadioTimeout() throws(LibNFC.Failure) {
    if radioTimeout != 0 { try setRadioTimeout(0) }
  }

  private func setRadioTimeout(_ index: Int) throws(LibNFC.Failure) {
    // If the answer is lost, the chip may have either.
    radioTimeout = nil
    try device.set(NP_TIMEOUT_COM, Self.radioTimeouts[index].asked)
    radioTimeout = index
  }

  // MARK: Searches

  /// Prepares a search by the chip itself, InListPassiveTarget, which loads the transmitter
  /// settings and does not change parity and `RxNoErr`.
  func prepareForSearch(_ type: nfc_modulation_type) throws(LibNFC.Failure) {
    try shortenRadioTimeout()
    // libnfc has the chip look for type B before it looks for B' by hand.
    if type == NMT_ISO14443B || type == NMT_ISO14443BI { try establishTypeB() }
    if isSetUpForICLASS {
      try rewriteChecks()
      isSetUpForICLASS = false
    }
    isSetUpForTypeB = false
  }

  /// Before a search by hand in type A's modulation, for NFC Barcode.
  func prepareForTypeA() throws(LibNFC.Failure) {
    try shortenRadioTimeout()
    try leaveICLASS()
    try device.set(NP_FORCE_ISO14443_A, true)
    try device.set(NP_FORCE_SPEED_106, true)
    isSetUpForTypeB = false
  }

  /// Before a search by hand in type B's modulation, for B', SRx, CTx and iCLASS.
  func prepareForTypeB() throws(LibNFC.Failure) {
    try shortenRadioTimeout()
    try establishTypeB()
    try leaveICLASS()
    // The search of another technology may have switched checks off without a trace in libnfc's flags.
    try rewriteChecks()
    guard !isSetUpForTypeB else { return }
    try bestEffort(
      [Self.writeRegister] + Register.transmitterAuto.bytes + [Self.transmitterOfTypeB])
    isSetUpForTypeB = true
  }

  /// Saves what the search for iCLASS is about to overwrite.
  func prepareForICLASS() throws(LibNFC.Failure) {
    try prepareForTypeB()
    if analogue == nil {
      let command = [Self.readRegister] + Self.analogueRegisters.flatMap(\.bytes)
      // A PN533 puts a status byte before the values.
      analogue = try? Array(device.chipCommand(command).suffix(Self.analogueRegisters.count))
    }
    isSetUpForICLASS = true
  }

  private func leaveICLASS() throws(LibNFC.Failure) {
    guard isSetUpForICLASS else { return }
    try rewriteChecks()
    if let analogue, analogue.count == Self.analogueRegisters.count {
      try bestEffort(
        [Self.writeRegister]
          + zip(Self.analogueRegisters, analogue).flatMap { $0.bytes + [$1] })
    }
    isSetUpForICLASS = false
  }
}
