import Foundation
import NDEF
import Testing

@testable import SignedMessages

@Suite struct SignedMessageTests {
  private static let message = NDEFMessage(
    .uri("https://example.com/a"), .text("Grüße", language: "de"))

  private func verdict(
    _ message: NDEFMessage, _ trusted: [[UInt8]], at time: Int = SignerFiles.now
  ) throws -> SignatureVerdict {
    let verdicts = message.signatureVerdicts(trusting: trusted, at: time)
    #expect(verdicts.count == 1)
    return try #require(verdicts.first)
  }

  // MARK: Algorithms

  @Test(arguments: [
    (SignerFiles.Kind.p192, SignatureRecord.Algorithm.ecdsaP192, 48),
    (.p224, .ecdsaP224, 56), (.p256, .ecdsaP256, 64), (.k233, .ecdsaK233, 58),
    (.b233, .ecdsaB233, 60), (.rsa1024, .rsaPSS1024, 128), (.rsa2048, .rsaPSS2048, 256),
  ])
  func everyKeySigns(
    _ kind: SignerFiles.Kind, _ algorithm: SignatureRecord.Algorithm, _ size: Int
  ) async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer", kind)
    let signed = try files.signer("signer", certificate).sign(Self.message)
    let record = try SignatureRecord(try #require(signed.records.last))
    #expect(record.algorithm == algorithm && record.version == .two && record.hash == .sha256)
    guard case .bytes(let signature) = record.signature else { throw SigningError.refused }
    #expect(signature.count == size)
    #expect(record.certificates == [certificate])
    let read = try NDEFMessage(decoding: signed.encoded())
    let verdict = try verdict(read, [certificate])
    #expect(verdict.isTrusted && verdict.coveredRecords == 0..<2 && verdict.record == 2)
    #expect(verdict.certificate == certificate && verdict.remark == nil)
    #expect(read.unsignedRecords == [])
  }

