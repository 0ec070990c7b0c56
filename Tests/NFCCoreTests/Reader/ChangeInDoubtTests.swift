import Testing

@testable import NFCCore

/// Which errors of a change say that the tag may have changed.
@Suite struct ChangeInDoubtTests {
  @Test(
    arguments: [
      (.tagResponseError, 0, false), (.tagResponseError, 1, true), (.tagConnectionLost, 2, true),
      // A refusal of the first change leaves everything as it was, one of a later change does not.
      (.tagRefused, 0, false), (.tagRefused, 1, false), (.tagRefused, 2, true),
      (.notAuthenticated, 2, true), (.malformedContent, 1, false), (.malformedContent, 2, true),
      // It was taken back.
      (.readOnly, 2, false), (.unsupported, 2, false),
    ] as [(NFCError.Code, Int, Bool)])
  func saysWhatMayHaveChanged(_ code: NFCError.Code, _ changes: Int, _ isInDoubt: Bool) {
    let driver = SilentDriver()
    let link = TagLink(
      driver: driver, target: .iso15693(ISO15693Target(uid: [])), operation: Reader.Operation())
    let error = #expect(throws: NFCError.self) {
      try link.inDoubtOfChange("look") {
        for _ in 0..<changes { link.willChange() }
        throw NFCError(code, "")
      }
    }
    #expect(error?.recovery == (isInDoubt ? "look" : nil))
  }
}

/// A driver that nobody calls.
private final class SilentDriver: ReaderDriver {
  let name = "silent"
  let connectionString = "silent"
  let capabilities = ReaderCapabilities(
    technologies: [], bitRates: [:], maximumCommandLength: 0, maximumResponseLength: 0)
  let abort: @Sendable () -> Void = {}

  func begin() {}
  func end() {}
  func resetField() {}
  func list(_ technology: TagTechnology) -> [Target] { [] }
  func select(_ target: Target) {}
  func close() {}
  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) -> [UInt8] { [] }
  func authenticate(block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]) {}
}
