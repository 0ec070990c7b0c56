import Testing

@testable import SwiftNFCCore

/// Which errors of a change say that the tag may have changed.
@Suite struct ChangeInDoubtTests {
  /// What became of a command that changes the tag.
  enum Change: Sendable {
    case made, refused, lost, answeredWithRefusal, takenBack

    func answer() throws -> Change {
      switch self {
      case .made, .answeredWithRefusal, .takenBack: return self
      case .refused: throw NFCError(.tagRefused, "")
      case .lost: throw NFCError(.tagResponseError, "")
      }
    }
  }

  @Test(
    arguments: [
      (.tagResponseError, [], false), (.tagResponseError, [.lost], true),
      (.tagConnectionLost, [.made], true), (.tagConnectionLost, [.refused], true),
      // A refusal of the first change leaves everything as it was, one of a later change does not.
      (.tagRefused, [], false), (.tagRefused, [.refused], false),
      (.tagRefused, [.answeredWithRefusal], false), (.tagRefused, [.made, .refused], true),
      (.notAuthenticated, [.refused, .refused], false), (.malformedContent, [.refused], false),
      // Something else fails after a change.
      (.notAuthenticated, [.made], true), (.malformedContent, [.made], true),
      (.tagRefused, [.lost], true),
      (.readOnly, [.made, .refused], true), (.unsupported, [.made], true),
      // It was taken back.
      (.readOnly, [.made, .refused, .takenBack], false),
      (.unsupported, [.made, .takenBack], false),
      (.tagConnectionLost, [.lost, .takenBack], false),
      (.tagRefused, [.made, .takenBack, .made], true),
    ] as [(NFCError.Code, [Change], Bool)])
  func saysWhatMayHaveChanged(_ code: NFCError.Code, _ changes: [Change], _ isInDoubt: Bool) {
    let driver = SilentDriver()
    let link = TagLink(
      driver: driver, target: .iso15693(ISO15693Target(uid: [])), operation: Reader.Operation())
    let error = #expect(throws: NFCError.self) {
      try link.inDoubtOfChange("look") {
        for change in changes {
          guard change != .takenBack else {
            link.changesWereTakenBack()
            continue
          }
          _ = try? link.changing(isRefusal: { $0 == Change.answeredWithRefusal }) {
            try change.answer()
          }
        }
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
