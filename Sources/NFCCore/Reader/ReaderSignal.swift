/// What a person who holds a tag to a reader is told by its light and buzzer.
@nonexhaustive
public enum ReaderSignal: String, Hashable, Sendable, CaseIterable {
  /// A green light and a short sound.
  case success
  /// A red light and a longer sound.
  case failure
}

extension Reader {
  /// Shows a signal with the reader's light and buzzer, and returns when it is over, after less than a second.
  ///
  /// Nothing goes over the air, and a tag that is connected stays so. ACS's ACR122U, ACR1252U and ACR1255U have such
  /// signals, through PC/SC, in the commands of their manuals; none was tried on a real reader.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a reader without, and for one whose driver does not pass the commands on;
  ///   ``NFCError/Code/readerUnavailable`` if the reader refuses; ``NFCError/Code/readerLost``.
  public nonisolated func signal(_ signal: ReaderSignal) async throws {
    try await perform { reader, _ in try reader.driver.signal(signal) }
  }
}
