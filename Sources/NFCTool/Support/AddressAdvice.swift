import NFC

/// What to write in place of a text that is not a reader's connection string.
enum AddressAdvice {
  /// The kinds of devices to which a PN532 can be connected, by the beginnings of their files' names.
  private static let devices = [
    "/dev/tty": "pn532_uart", "/dev/serial": "pn532_uart", "/dev/pts/": "pn532_uart",
    "/dev/i2c-": "pn532_i2c", "/dev/spidev": "pn532_spi",
  ]

  /// An address for each kind of reader that is not found automatically.
  private static let examples = [
    "pn532_uart": "/dev/ttyUSB0", "arygon": "/dev/ttyUSB0", "ACR122S": "/dev/ttyUSB0",
    "pn532_i2c": "/dev/i2c-1", "pn532_spi": "/dev/spidev0.0",
  ]

  /// The kinds of readers that are found automatically.
  private static let onUSB = ["acr122_usb", "pn53x_usb", "usb"]

  private static func withoutAddress(_ origin: Origin) -> String {
    "\(origin.leavingOut), because readers on USB are found automatically; nfc readers shows their "
      + "connection strings"
  }

  /// The place that a reader is named in.
  enum Origin {
    case option
    /// `NFC_READER`.
    case variable

    /// Returns the origin of a command's only address.
    init(isOption: Bool) { self = isOption ? .option : .variable }

    fileprivate func naming(_ address: String) -> String {
      (self == .option ? "--reader " : "NFC_READER=") + address.shellWord
    }

    fileprivate func writing(_ address: String) -> String {
      (self == .option ? "write " : "set ") + naming(address)
    }

    fileprivate var leavingOut: String {
      self == .option ? "leave out --reader" : "unset NFC_READER"
    }
  }

  /// The interface that a PN532 board has as delivered, or that beginners choose.
  private static let usualScheme = "pn532_uart"

  /// Returns the advice; `nil` for a complete address, and for a text that resembles nothing.
  static func advice(for text: String, in origin: Origin = .option) -> String? {
    if let foreign = ofNFCpy(text, origin) { return foreign }
    let schemes = ReaderSources.all.flatMap(\.schemes)
    // pcsc_scan prints the number of each reader before its name.
    let listed = text.hasPrefix("Reader ") ? text.dropFirst("Reader ".count) : text[...]
    let number = listed.prefix { $0.isASCII && $0.isNumber }
    if !number.isEmpty, listed.dropFirst(number.count).hasPrefix(": ") {
      return "for a PC/SC reader "
        + origin.writing("pcsc:\(listed.dropFirst(number.count + ": ".count))")
    }
    let scheme = String(text.prefix { $0 != ":" })
    let address = String(text.dropFirst(scheme.count + 1))
    if let own = onDevice(text, scheme, address, origin) { return own.isEmpty ? nil : own }
    if !schemes.contains(scheme), address.isEmpty, scheme.contains(" ") {
      return "for a PC/SC reader \(origin.writing("pcsc:\(scheme)"))"
    }
    if text.hasPrefix("/dev/bus/usb/") { return withoutAddress(origin) }
    guard let intended = intended(scheme, among: schemes) else { return nil }
    if address.isEmpty, onUSB.contains(intended) { return withoutAddress(origin) }
    if address.isEmpty, let example = examples[intended] {
      let writing = origin.writing("\(intended):\(example)")
      return intended == usualScheme
        ? "for a PN532 on a serial line \(writing)" : "for instance, \(writing)"
    }
    guard intended != scheme else { return nil }
    return "did you mean \(origin.naming(intended + text.dropFirst(scheme.count)))?"
  }

  /// The schemes for the drivers that nfcpy names after a serial port.
  private static let driversOfNFCpy = ["pn532": "pn532_uart", "arygon": "arygon"]

  /// Returns the advice for a reader's name in the form of nfcpy: `usb`, `usb:072f:2200`, `tty:USB0:pn532`, `com:COM3`
  /// or `udp` (nfcpy, "Contactless frontend", `open(path)`); `nil` for any other text.
  private static func ofNFCpy(_ text: String, _ origin: Origin) -> String? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let first = parts.dropFirst().first ?? ""
    switch parts.first?.lowercased() {
    // A bus and a device in three digits are also those of libnfc.
    case "usb" where parts.count < 2 || first.count == 4: return withoutAddress(origin)
    case "tty" where !first.contains("/"):
      let driver = parts.dropFirst(2).first?.lowercased() ?? ""
      let scheme = driversOfNFCpy[driver] ?? usualScheme
      return first.isEmpty
        ? "for a PN532 on a serial line \(origin.writing("\(scheme):/dev/ttyUSB0"))"
        : origin.writing("\(scheme):/dev/tty\(first)")
    case let port? where port.contains(/^com[0-9]*$/):
      let port = port == "com" && !first.isEmpty ? first : parts[0].uppercased()
      return "\(port) is a port of Windows; for a PN532 on a serial line "
        + origin.writing("\(usualScheme):/dev/ttyUSB0")
    case "udp": return "nfc virtual makes a reader that other programs can open; nfcpy's is not one"
    default: return nil
    }
  }

  /// Returns the advice for a text that has a device's file in it; `nil` for any other text, and nothing if the
  /// address is complete.
  private static func onDevice(
    _ text: String, _ scheme: String, _ address: String, _ origin: Origin
  ) -> String? {
    let path = text.firstRange(of: "/dev/").map { String(text[$0.lowerBound...]) }
    let paths = [path, "/dev/" + address, "/dev/" + text].compactMap(\.self)
    let scheme = examples.keys.first { $0.lowercased() == scheme.lowercased() } ?? scheme
    for path in paths {
      let device = devices.first { path.hasPrefix($0.key) && path.count > $0.key.count }
      guard let fitting = device?.value else { continue }
      // Readers other than a PN532 can be on a serial port, too.
      let fits = examples[scheme].map { $0 == examples[fitting] } ?? false
      if fits, text == "\(scheme):\(path)" { return "" }
      guard !["pcsc", "isolated"].contains(scheme) else { return nil }
      return (fits ? "" : "for a PN532 there ")
        + origin.writing("\(fits ? scheme : fitting):\(path)")
    }
    return nil
  }

  /// Returns the scheme that a word stands for, which may be the name of an interface or of a chip.
  private static func intended(_ word: String, among schemes: [String]) -> String? {
    let folded = word.lowercased()
    if schemes.contains(word) { return word }
    if usualScheme.hasPrefix(folded), folded.count >= "pn532".count { return usualScheme }
    return schemes.first { folded.count > 2 && $0.hasSuffix("_" + folded) }
      ?? Spelling.intended(word, among: schemes)
  }
}
