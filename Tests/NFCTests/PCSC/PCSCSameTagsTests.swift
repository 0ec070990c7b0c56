import NFC
import TestSupport
import Testing
import VirtualNFC

/// Each virtual chip on a PC/SC reader and through the real libnfc.
@Suite(.replayed) struct PCSCSameTagsTests {
  /// What a program sees of a tag, as far as a PC/SC reader can report it.
  private struct Sight: Hashable {
    var kind: String
    var identifier: [UInt8]
    var technology: TagTechnology
    var family: MiFareFamily?
    var historicalBytes: [UInt8]?
    var applicationData: [UInt8]?
    var systemCode: [UInt8]?
    var product: String?
    var isNDEF: Bool

    init(_ tag: DetectedTag) async throws {
      try await tag.connect()
      identifier = tag.identifier
      technology = tag.technology
      isNDEF = tag.ndef != nil
      switch tag {
      case .miFare(let tag):
        kind = "miFare"
        family = tag.family
        historicalBytes = tag.historicalBytes
        product = try await tag.product()?.name
      case .iso7816(let tag):
        kind = "iso7816"
        historicalBytes = tag.historicalBytes
        applicationData = tag.applicationData
        product = try await tag.product()?.name
      case .feliCa(let tag):
        kind = "feliCa"
        systemCode = tag.systemCode
        product = try await tag.product()?.name
      case .iso15693: kind = "iso15693"
      case .other: kind = "other"
      }
    }

    /// Without a number that changes at each power-on.
    var stable: Sight {
      var sight = self
      let isRandom = technology == .iso14443b || identifier.count == 4 && identifier[0] == 0x08
      if isRandom { sight.identifier = [] }
      return sight
    }
  }

  private static let technologies: Set<RadioFrame.Modulation> = [.typeA, .typeB, .feliCa]

  /// Kinds that PC/SC has no name for, and that ACR1552U and ACR122U do not look for.
  private static let unknown: Set<TagTechnology> = [
    .jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iClass,
  ]

  @Test(arguments: [VirtualPCSCReader.Dialect.transparentSession, .directTransmit])
  func areTheSameAsOverLibnfc(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let native = try await Bench()
    for name in VirtualTag.names {
      let tag = try VirtualTag.named(name)
      guard Self.technologies.contains(tag.modulation) else { continue }
      native.field.removeAll()
      native.field.place(tag)
      let found = try #require(try await native.reader.tagsInField().first, "\(name)")
      let expected = try await Sight(found).stable
      native.field.removeAll()

      let bench = try await PCSCBench(tag, dialect: dialect)
      let tags = try await bench.reader.tagsInField()
      guard !Self.unknown.contains(expected.technology) else {
        #expect(tags.isEmpty, "\(name)")
        continue
      }
      let same = try #require(tags.first, "\(name)")
      do {
        #expect(try await Sight(same).stable == expected, "\(name)")
      } catch {
        Issue.record(error, "\(name)")
      }
    }
  }
}
