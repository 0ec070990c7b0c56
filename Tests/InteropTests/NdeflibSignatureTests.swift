import Foundation
import NDEF
import NFC
import SignedMessages
import TestSupport
import Testing

extension Interop {
  /// ndeflib has the records, and Python's cryptography package signs and verifies, as in ndeflib's example
  /// (docs/records/signature.rst).
  @Suite struct NdeflibSignatureTests {
    private static let prelude = """
      import datetime, io, sys
      import ndef
      from cryptography import x509
      from cryptography.hazmat.primitives import hashes, serialization
      from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
      kinds = {'ECDSA-P256': ec.SECP256R1, 'ECDSA-P224': ec.SECP224R1}
      pss = padding.PSS(padding.MGF1(hashes.SHA256()), hashes.SHA256().digest_size)
      def content(records):
          stream = io.BytesIO()
          encoder = ndef.message_encoder(records + [ndef.SignatureRecord('ECDSA-P256', 'SHA-256')], stream)
          for _ in range(len(records)): next(encoder)
          return stream.getvalue()

      """

    private static func certificate(_ kind: String) -> String {
      """
      kind = '\(kind)'
      key = ec.generate_private_key(kinds[kind]()) if kind in kinds \\
          else rsa.generate_private_key(65537, 2048)
      name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, 'Signer')])
      now = datetime.datetime.now(datetime.timezone.utc)
      certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name)
          .public_key(key.public_key()).serial_number(7)
          .not_valid_before(now - datetime.timedelta(days=1))
          .not_valid_after(now + datetime.timedelta(days=30)).sign(key, hashes.SHA256()))
      der = certificate.public_bytes(serialization.Encoding.DER)

      """
    }

    private static let kinds = ["ECDSA-P256", "ECDSA-P224", "RSASSA-PSS-2048"]
    private static func now() -> Int { Int(Date().timeIntervalSince1970) }

    @Test(arguments: kinds)
    func weVerifyWhatNdeflibSigns(_ kind: String) async throws {
      let script =
        Self.prelude + Self.certificate(kind) + """
          def sign(octets):
              if kind not in kinds: return key.sign(octets, pss, hashes.SHA256())
              size = (key.curve.key_size + 7) // 8
              r, s = utils.decode_dss_signature(key.sign(octets, ec.ECDSA(hashes.SHA256())))
              return r.to_bytes(size, 'big') + s.to_bytes(size, 'big')
          records = [ndef.UriRecord('https://example.com'), ndef.TextRecord('x' * 300, 'de')]
          records[1].name = 'id'
          record = ndef.SignatureRecord(kind, 'SHA-256', sign(content(records)))
          record.add_certificate_to_store(der)
          print(der.hex())
          print(b''.join(ndef.message_encoder(records + [record])).hex())
          """
      let bench = try InteropBench()
      let result = try await bench.startPython(whole: script, []).result()
      withExtendedLifetime(bench) { result.expectSuccess() }
      let lines = result.output.split(separator: "\n").compactMap { [UInt8](hexadecimal: $0) }
      try #require(lines.count == 2)
      let message = try NDEFMessage(decoding: lines[1])
      let verdicts = message.signatureVerdicts(trusting: [lines[0]], at: Self.now())
      #expect(verdicts.map(\.isTrusted) == [true])
      #expect(verdicts.first?.coveredRecords == 0..<2)
      var changed = message
      changed.records[1] = .text("y", language: "de")
      let other = changed.signatureVerdicts(trusting: [lines[0]], at: Self.now())
      #expect(other.map(\.content) == [.changed])
    }

    @Test(arguments: kinds)
    func ndeflibVerifiesWhatWeSign(_ kind: String) async throws {
      let keys =
        Self.prelude + Self.certificate(kind) + """
          print(key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8,
              serialization.NoEncryption()).hex())
          print(der.hex())
          """
      let bench = try InteropBench()
      let made = try await bench.startPython(whole: keys, []).result()
      made.expectSuccess()
      let lines = made.output.split(separator: "\n").compactMap { [UInt8](hexadecimal: $0) }
      try #require(lines.count == 2)
      let signer = try MessageSigner(key: lines[0], certificates: [lines[1]])
      let signed = try signer.sign(
        NDEFMessage(.uri("https://example.com"), .text("Grüße", language: "de")))
      let script =
        Self.prelude + """
          kind = '\(kind)'
          records = list(ndef.message_decoder(bytes.fromhex(sys.argv[1]), errors='strict'))
          record = records.pop()
          assert record.type == 'urn:nfc:wkt:Sig' and record.signature_type == kind, record
          assert record.hash_type == 'SHA-256' and record.certificate_format == 'X.509', record
          key = x509.load_der_x509_certificate(record.certificate_store[0]).public_key()
          octets, signature = content(records), record.signature
          if kind in kinds:
              half = len(signature) // 2
              pair = utils.encode_dss_signature(int.from_bytes(signature[:half], 'big'),
                  int.from_bytes(signature[half:], 'big'))
              key.verify(pair, octets, ec.ECDSA(hashes.SHA256()))
          else:
              key.verify(signature, octets, pss, hashes.SHA256())
          print('verified', len(records))
          """
      let result = try await bench.startPython(whole: script, [signed.encoded().hexadecimal])
        .result()
      withExtendedLifetime(bench) { result.expectSuccess() }
      #expect(result.output == "verified 2\n")
    }
  }
}
