import SwiftNFCCore

/// The limits of one of libnfc's drivers.
///
/// Every limit and every time-out of this module comes from here. The source of a row is the
/// driver's file in libnfc 1.8.0, `libnfc/drivers`. libnfc's own PC/SC drivers are not supported:
/// they ignore time-outs, and PC/SC readers have a separate driver in this package.
struct DriverTraits: Sendable {
  /// The part after the driver's name in a connection string.
  enum Address: Sendable {
    /// Bus and number of a USB device.
    case usb
    case serialPort
    /// An I²C or SPI bus.
    case node
  }

  /// What `nfc_abort_command` does.
  enum Abort: Sendable {
    /// It wakes the wait for an answer by closing a pipe. If it comes too late, it has no effect.
    case pipe
    /// It sets a flag that is checked occasionally: by the next command, if the call has ended
    /// meanwhile.
    case flag
    /// It closes the descriptor of the wait, which Linux does not notice, so it has no effect.
    case none
  }

  /// libnfc's name of the driver.
  let name: String
  let address: Address
  /// The longest command to a tag, which `nfc_initiator_transceive_bytes` sends with up to two bytes before it.
  var maximumCommandLength = LibNFC.maximumCommandLength
  /// The maximum length of a tag's answer.
  var maximumResponseLength = LibNFC.maximumResponseLength
  let abort: Abort
  /// The time that the driver subtracts from a time-out before it first looks for an answer, in
  /// milliseconds.
  var timeoutLoss: Int32 = 0
  /// Whether a reader may answer nothing at all if no tag has answered its chip. libnfc treats this as a time-out if it
  /// knows of it (its pull request 678, and Debian's package of 1.8.0), or else as a broken message.
  ///
  /// Logs of an ACR122U show this for InDataExchange (nfc-tools/libnfc issue 263), and for InListPassiveTarget (issues
  /// 570 and 646).
  var mayAnswerNothing = false
  /// Whether the driver reports 0 bytes, and no error, for an answer that it has not fetched.
  var reportsSilenceAsAnswer = false
  /// The way to discard unfetched frames of a bus.
  var busInput: BusInput?
  /// Whether there is nothing but a PN532 at the other end, so that no firmware of a reader has
  /// configured the chip.
  var isBareChip = false
  /// Whether its reader can act as a card; `nil` if only opening it shows that. A PN532 can.
  var emulation: ExaminedReader.Emulation?
  /// Why it may open no reader at all.
  var defect: String?
  /// Whether it calls abort() for an answer that is longer than ``maximumResponseLength``.
  var abortsOnLongAnswer = false
  /// Whether the process ends if the descriptors of the device are broken: ``USBDescriptors``.
  var followsDescriptors = false

  /// `USB_TIMEOUT_PER_PASS` of both USB drivers.
  private static let usbPass: Int32 = 200

  static let all = [
    // `tama_payload` has 254 bytes, two of them libnfc's. The receive buffer has 255 bytes after the CCID
    // header: D5, code, status and the status word take five.
    DriverTraits(
      name: "acr122_usb", address: .usb, maximumCommandLength: 252, maximumResponseLength: 250,
      abort: .flag, timeoutLoss: usbPass, mayAnswerNothing: true, emulation: .experimental,
      followsDescriptors: true),
    // `PN53X_USB_BUFFER_LEN` holds an extended frame.
    DriverTraits(
      name: "pn53x_usb", address: .usb, abort: .flag, timeoutLoss: usbPass,
      emulation: .unsupported),
    // Either of the two before: the stricter limits.
    DriverTraits(
      name: "usb", address: .usb, maximumCommandLength: 252, maximumResponseLength: 250,
      abort: .flag, timeoutLoss: usbPass, mayAnswerNothing: true, followsDescriptors: true),
    DriverTraits(
      name: "pn532_uart", address: .serialPort, abort: .pipe, isBareChip: true,
      emulation: .supported),
    // It sends normal frames only (254 bytes, two of them libnfc's), and calls abort() for an answer in an
    // extended one (255 bytes, three of them D5, code and status).
    DriverTraits(
      name: "arygon", address: .serialPort, maximumCommandLength: 252, maximumResponseLength: 252,
      abort: .pipe, abortsOnLongAnswer: true),
    // `acr122s_build_frame` accepts 255 bytes, including D4; the answer is in one APDU as with
    // `acr122_usb`. It refuses a frame without data, which is what `acr122s_get_firmware_version`
    // requests when it is opened.
    DriverTraits(
      name: "ACR122S", address: .serialPort, maximumCommandLength: 252,
      maximumResponseLength: 250, abort: .none,
      defect:
        "libnfc 1.8.0 cannot open an ACR122S, because it refuses its own request for the reader's version"
    ),
    // `pn532_i2c_receive` reads a whole frame into 264 bytes: preamble 3, extended length 5, D5, code and
    // status 3, checksum and postamble 2.
    // After a time-out and after an abort it returns `last_error`, which is 0.
    DriverTraits(
      name: "pn532_i2c", address: .node, maximumResponseLength: 251, abort: .flag,
      reportsSilenceAsAnswer: true, busInput: BusInput(bus: .i2c), isBareChip: true,
      emulation: .supported),
    // After an abort it returns what `pn532_spi_ack` does, which is 0.
    DriverTraits(
      name: "pn532_spi", address: .node, abort: .flag, reportsSilenceAsAnswer: true,
      busInput: BusInput(bus: .spi), isBareChip: true,
      emulation: .supported),
  ]

  static func named(_ name: String) -> DriverTraits? { all.first { $0.name == name } }

  /// Refuses a command that requests a longer answer than the driver survives.
  func checkAnswerLength(of command: [UInt8], to target: Target?) throws(NFCError) {
    guard abortsOnLongAnswer, let length = AnswerLength.asked(by: command, of: target),
      length > maximumResponseLength
    else { return }
    throw NFCError(
      .unsupported,
      "libnfc ends the program when a tag answers more than \(maximumResponseLength) bytes on a reader of "
        + "\(name), and the command requests \(length); request less, or open the reader with isolated: before its "
        + "connection string", cause: .unsupportedByReader)
  }

  /// Returns whether a command requests a longer answer than the driver can receive.
  func isTooLong(answerTo command: [UInt8], of target: Target?) -> Bool {
    AnswerLength.asked(by: command, of: target).map { $0 > maximumResponseLength } ?? false
  }

  /// The time for which the driver waits at least if it is asked for a time-out of ``timeout(_:)``, in milliseconds.
  func patience(_ milliseconds: Int32) -> Int32 { timeout(milliseconds) - timeoutLoss }

  /// Returns the time-out to ask the driver for, so that it waits for `milliseconds` at least.
  ///
  /// A USB driver whose time-out is used up by its first subtraction never looks for the answer,
  /// which the next command would then treat as its own; so it always gets one complete pass.
  func timeout(_ milliseconds: Int32) -> Int32 {
    let wanted = max(1, milliseconds)
    guard timeoutLoss > 0 else { return wanted }
    return max(2 * timeoutLoss + 1, Int32(clamping: Int64(wanted) + Int64(timeoutLoss)))
  }
}
