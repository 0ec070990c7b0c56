import NFC
import SecureTags
import Testing
import VirtualNFC

/// Tests that each type of this module is created from the value that polling returns.
@Suite struct DetectedTagTests {
  /// The types, each with a tag that it is for and the way to create it.
  enum Kind: String, CaseIterable {
    case desfire, ntag424, plus, plusLevelOne, ultralightAES, icode, st25, st25ta

    var tag: VirtualTag {
      switch self {
      case .desfire: .desfire()
      case .ntag424: .ntag424()
      case .plus: .miFarePlus()
      case .plusLevelOne: .classic1K()
      case .ultralightAES: .ultralightAES()
      case .icode: .icodeSLIX2()
      case .st25: .st25dv()
      case .st25ta: .st25ta()
      }
    }

    /// Returns the identifier of the tag that the type was created with.
    func identifier(_ tag: DetectedTag) async throws -> [UInt8] {
      switch self {
      case .desfire, .ntag424: try await DESFireCard(tag).tag.identifier
      case .plus: try MIFAREPlusCard(tag).tag.identifier
      case .plusLevelOne: try MIFAREPlusLevelOneCard(tag).tag.identifier
      case .ultralightAES: try await UltralightAESTag(tag).tag.identifier
      case .icode: try await ICODETag(tag).tag.identifier
      case .st25: try await ST25Tag(tag).tag.identifier
      case .st25ta: try await ST25TATag(tag).tag.identifier
      }
    }

    /// Whether the type is for another one's tag, too: an NTAG 424 DNA is used as a DESFire card.
    func accepts(_ other: Kind) -> Bool {
      self == other || [self, other].allSatisfy { [.desfire, .ntag424].contains($0) }
    }
  }

  @Test(arguments: Kind.allCases, Kind.allCases)
  func isCreatedFromTheTagThatWasFound(_ kind: Kind, _ placed: Kind) async throws {
    let field = VirtualField()
    let virtual = placed.tag
    field.place(virtual)
    let reader = try await DirectReader(field).open()
    let tag = try await reader.firstTag(within: .seconds(1))
    if kind.accepts(placed) {
      #expect(try await kind.identifier(tag) == virtual.identifier)
    } else {
      let error = await #expect(throws: NFCError.self) { try await kind.identifier(tag) }
      #expect(error?.code == .wrongTag)
    }
    await reader.close()
  }
}
