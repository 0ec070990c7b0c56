import NFC

extension DetectedTag {
  /// Returns the chip's answer, or `nil` if the chip does not have the data or requires a password for it. A
  /// chip that does not support a command may not answer at all, and then has to be woken.
  package func answer<Result>(_ ask: () async throws -> Result) async throws -> Result? {
    do {
      return try await ask()
    } catch let error as NFCError where error.group == .refusal || error.code == .unsupported {
      return nil
    } catch let error as NFCError where error.cause == .noAnswer {
      try await connect()
      return nil
    }
  }
}
