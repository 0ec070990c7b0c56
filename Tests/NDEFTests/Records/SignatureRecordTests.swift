import NDEF
import Testing

@Suite struct SignatureRecordTests {
  private func record(_ payload: String) -> NDEFRecord {
    NDEFRecord(typeNameFormat: .wellKnown, type: "Sig", payload: hex(payload))
  }

  @Test func noSignature() throws {
    // Signature RTD 2.0: version, type 0, SHA-256, no bytes, X.509, no certificates
    let signature = try SignatureRecord(record("20 00 02 0000 00"))
    #expect(signature == SignatureRecord(algorithm: .noSignature, signature: .bytes([])))
    #expect(signature.record.payload == hex("20 00 02 0000 00"))
  }

  /// A mark of where signing begins may end after its type (1.0, 3.3.3).
  @Test(arguments: ["01 00", "20 00"])
  func aMarkMayBeShort(_ payload: String) throws {
    let signature = try SignatureRecord(record(payload))
    #expect(signature.isMark && signature.description == "signature: none")
    let full = payload == "01 00" ? payload : "20 00 02 0000 00"
    #expect(signature.record.payload == hex(full))
  }

  @Test func signatureWithCertificates() throws {
    let payload = "20 0B 02 0003 AABBCC 92 0001 11 0002 2222 0003 783A79"
    let signature = try #require(try record(payload).decoded as? SignatureRecord)
    #expect(signature.algorithm == .ecdsaP256)
    #expect(signature.algorithm.description == "ECDSA-P256")
    #expect(signature.hash == .sha256)
    #expect(signature.signature == .bytes([0xAA, 0xBB, 0xCC]))
    #expect(signature.certificateFormat == .m2m)
    #expect(signature.certificates == [[0x11], [0x22, 0x22]])
    #expect(signature.certificateURI == "x:y")
    #expect(signature.record.payload == hex(payload))
  }

  @Test func signatureElsewhere() throws {
    let signature = SignatureRecord(
      algorithm: .rsaPSS2048, signature: .uri("https://example.com/s"), identifier: [1])
    #expect(signature.record.payload.starts(with: hex("20 85 02 0015")))
    #expect(try SignatureRecord(signature.record) == signature)
  }

  @Test func tooManyCertificatesAreLeftOff() throws {
    let signature = SignatureRecord(
      algorithm: .noSignature, signature: .bytes([]),
      certificates: [[UInt8]](repeating: [1], count: 20))
    #expect(try SignatureRecord(signature.record).certificates.count == 15)
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("02 00 0000 00", .unsupportedVersion, at: 0),
    Malformed("10 00 00 0000 00", .unsupportedVersion, at: 0),
    // Version 1 has no hash algorithm.
    Malformed("01 00 0000", .truncated, at: 4),
    Malformed("01 00 0000 00 00", .trailingData, at: 5),
    Malformed("01 04 0005 AA", .truncated, at: 4),
    Malformed("20", .truncated, at: 1),
    Malformed("20 0B 02 0005 AA", .truncated, at: 5),
    Malformed("20 8B 02 0001 FF 00", .invalidText, at: 5),
    Malformed("20 00 02 0000", .truncated, at: 5),
    Malformed("20 00 02 0000 01", .truncated, at: 6),
    Malformed("20 00 02 0000 80 0001 FF", .invalidText, at: 8),
    Malformed("20 00 02 0000 00 00", .trailingData, at: 6),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: SignatureRecord.self, .wellKnown, "Sig")
  }
}
