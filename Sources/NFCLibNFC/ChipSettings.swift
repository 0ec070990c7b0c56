import CSwiftNFCLibNFC

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
  private var radioTimeout: Int?
  /// Whether the chip repeats no exchange by itself, as far as is known.
  private var isExchangeEstablished = false
  /// The number of attempts that the chip makes in a search; `nil` if it is not known.
  private var attempts: Attempts?
  /// The kinds of searches that were made since the reader was opened.
  private var searched = Set<UInt32>()
  /// Whether the chip refuses to write several registers with one command.
  private var writesOneByOne = false
  private var refusedWrites = 0
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
  /// Whether frames for phones are sent after unanswered searches, each of which then makes one attempt.
  var isBroadcasting = false

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
  /// RFConfiguration, item 1, without its value: the carrier.
  private static let carrier: [UInt8] = [rfConfiguration, 0x01]

  /// RFConfiguration, item 5: how often a search is made, MxRtyPassiveActivation, one less than the attempts.
  private enum Attempts: UInt8 {
    /// For the first look into the field, whose answer is waited for.
    case one = 0x00
    /// A tag may take the first request for an error.
    case two = 0x01
    /// As `NP_INFINITE_SELECT` false has it. A comment in libnfc warns of fewer with a PN531.
    case three = 0x02

    /// With endless attempts for ATR_REQ, which is never sent, off, and one for PSL_REQ, as libnfc has them.
    var command: [UInt8] { [rfConfiguration, 0x05, 0x00, 0x01, rawValue] }
  }

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
    case timerReloadHigh = 0x631C
    case timerReloadLow = 0x631D
    case bitFraming = 0x633D

    var bytes: [UInt8] {
      [UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]
    }
  }

  /// TxAuto with both drivers switched on by the chip and without `Force100ASK`, which type A needs
  /// and which does not work for type B; libnfc's own value before its search for SRx.
  private static let transmitterOfTypeB: UInt8 = 0x07
  /// TxAuto with `Force100ASK`, as InListPassiveTarget sets it for type A (logs of real chips).
  private static let transmitterOfTypeA: UInt8 = 0x43
  /// TxMode and RxMode: 106 kbit/s and the framing of type B, with the CRC.
  private static let typeBMode: UInt8 = 0x83
  private static let parityDisable: UInt8 = 0x10
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
    attempts = .three
    try use(.one)
    try establishExchanges()
  }

  /// Puts a chip that has acted as a card into the same state.
  func establishAgain() throws(LibNFC.Failure) {
    doubtSettings()
    try establish()
    // libnfc's copy of the parameters is not what the chip has.
    isAutomaticRATSKnown = false
    try setAutomaticRATS(true)
  }

  /// Makes the chip repeat no exchange by itself: a command that counts would count twice.
  private func establishExchanges() throws(LibNFC.Failure) {
    guard !isExchangeEstablished else { return }
    try bestEffort(Self.maximumRetriesOfExchange)
    isExchangeEstablished = true
  }

  /// Puts back what other programs expect to find: the time-out and the attempts at power-up, or libnfc's.
  func restore() throws(LibNFC.Failure) {
    if isSetUpForICLASS { try leaveICLASS() }
    if radioTimeout == 0 { try setRadioTimeout(Self.timeoutAtPowerUp) }
    try use(.three)
  }

  private func use(_ wanted: Attempts) throws(LibNFC.Failure) {
    guard attempts != wanted, !isPN531 else { return }
    // If the answer is lost, the chip may have either.
    attempts = nil
    try bestEffort(wanted.command)
    attempts = wanted
  }

  private lazy var isPN531 = device.firmware?.hasPrefix("PN531 ") ?? false

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
    try rewrite(NP_HANDLE_CRC)
    try rewrite(NP_HANDLE_PARITY)
    try device.set(NP_ACCEPT_INVALID_FRAMES, false)
    // To write a part of a register, libnfc first reads the rest with a separate command; over a bus it does not notice
    // that the answer is lost, and would write what happens to be in memory (1.8.0, `pn53x_writeback_register`).
    try setTypeAChecks(true)
    try device.cache(0, in: Register.manualReceive.rawValue)
    areChecksKnown = true
  }

  /// Called after a command that has failed between host and chip. libnfc forgets what it was about to write before it
  /// sends it (1.8.0, `pn53x_writeback_register`).
  func doubtChecks() {
    areChecksKnown = false
    isSetUpForTypeB = false
  }

  /// Called after a search that has failed between host and chip: the chip may have lost its settings.
  func doubtSettings() {
    doubtChecks()
    radioTimeout = nil
    attempts = nil
    isExchangeEstablished = false
    isTypeBEstablished = false
  }

  /// Switches check bytes on. Sent with the next command.
  ///
  /// - Parameter areOff: whether the last command was sent without them.
  func switchChecksOn(areOff: Bool) throws(LibNFC.Failure) {
    guard areChecksKnown else { return try rewriteChecks() }
    try device.set(NP_HANDLE_CRC, true)
    try device.set(NP_HANDLE_PARITY, true)
    if areOff { try setTypeAChecks(true) }
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
  /// milliseconds, and the value that makes libnfc set it (`pn53x_int_to_timeout`, which rounds down).
  ///
  /// The first is for searches by hand: the slowest answer to one is REPGEN of a B' card, after up to 7.8 ms (Flipper
  /// Zero firmware, `innovatron_poller_i.h`); that to REQT comes within 4.4 ms (`ask_cts_poller.c`), that to ACTALL
  /// within 1.5 ms (Proxmark3, `iclass.h`), that to INITIATE within 0.6 ms (`st25tb.h`).
  private static let radioTimeouts: [(milliseconds: Int32, asked: Int32)] = [
    (12, 13), (51, 52), (102, 103), (204, 206), (409, 411), (819, 821), (1638, 1641),
    (3276, 3281),
  ]
  private static let timeoutAtPowerUp = 1

  /// Makes the chip wait for a tag at least as long as a command may take, in steps; not less than
  /// after power-up. The setting remains until the next search by hand, so that commands of different lengths do not
  /// each require a command to the reader.
  ///
  /// - Returns: how long it waits now, in milliseconds.
  func allow(_ milliseconds: Int32) throws(LibNFC.Failure) -> Int32 {
    let wanted = max(
      Self.timeoutAtPowerUp, Self.radioTimeouts.lastIndex { $0.milliseconds <= milliseconds } ?? 0)
    return try allow(index: wanted)
  }

  private func allow(index wanted: Int) throws(LibNFC.Failure) -> Int32 {
    try establishExchanges()
    if let radioTimeout, wanted <= radioTimeout {
      return Self.radioTimeouts[radioTimeout].milliseconds
    }
    try setRadioTimeout(wanted)
    return Self.radioTimeouts[wanted].milliseconds
  }

  /// Makes the chip wait no longer than for a tag that answers at once: for a question whose expected answer may be
  /// silence.
  ///
  /// - Returns: how long it waits now, in milliseconds.
  func allowQuickAnswer() throws(LibNFC.Failure) -> Int32 {
    try setTimeout(isLong: false)
    return Self.quickAnswer
  }

  /// The time of a quick answer, in milliseconds.
  static let quickAnswer = radioTimeouts[0].milliseconds

  /// Before the protocol of ISO/IEC 14443-4 or the cipher of MIFARE Classic, whose time-outs the chip knows.
  func allowProtocol() throws(LibNFC.Failure) { try establishExchanges() }

  private func setRadioTimeout(_ index: Int) throws(LibNFC.Failure) {
    // If the answer is lost, the chip may have either.
    radioTimeout = nil
    try device.set(NP_TIMEOUT_COM, Self.radioTimeouts[index].asked)
    radioTimeout = index
  }

  // MARK: Searches

  /// Prepares a search by the chip itself, InListPassiveTarget, which loads the transmitter
  /// settings and does not change parity and `RxNoErr`. Its time-outs are its own.
  func prepareForSearch(_ type: nfc_modulation_type) throws(LibNFC.Failure) {
    if isBroadcasting {
      searched.insert(type.rawValue)
      // A phone that hears more requests than frames does not wait for the frame.
      try use(.one)
    } else if !searched.insert(type.rawValue).inserted {
      try use(.two)
    } else if attempts == nil {
      try use(.two)
    }
    if type == NMT_ISO14443B { try establishTypeB() }
    if isSetUpForICLASS { try leaveICLASS() }
    isSetUpForTypeB = false
  }

  /// Prepares a search by hand in type B's modulation, for B', SRx and CTx.
  ///
  /// - Parameter isLong: whether to wait as long as after power-up, for a tag that takes longer than all sources say.
  func prepareForTypeB(isLong: Bool) throws(LibNFC.Failure) {
    try prepareForTypeB()
    try setTimeout(isLong: isLong)
    try enterTypeB()
  }

  private func prepareForTypeB() throws(LibNFC.Failure) {
    try establishTypeB()
    if isSetUpForICLASS { try leaveICLASS() }
    try forgetPendingChecks()
  }

  private func setTimeout(isLong: Bool) throws(LibNFC.Failure) {
    try establishExchanges()
    let wanted = isLong ? Self.timeoutAtPowerUp : 0
    if radioTimeout != wanted { try setRadioTimeout(wanted) }
  }

  /// Sets up the radio for frames of type B.
  func enterTypeB() throws(LibNFC.Failure) {
    guard !isSetUpForTypeB else { return }
    try write([
      (.transmitterMode, Self.typeBMode), (.receiverMode, Self.typeBMode), (.manualReceive, 0),
      (.transmitterAuto, Self.transmitterOfTypeB), (.bitFraming, 0),
    ])
    isSetUpForTypeB = true
  }

  /// Sets up the radio for frames of type A.
  func enterTypeA() throws(LibNFC.Failure) {
    isSetUpForTypeB = false
    try write([
      (.transmitterMode, Self.checksOn), (.receiverMode, Self.checksOn), (.manualReceive, 0),
      (.transmitterAuto, Self.transmitterOfTypeA), (.bitFraming, 0),
    ])
  }

  /// Sets up the radio for a polling frame, whose check bytes the host has added: no answer comes, and nothing is waited
  /// for long.
  ///
  /// The registers are written each time: an unanswered search of type A leaves the chip with seven bits in the last byte
  /// and without check bytes, of which libnfc knows nothing (kormax, apple-enhanced-contactless-polling, examples; libnfc
  /// 1.8.0, `pn53x_set_tx_bits`). The next search sets all of them again.
  func prepareForPollingFrame(isTypeB: Bool) throws(LibNFC.Failure) {
    try setTimeout(isLong: false)
    isSetUpForTypeB = false
    let mode = isTypeB ? Self.typeBMode & ~Self.checksOn : 0
    try write([(.bitFraming, 0), (.transmitterMode, mode), (.receiverMode, mode)])
  }

  /// Makes libnfc write nothing of its own before the commands that follow: its flags say that checks are on, which
  /// they are after what those write.
  private func forgetPendingChecks() throws(LibNFC.Failure) {
    try switchChecksOn(areOff: false)
  }

  /// Sets up the radio to listen for an NFC Barcode, with the carrier off: the tag begins with it.
  func enterBarcode() throws(LibNFC.Failure) {
    if isSetUpForICLASS { try leaveICLASS() }
    try forgetPendingChecks()
    try setTimeout(isLong: false)
    isSetUpForTypeB = false
    _ = try device.chipCommand(Self.carrier + [0x00])
    try write([
      (.transmitterMode, 0), (.receiverMode, 0), (.manualReceive, Self.parityDisable),
    ])
  }

  func leaveBarcode() throws(LibNFC.Failure) {
    try write([
      (.transmitterMode, Self.checksOn), (.receiverMode, Self.checksOn), (.manualReceive, 0),
    ])
  }

  /// Sets up the radio for iCLASS, with the values of libnfc (`pn53x_initiator_init_iclass_modulation`).
  func enterICLASS(isLong: Bool) throws(LibNFC.Failure) {
    try prepareForTypeB()
    try setTimeout(isLong: isLong)
    if analogue == nil {
      let command = [Self.readRegister] + Self.analogueRegisters.flatMap(\.bytes)
      // A PN533 puts a status byte before the values.
      analogue = try? Array(device.chipCommand(command).suffix(Self.analogueRegisters.count))
    }
    isSetUpForICLASS = true
    isSetUpForTypeB = false
    try write([
      (.transmitterMode, 0x03), (.receiverMode, 0x0B), (.manualReceive, Self.parityDisable),
      (.transmitterAuto, Self.transmitterOfTypeB), (.receiverConfiguration, 0x70),
      (.conductanceOff, 0x88), (.conductanceOn, 0xF8), (.conductanceWithoutModulation, 0x3F),
      (.conductanceWithModulation, 0x10), (.timerReloadHigh, 0x69), (.timerReloadLow, 0xF0),
      (.bitFraming, 0),
    ])
  }

  /// Switches check bytes and parity on for a card that the search for iCLASS has found.
  func talkToICLASS() throws(LibNFC.Failure) {
    try write([
      (.transmitterMode, Self.typeBMode), (.receiverMode, Self.typeBMode), (.manualReceive, 0),
    ])
  }

  func leaveICLASS() throws(LibNFC.Failure) {
    var values: [(Register, UInt8)] = [
      (.transmitterMode, Self.checksOn), (.receiverMode, Self.checksOn), (.manualReceive, 0),
    ]
    if let analogue, analogue.count == Self.analogueRegisters.count {
      values += zip(Self.analogueRegisters, analogue).map { ($0, $1) }
    }
    try write(values)
    isSetUpForICLASS = false
  }

  /// Writes registers with one command; one by one on a chip that refuses this.
  private func write(_ values: [(Register, UInt8)]) throws(LibNFC.Failure) {
    guard !writesOneByOne else {
      for (register, value) in values {
        _ = try device.chipCommand([Self.writeRegister] + register.bytes + [value])
      }
      return
    }
    do {
      _ = try device.chipCommand([Self.writeRegister] + values.flatMap { $0.0.bytes + [$0.1] })
      refusedWrites = 0
    } catch {
      // A refusal looks like a frame that is broken on the line, which does not break twice in a row.
      if error.code != LibNFC.Failure.aborted { refusedWrites += 1 }
      writesOneByOne = refusedWrites > 1
      throw error
    }
  }
}
