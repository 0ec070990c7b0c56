import SwiftNFCCore
import Testing

@testable import TravelDocuments

@Suite struct ActiveAuthenticationTests {
  private static let challenge = bytes("F173589974BF40C6")
  /// M1 of the worked example of Doc 9303-11, appendix F, whose public key is not printed.
  private static let message = """
    9D2784A67F8E7C659973EA1AEA25D95B6C8F91E5002F369F0FBDCE8A3CEC1991B543F1696546C5524CF23A5303CD6C98599F40B79F377B5F3A1406B3
    B4D8F96784D23AA88DB7E1032A405E69325FA91A6E86F5C71AEA978264C4A207446DAD4E7292E2DCDA3024B47DA8
    """
  private static let digest = "C063AA1E6D22FBD976AB0FE73D94D2D9C6D88127"

  @Test func publishedExample() {
    let recovered = bytes("6A" + Self.message + Self.digest + "BC")
    #expect(recovered.count == 128)
    #expect(DigestAlgorithm.sha1(bytes(Self.message) + Self.challenge).hexadecimal == Self.digest)
    #expect(ActiveAuthentication.isSignature(recovered, of: Self.challenge))
    #expect(!ActiveAuthentication.isSignature(recovered, of: [UInt8](repeating: 0, count: 8)))
    for index in recovered.indices {
      var changed = recovered
      changed[index] ^= 0x20
      #expect(!ActiveAuthentication.isSignature(changed, of: Self.challenge))
    }
    for count in 0..<40 {
      #expect(!ActiveAuthentication.isSignature(Array(recovered.prefix(count)), of: Self.challenge))
    }
  }

  @Test(arguments: ["aa-sha1", "aa-sha256", "aa-sha512"])
  func signaturesByRSA(_ name: String) throws {
    let procedure = try #require(ActiveAuthentication(dataGroup: Fixtures["dg15"], digest: nil))
    let signature = try Fixtures[name]
    #expect(procedure.verify(signature, challenge: Self.challenge) == .proven)
    #expect(procedure.verify(signature, challenge: Array(Self.challenge.reversed())) == .wrong)
    // Cut off is not wrong.
    guard case .unknown = procedure.verify(Array(signature.dropLast(8)), challenge: Self.challenge)
    else {
      Issue.record("a short answer proves nothing")
      return
    }
  }

  @Test(arguments: ["aa-ec-plain", "aa-ec-der"])
  func signaturesByECDSA(_ name: String) throws {
    let signature = try Fixtures[name]
    for digest in [nil, DigestAlgorithm.sha256] {
      let procedure = try #require(
        ActiveAuthentication(dataGroup: Fixtures["dg15-ec"], digest: digest))
      #expect(procedure.verify(signature, challenge: Self.challenge) == .proven)
      #expect(procedure.verify(signature, challenge: Array(Self.challenge.reversed())) == .wrong)
    }
    let other = try #require(ActiveAuthentication(dataGroup: Fixtures["dg15-ec"], digest: .sha512))
    #expect(other.verify(signature, challenge: Self.challenge) == .wrong)
  }

  @Test func keysOfOtherKinds() throws {
    #expect(try ActiveAuthentication(dataGroup: Fixtures["dg1"], digest: nil) == nil)
    #expect(ActiveAuthentication(dataGroup: [0x6F, 0x02, 0x30, 0x00], digest: nil) == nil)
  }
}
