extension ISO7816Tag {
  /// Sends a command of this package, not of its user: one exchange, and one more if it changes nothing on the card and
  /// was lost between host and reader.
  package func ask(_ command: APDU) async throws -> ResponseAPDU {
    guard let card = self as? NativeISO7816Tag else { return try await sendCommand(command) }
    return try await card.handle.performCommand { try ISO7816Exchange.ask(command, $0) }
  }
}
