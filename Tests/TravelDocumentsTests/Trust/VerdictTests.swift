import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// Verdicts on signed documents, and never more than was proved.
@Suite struct VerdictTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let object: String
    let trust: [String]
    let data: Verdict.Data
    let issuer: Verdict.Issuer
    var groups: [Int: String] = [1: "dg1", 2: "dg2", 12: "dg12", 14: "dg14", 15: "dg15"]
    var changed: [Int] = []
    var isContradicting = false
    var testDescription: String { "\(object) by \(trust.joined(separator: ", "))" }
  }

  /// Every form of signature that real documents have is verified.
  private static let trusted: [(String, String)] = [
    ("rsa", "rsa"), ("rsa-sha1", "rsa"), ("pss", "pss"), ("pss-sha512", "rsa"),
    ("pss-other-salt", "rsa"), ("ecdsa", "p256"), ("ecdsa-521", "rsa"), ("explicit", "explicit"),
    ("plain", "p256"), ("ski", "rsa"), ("no-attributes", "rsa"), ("ber", "rsa"),
    ("other-digest", "rsa"), ("other-type", "rsa"), ("other-name", "rsa"), ("several", "rsa"),
    ("link", "link"), ("no-authority-key", "rsa"), ("small-country", "rsa"), ("expired-now", "rsa"),
    ("by-issue-date", "rsa"), ("types-p", "rsa"),
  ]

  static let rows =
    trusted.map {
      Row(object: "sod-\($0.0)", trust: ["csca-\($0.1)"], data: .unchanged, issuer: .trusted)
    } + [
      // Authorities under the same name with other keys are no obstacle.
      Row(
        object: "sod-no-authority-key", trust: ["csca-p256", "csca-link", "csca-rsa"],
        data: .unchanged, issuer: .trusted),
      Row(object: "sod-rsa", trust: ["masterlist"], data: .unchanged, issuer: .trusted),
      // A signer's certificate that the user trusts.
      Row(
        object: "sod-no-certificate", trust: ["csca-rsa", "signer-rsa"], data: .unchanged,
        issuer: .trusted),
      Row(object: "sod-no-certificate", trust: ["csca-rsa"], data: .notChecked, issuer: .unknown),
      Row(object: "sod-rsa", trust: [], data: .notChecked, issuer: .notChecked),
      Row(object: "sod-rsa", trust: ["csca-de"], data: .notChecked, issuer: .unknown),
      Row(object: "sod-stranger", trust: ["csca-rsa"], data: .notChecked, issuer: .unknown),
      Row(object: "sod-forged-authority", trust: ["csca-rsa"], data: .notChecked, issuer: .invalid),
      Row(
        object: "sod-wrong", trust: ["csca-rsa"], data: .notChecked, issuer: .invalid,
        isContradicting: true),
      Row(
        object: "sod-wrong", trust: [], data: .notChecked, issuer: .notChecked,
        isContradicting: true),
      Row(
        object: "sod-not-valid-then", trust: ["csca-rsa"], data: .unchanged, issuer: .notValidThen),
      Row(object: "sod-key-period", trust: ["csca-rsa"], data: .unchanged, issuer: .notValidThen),
      Row(object: "sod-extended-usage", trust: ["csca-rsa"], data: .notChecked, issuer: .invalid),
      Row(object: "sod-types-i", trust: ["csca-rsa"], data: .unchanged, issuer: .contradicting),
      Row(object: "sod-germany", trust: ["csca-de"], data: .unchanged, issuer: .contradicting),
      Row(
        object: "sod-two-countries", trust: ["csca-de"], data: .unchanged, issuer: .contradicting),
      Row(
        object: "sod-small", trust: ["csca-rsa"], data: .changed, issuer: .trusted,
        groups: [1: "dg1-changed", 2: "dg2"], changed: [1], isContradicting: true),
      Row(
        object: "sod-small", trust: ["csca-de"], data: .changed, issuer: .unknown,
        groups: [1: "dg1-changed", 2: "dg2"], changed: [1], isContradicting: true),
      Row(
        object: "sod-small", trust: [], data: .notChecked, issuer: .notChecked,
        groups: [1: "dg1-changed", 2: "dg2"], changed: [1], isContradicting: true),
      // A group that is not signed.
      Row(
        object: "sod-small", trust: ["csca-rsa"], data: .changed, issuer: .trusted,
        groups: [1: "dg1", 12: "dg12"], changed: [12], isContradicting: true),
      Row(
        object: "sod-small", trust: ["csca-rsa"], data: .unchanged, issuer: .trusted,
        groups: [1: "dg1"]),
    ]

  @Test(arguments: rows)
  func verdict(_ row: Row) throws {
    var store = TrustStore()
    for name in row.trust { try store.add(Fixtures[name], name: name) }
    let content = try Fixtures.content(row.object, groups: row.groups)
    let verdict = content.verdict(trust: row.trust.isEmpty ? nil : store)
    #expect(verdict.data == row.data)
    #expect(verdict.issuer == row.issuer, "\(verdict.remarks)")
    #expect(verdict.changedGroups == row.changed)
    #expect(!verdict.contradictions.isEmpty == row.isContradicting, "\(verdict.contradictions)")
    #expect(verdict.chip != .genuine)
    #expect(!verdict.isTrusted || row.issuer == .trusted && row.data == .unchanged)
    // The text is of certificates and of numbers of groups.
    for text in verdict.remarks + verdict.contradictions + [verdict.summary] {
      #expect(!text.contains("ERIKSS") && !text.contains("898902"))
    }
  }

  @Test func everyObjectHasARow() {
    let tested = Set(Self.rows.map(\.object))
    let objects = Fixtures.names.filter { $0.hasPrefix("sod-") }
    #expect(objects.count > 25)
    #expect(tested.isSuperset(of: objects))
  }

  // MARK: Chip

  @Test func aChipIsGenuineOnlyWithDataAndIssuer() throws {
    let trust = try Fixtures.store("csca-rsa")
    let proven = try Fixtures.content("sod-rsa") { $0.chipAuthentication = .proven }
    #expect(proven.verdict(trust: trust).chip == .genuine)
    #expect(proven.verdict(trust: trust).isTrusted)
    #expect(proven.verdict(trust: nil).chip == .notChecked)
    #expect(try proven.verdict(trust: Fixtures.store("csca-de")).chip == .notChecked)
    let active = try Fixtures.content("sod-rsa") { $0.activeAuthentication = .proven }
    #expect(active.verdict(trust: trust).chip == .genuine)
    // Its key is not the signed one.
    let unsigned = try Fixtures.content("sod-small", groups: [1: "dg1", 14: "dg14"]) {
      $0.chipAuthentication = .proven
    }
    #expect(unsigned.verdict(trust: trust).chip != .genuine)
    #expect(!unsigned.verdict(trust: trust).isTrusted)
  }

  @Test func aCloneIsNamed() throws {
    let trust = try Fixtures.store("csca-rsa")
    for change in [
      { (state: inout ReadingState) in state.chipAuthentication = .wrong },
      { (state: inout ReadingState) in
        state.chipAuthentication = .proven
        state.activeAuthentication = .wrong
      },
    ] {
      let content = try Fixtures.content("sod-rsa", change: change)
      let verdict = content.verdict(trust: trust)
      #expect(verdict.chip == .clone)
      #expect(!verdict.isTrusted)
      #expect(verdict.summary == "the chip is a copy")
    }
    // What could not be read is not a copy.
    let unknown = try Fixtures.content("sod-rsa") { $0.activeAuthentication = .unknown("cut off") }
    #expect(unknown.verdict(trust: trust).chip == .notChecked)
  }

  @Test func aDocumentWithoutMeansIsTrusted() throws {
    let content = try Fixtures.content("sod-small", groups: [1: "dg1", 2: "dg2"])
    let verdict = try content.verdict(trust: Fixtures.store("csca-rsa"))
    #expect(verdict.chip == .noProof)
    #expect(verdict.isTrusted)
    #expect(verdict.summary == "authentic data; the chip has no means to prove itself")
  }

  // MARK: Consistency

  @Test func entriesOfPACEMustBeTheSame() throws {
    let content = try Fixtures.content("sod-rsa") { state in
      // Triple DES instead of AES.
      state.cardAccess = .found(
        bytes("31143012060A04007F00070202040201020102020 10D".filter { $0 != " " }))
    }
    let verdict = try content.verdict(trust: Fixtures.store("csca-rsa"))
    #expect(!verdict.contradictions.isEmpty)
    #expect(!verdict.isTrusted)
  }

  @Test func whatIsSignedAndMissingIsSaid() throws {
    let content = try Fixtures.content("sod-rsa", groups: [1: "dg1"]) {
      $0.absent = [.group(.face)]
    }
    let verdict = try content.verdict(trust: Fixtures.store("csca-rsa"))
    #expect(verdict.remarks.contains("signed and not there: DG2"))
    #expect(verdict.data == .unchanged)
  }

  @Test func brokenFilesContradict() throws {
    let content = try Fixtures.content("dg1", groups: [1: "dg2"])
    let verdict = try content.verdict(trust: Fixtures.store("csca-rsa"))
    #expect(verdict.contradictions.count == 2)
    #expect(verdict.data == .notChecked)
    #expect(verdict.issuer == .notChecked)
  }
}
