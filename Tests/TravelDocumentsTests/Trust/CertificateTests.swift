import TestSupport
import Testing

@testable import TravelDocuments

/// Certificates that contradict themselves.
@Suite struct CertificateTests {
  /// Returns a certificate of a key. Its signature is none.
  private static func certificate(of information: [UInt8]) -> [UInt8] {
    let algorithm = DERWriter.sequence(DERWriter.identifier("1.2.840.10045.4.3.2"))
    let country = DERWriter.sequence(
      DERWriter.identifier("2.5.4.6"), DERWriter.object(0x13, Array("UT".utf8)))
    let name = DERWriter.sequence(DERWriter.set([country]))
    let validity = DERWriter.sequence(
      DERWriter.time("200101000000"), DERWriter.time("301231235959"))
    let content = DERWriter.sequence(
      DERWriter.integer(1), algorithm, name, validity, name, information)
    return DERWriter.sequence(content, algorithm, DERWriter.bits([0x30, 0x00]))
  }

  /// The name of one curve, and a point on the other one of that size, as in some Lithuanian documents: the curve is that
  /// of the point, and it is said.
  @Test(arguments: [(10, 11), (11, 10), (12, 13), (15, 16)])
  func aKeyOnAnotherCurve(_ named: Int, _ curve: Int) throws {
    let key = DocumentKeyMaker.curveKey(curve).public
    let wrong = try #require(
      Certificate(Self.certificate(of: DocumentKeyMaker.information(named, key))))
    #expect(wrong.hasContradictingCurve)
    #expect(wrong.publicKey?.parameters?.number == curve)
    let right = try #require(
      Certificate(Self.certificate(of: DocumentKeyMaker.information(curve, key))))
    #expect(!right.hasContradictingCurve)
    #expect(right.publicKey == wrong.publicKey)
    // On neither of them.
    var changed = key
    changed[changed.count - 1] ^= 1
    let none = try #require(
      Certificate(Self.certificate(of: DocumentKeyMaker.information(named, changed))))
    #expect(!none.hasContradictingCurve)
    #expect(none.publicKey == nil)
  }
}
