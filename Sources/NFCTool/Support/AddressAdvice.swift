import NFC

/// What to write in place of a text that is not a reader's connection string.
enum AddressAdvice {
  /// The kinds of devices to which a PN532 can be connected, by the beginnings of their files' names.
  private static let devices = [
    "/dev/tty": "pn532_uart", "/dev/serial/": "pn532_uart", "/dev/pts/": "pn532_uart",
    "/dev/i2c-": "pn532_i2c", "/dev/spidev": "pn532_spi",
  ]

  /// The interface that a PN532 board has as delivered, or that beginners choose.
  private static let usualScheme = "pn532_uart"

  /// Returns the advice; `nil` for a text with a scheme that there is, and for one that resembles nothing.
  static func advice(for text: String) -> String? {
    let schemes = ReaderSources.all.flatMap(\.schemes)
    for path in [text, "/dev/" + text] {
      guard let device = devices.first(where: { path.hasPrefix($0.key) }) else { continue }
      return "for a PN532 there write --reader \("\(device.value):\(path)".shellWord)"
    }
    let scheme = String(text.prefix { $0 != ":" })
    guard !schemes.contains(scheme) else { return nil }
    if usualScheme.hasPrefix(scheme.lowercased()), scheme.count >= "pn532".count {
      let port = text.dropFirst(scheme.count + 1)
      let address = "\(usualScheme):\(port.isEmpty ? "/dev/ttyUSB0" : port)"
      return "for a PN532 on a serial line write --reader \(address.shellWord)"
    }
    guard let nearest = Spelling.intended(scheme, among: schemes) else { return nil }
    return "did you mean --reader \((nearest + text.dropFirst(scheme.count)).shellWord)?"
  }
}
