import Foundation
import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// Files with authorities in all their forms.
@Suite struct TrustStoreTests {
  private static func base64(_ name: String, columns: Int) throws -> [String] {
    let text = Data(try Fixtures[name]).base64EncodedString()
    return stride(from: 0, to: text.count, by: columns).map {
      String(text.dropFirst($0).prefix(columns))
    }
  }

  private static func pem(_ names: String..., label: String = "CERTIFICATE") throws -> [UInt8] {
    var lines: [String] = ["a remark before"]
    for name in names {
      lines +=
        ["-----BEGIN \(label)-----"] + (try base64(name, columns: 64)) + ["-----END \(label)-----"]
    }
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  private static func ldif(_ attribute: String, _ name: String) throws -> [UInt8] {
    let lines = try base64(name, columns: 70)
    let text = """
      version: 1

      dn: o=ml,c=UT,dc=data,dc=download,dc=pkd,dc=icao,dc=int
      objectClass: top
      \(attribute):: \(lines.joined(separator: "\n "))
      cn: a name

      dn: c=XX
      description: folded
       line
      """
    return Array(text.utf8)
  }

  @Test func certificates() throws {
    var store = TrustStore()
    try store.add(Fixtures["csca-rsa"], name: "der")
    try store.add(Self.pem("csca-p256", "csca-link"), name: "pem")
    #expect(store.sources.map(\.certificateCount) == [1, 2])
    #expect(store.sources.allSatisfy { $0.isListVerified == nil })
    #expect(store.anchors.count == 3)
  }

  @Test func masterLists() throws {
    var store = TrustStore()
    try store.add(Fixtures["masterlist"], name: "list")
    // Its own authority is only in itself.
    #expect(store.sources.map(\.isListVerified) == [false])
    #expect(store.anchors.count == 6)
    try store.add(Fixtures["csca-rsa"], name: "authority")
    #expect(store.sources.map(\.isListVerified) == [true, nil])
  }

  @Test(arguments: ["CscaMasterListData", "pkdMasterListContent", "cscamasterlistdata"])
  func directories(_ attribute: String) throws {
    var store = TrustStore()
    try store.add(Self.ldif(attribute, "masterlist"), name: "ldif")
    #expect(store.anchors.count == 6)
    let content = try Fixtures.content("sod-rsa")
    #expect(content.verdict(trust: store).issuer == .trusted)
    #expect(content.verdict(trust: store).signer?.authoritySource == "ldif")
  }

  @Test func listsInPEM() throws {
    var store = TrustStore()
    try store.add(Self.pem("masterlist", label: "CMS"), name: "pem")
    #expect(store.anchors.count == 6)
    try store.add(Self.ldif("userCertificate;binary", "signer-rsa"), name: "signers")
    #expect(store.anchors.count == 7)
  }

  @Test func whatIsNoListIsRefused() throws {
    var store = TrustStore()
    let files: [[UInt8]] = [
      [], [0x30], [0x30, 0x80], Array("hello".utf8), try Fixtures["dg1"],
      try Fixtures["masterlist-wrong"], try Fixtures["cardsecurity"],
      Array("-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n".utf8),
      Array("CscaMasterListData:: @@@@\n".utf8), try Array(Fixtures["csca-rsa"].dropLast()),
    ]
    for file in files {
      #expect(throws: DataObjectError.self) { try store.add(file, name: "x") }
    }
    #expect(store.isEmpty)
  }

  @Test func countries() {
    for (state, country, expected) in [
      ("D", "DE", true), ("D", "de", true), ("UTO", "UT", true), ("GBD", "GB", true),
      ("GBR", "GB", true), ("FRA", "FR", true), ("FRA", "DE", false), ("USA", "US", true),
      ("RKS", "KS", true), ("UNO", "UN", true), ("EUE", "EU", true), ("NLD", "NL", true),
    ] {
      #expect(CountryCode.matches(state, country) == expected, "\(state)")
    }
    #expect(CountryCode.matches("XYZ", "DE") == nil)
  }
}
