import NFC

/// What to write in place of a text that is not a reader's address.
enum AddressAdvice {
  /// The kinds of devices to which a PN532 can be connected, by the beginnings of their files' names.
  private static let devices = [
    "/dev/tty": "pn532_uart", "/dev/serial/": "pn532_uart", "/dev/pts/": "pn532_uart",
    "/dev/i2c-": "pn532_i2c", "/dev/spidev": "pn532_spi",
  ]

  /// Returns the advice; `nil` for a text with a scheme that there is, and for one that resembles nothing.
  static func advice(for text: String) -> String? {
    let schemes = ReaderSources.all.flatMap(\.schemes)
    if let device = devices.first(where: { text.hasPrefix($0.key) }) {
      return "for a PN532 there write --reader \("\(device.value):\(text)".shellWord)"
    }
    let scheme = String(text.prefix { $0 != ":" })
    guard !schemes.contains(scheme),
      let nearest = Spelling.intended(scheme, among: schemes)
    else { return nil }
    return "did you mean --reader \((nearest + text.dropFirst(scheme.count)).shellWord)?"
  }
}
