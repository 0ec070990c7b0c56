import NFC

/// Runs `body` with each secret that a tag may have, until the tag accepts one.
func trying<Secret>(
  _ secrets: [Secret], _ body: (Secret) async throws -> Void
) async throws {
  for secret in secrets.dropLast() {
    do {
      return try await body(secret)
    } catch let error as NFCError where error.group == .refusal && error.recovery == nil {
      // The tag has another one.
    }
  }
  if let last = secrets.last { try await body(last) }
}