  @Test(arguments: [SignerFiles.Kind.p384, .rsa4096])
  func otherKeysAreRefused(_ kind: SignerFiles.Kind) async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer", kind)
    #expect(throws: SigningError.unsupportedKey) { try files.signer("signer", certificate) }
  }

  /// PKCS #1 v1.5 and DSA are read: `openssl` signs. Of DSA and ECDSA, the sequence of both numbers is read, too.
  @Test(arguments: ["rsa", "dsa", "ecdsa"])
  func whatOthersSign(_ name: String) async throws {
    let files = try SignerFiles()
    var algorithm = SignatureRecord.Algorithm.rsaPKCS2048
    var certificate = try await files.certificate("signer", name == "rsa" ? .rsa2048 : .p256)
    if name == "dsa" {
      try await files.openssl(["dsaparam", "-out", files.path("p"), "1024"])
      try await files.openssl(["gendsa", "-out", files.path("signer.key"), files.path("p")])
      try await files.openssl([
        "req", "-x509", "-new", "-key", files.path("signer.key"), "-subj", "/CN=d", "-outform",
        "DER", "-out", files.path("signer.der"),
      ])
      certificate = try files.bytes("signer.der")
      algorithm = .dsa1024
    } else if name == "ecdsa" {
      algorithm = .ecdsaP256
    }
    let content = SignatureRecord.coveredBytes(
      of: Self.message.records, version: .two, beginsMessage: true)
    // Its flags are those of a message that goes on.
    #expect(
      content == Array(NDEFMessage(records: Self.message.records + [.empty]).encoded().dropLast(3)))
    try files.write(content, to: "content")
    try await files.openssl([
      "dgst", "-sha256", "-sign", files.path("signer.key"), "-out", files.path("signature"),
      files.path("content"),
    ])
    let record = SignatureRecord(
      algorithm: algorithm, signature: .bytes(try files.bytes("signature")),
      certificates: [certificate]
    ).record
    let signed = NDEFMessage(records: Self.message.records + [record])
    #expect(try verdict(signed, [certificate]).isTrusted)
  }

  /// Version 1 is over types, identifiers and payloads, by SHA-1: so it does not notice another type name format.
  @Test(arguments: [
    (SignerFiles.Kind.p192, SignatureRecord.Algorithm.ecdsaP192), (.rsa1024, .rsaPKCS1024),
    (.rsa2048, .rsaPKCS1024),
  ])
  func versionOne(
    _ kind: SignerFiles.Kind, _ algorithm: SignatureRecord.Algorithm
  ) async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer", kind)
    let first = NDEFRecord(
      typeNameFormat: .wellKnown, type: "U", identifier: [0x69], payload: [4, 0x61])
    try files.write(
      Array("Ui".utf8) + [4, 0x61] + Array("T".utf8) + [2, 0x64, 0x65, 0x41], to: "content")
    try await files.openssl([
      "dgst", "-sha1", "-sign", files.path("signer.key"), "-out", files.path("signature"),
      files.path("content"),
    ])
    var record = SignatureRecord(
      algorithm: algorithm, signature: .bytes(try files.bytes("signature")),
      certificates: [certificate])
    record.version = .one
    var signed = NDEFMessage(first, .text("A", language: "de"), record.record)
    #expect(try verdict(NDEFMessage(decoding: signed.encoded()), [certificate]).isTrusted)
    signed.records[0] = NDEFRecord(
      typeNameFormat: .external, type: "U", identifier: [0x69], payload: [4, 0x61])
    #expect(try verdict(signed, [certificate]).isTrusted)
    signed.records[0] = NDEFRecord(
      typeNameFormat: .wellKnown, type: "U", identifier: [0x69], payload: [4, 0x62])
    #expect(try verdict(signed, [certificate]).content == .changed)
    record.version = .two
    signed.records = [first, .text("A", language: "de"), record.record]
    #expect(try verdict(signed, [certificate]).content != .unchanged)
  }

  // MARK: Failing sides

  @Test func everyChangeIsNoticed() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer")
    let signed = try files.signer("signer", certificate).sign(Self.message)
    var changes: [NDEFMessage] = []
    func change(_ body: (inout [NDEFRecord]) -> Void) {
      var records = signed.records
      body(&records)
      changes.append(NDEFMessage(records: records))
    }
    change { $0[0] = .uri("https://example.com/b") }
    change { $0[0].identifier = [1] }
    change { $0[1] = .text("Grüße", language: "en") }
    change { $0[1].typeNameFormat = .external }
    change { $0.swapAt(0, 1) }
    change { $0.remove(at: 1) }
    change { $0.insert(.text("x", language: "en"), at: 0) }
    change { $0.insert(.empty, at: 2) }
    for change in changes {
      #expect(try verdict(change, [certificate]).content == .changed, "\(change)")
    }
    // What comes after the signature is not signed.
    change { $0.append(.uri("https://evil.example")) }
    let last = try #require(changes.last)
    #expect(try verdict(last, [certificate]).isTrusted)
    #expect(last.unsignedRecords == [3])
    #expect(Self.message.unsignedRecords == [0, 1])
    #expect(Self.message.signatureVerdicts(trusting: [certificate], at: 0).isEmpty)
  }

  @Test func anotherKeyAndNobodyTrusted() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer")
    let other = try await files.certificate("other")
    let signed = try files.signer("signer", certificate).sign(Self.message)
    var verdict = try verdict(signed, [other])
    #expect(verdict.content == .unchanged && verdict.issuer == .unknown)
    verdict = try self.verdict(signed, [])
    #expect(verdict.content == .unchanged && verdict.issuer == .notChecked)
    // The signature of one with the certificate of the other.
    var record = try SignatureRecord(try #require(signed.records.last))
    record.certificates = [other]
    let mixed = NDEFMessage(records: Self.message.records + [record.record])
    verdict = try self.verdict(mixed, [certificate, other])
    #expect(verdict.content == .changed && !verdict.isTrusted)
    #expect(throws: SigningError.otherKey) { try files.signer("signer", other) }
  }

  @Test func certificatesHaveTheirTime() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer", days: 30)
    let signed = try files.signer("signer", certificate).sign(Self.message)
    let (later, earlier) = (
      SignerFiles.now + 31 * SignerFiles.day, SignerFiles.now - SignerFiles.day
    )
    for (time, word) in [(later, "expired"), (earlier, "not yet valid")] {
      let verdict = try verdict(signed, [certificate], at: time)
      #expect(verdict.content == .unchanged && verdict.issuer == .notValidNow)
      #expect(verdict.remark?.contains(word) == true)
      let signer = try files.signer("signer", certificate)
      #expect(signer.problem(at: time)?.contains(word) == true)
      #expect(signer.problem(at: SignerFiles.now) == nil)
    }
  }

  @Test func chains() async throws {
    let files = try SignerFiles()
    let root = try await files.certificate("root")
    let middle = try await files.certificate("middle", by: "root")
    let leaf = try await files.certificate("leaf", by: "middle")
    let signed = try files.signer("leaf", leaf, middle, root).sign(Self.message)
    let record = try SignatureRecord(try #require(signed.records.last))
    #expect(record.certificates == [leaf, middle], "the root is not in it")
    for trusted in [root, middle, leaf] {
      #expect(try verdict(signed, [trusted]).isTrusted)
    }
    // The certificate in the middle is missing.
    let short = try files.signer("leaf", leaf).sign(Self.message)
    #expect(try verdict(short, [root]).issuer == .unknown)
    #expect(try verdict(short, [root, middle]).isTrusted)
    // One that claims the name of another authority, which has not signed it.
    let impostor = try SignerFiles()
    _ = try await impostor.certificate("root")
    let forged = try await impostor.certificate("leaf", by: "root")
    let other = try impostor.signer("leaf", forged).sign(Self.message)
    let verdict = try verdict(other, [root])
    #expect(verdict.content == .unchanged && !verdict.isTrusted && verdict.issuer != .notChecked)
  }

  @Test func whatCannotBeChecked() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer")
    let signed = try files.signer("signer", certificate).sign(Self.message)
    let record = try SignatureRecord(try #require(signed.records.last))
    func remark(_ change: (inout SignatureRecord) -> Void) throws -> String {
      var record = record
      change(&record)
      let message = NDEFMessage(records: Self.message.records + [record.record])
      let verdict = try verdict(message, [certificate])
      #expect(verdict.content == .notChecked && !verdict.isTrusted)
      return verdict.remark ?? ""
    }
    #expect(try remark { $0.algorithm = .init(rawValue: 0x0C) }.contains("12"))
    #expect(try remark { $0.hash = .init(rawValue: 3) }.contains("hash"))
    #expect(try remark { $0.certificateFormat = .m2m }.contains("M2M"))
    #expect(try remark { $0.signature = .uri("https://example.com/s") }.contains("elsewhere"))
    #expect(try remark { $0.certificates = [[1, 2]] }.contains("X.509"))
    #expect(try remark { $0.certificates = [certificate + [0]] }.contains("X.509"))
    #expect(try remark { $0.algorithm = .ecdsaP224 }.contains("ECDSA-P224"))
    #expect(try remark { $0.algorithm = .rsaPSS2048 }.contains("RSASSA-PSS-2048"))
    // Every beginning of the record.
    for count in 0..<record.record.payload.count {
      var broken = record.record
      broken.payload = Array(broken.payload.prefix(count))
      let message = NDEFMessage(records: Self.message.records + [broken])
      #expect(try !verdict(message, [certificate]).isTrusted)
    }
    // Every bit of the signature.
    guard case .bytes(let signature) = record.signature else { return }
    for bit in stride(from: 0, to: 8 * signature.count, by: 7) {
      var (bytes, changed) = (signature, record)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      changed.signature = .bytes(bytes)
      let message = NDEFMessage(records: Self.message.records + [changed.record])
      #expect(try verdict(message, [certificate]).content == .changed)
    }
  }

  /// Who has signed is known from elsewhere.
  @Test func aRecordWithoutCertificates() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer")
    let other = try await files.certificate("other")
    let signed = try files.signer("signer", certificate).sign(Self.message)
    var record = try SignatureRecord(try #require(signed.records.last))
    record.certificates = []
    let message = NDEFMessage(records: Self.message.records + [record.record])
    #expect(try verdict(message, [other, certificate]).isTrusted)
    #expect(try verdict(message, [other]).content == .changed)
    #expect(try verdict(message, []).content == .notChecked)
  }

  // MARK: Several signatures

  @Test func severalSignatures() async throws {
    let files = try SignerFiles()
    let (one, two) = (try await files.certificate("one"), try await files.certificate("two"))
    let (first, second) = (try files.signer("one", one), try files.signer("two", two))
    #expect(throws: SigningError.nothingToSign) { try first.sign(NDEFMessage(records: [])) }
    var message = try first.sign(Self.message)
    #expect(throws: SigningError.nothingToSign) { try second.sign(message) }
    message.records.append(.text("more", language: "en"))
    message = try second.sign(message)
    var verdicts = message.signatureVerdicts(trusting: [one], at: SignerFiles.now)
    #expect(verdicts.map(\.coveredRecords) == [0..<2, 3..<4])
    #expect(verdicts.map(\.content) == [.unchanged, .unchanged])
    #expect(verdicts.map(\.issuer) == [.trusted, .unknown])
    message.records[3] = .text("less", language: "en")
    verdicts = message.signatureVerdicts(trusting: [one, two], at: SignerFiles.now)
    #expect(verdicts.map(\.content) == [.unchanged, .changed])
    // A signature that covers nothing.
    let twice = NDEFMessage(records: message.records + [message.records[4]])
    let last = try #require(
      twice.signatureVerdicts(trusting: [one, two], at: SignerFiles.now).last)
    #expect(last.content == .notChecked && last.remark?.contains("no record") == true)
  }

  /// A mark separates records that are signed from those that are not.
  @Test func onlySomeRecordsAreSigned() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer")
    var mark = SignatureRecord(algorithm: .noSignature, signature: .bytes([]))
    for version in [SignatureRecord.Version.one, .two] {
      mark.version = version
      let message = NDEFMessage(.uri("https://a.example"), mark.record, .uri("https://b.example"))
      let signed = try files.signer("signer", certificate).sign(message)
      let read = try NDEFMessage(decoding: signed.encoded())
      let verdict = try verdict(read, [certificate])
      #expect(verdict.isTrusted && verdict.coveredRecords == 2..<3)
      #expect(read.unsignedRecords == [0])
    }
  }

  // MARK: Keys

  @Test func keys() async throws {
    let files = try SignerFiles()
    let certificate = try await files.certificate("signer")
    try await files.openssl([
      "pkey", "-in", files.path("signer.key"), "-outform", "DER", "-out", files.path("der.key"),
    ])
    #expect(throws: Never.self) { try files.signer("der", certificate) }
    try await files.openssl([
      "pkey", "-in", files.path("signer.key"), "-aes256", "-passout", "pass:x", "-out",
      files.path("secret.key"),
    ])
    #expect(throws: SigningError.encryptedKey) { try files.signer("secret", certificate) }
    try files.write(Array("-----BEGIN PRIVATE KEY-----\nAAAA\n".utf8), to: "cut.key")
    #expect(throws: SigningError.malformedKey) { try files.signer("cut", certificate) }
    try files.write([0x30, 0x03, 0x02, 0x01, 0x00], to: "other.key")
    #expect(throws: SigningError.malformedKey) { try files.signer("other", certificate) }
    #expect(throws: SigningError.malformedCertificate) { try files.signer("signer", [1]) }
    #expect(throws: SigningError.malformedCertificate) { try files.signer("signer") }
  }
}
