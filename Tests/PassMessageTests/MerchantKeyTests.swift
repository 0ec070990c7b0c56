import PassMessage
import Testing

@Suite struct MerchantKeyTests {
  /// The published key of a demonstration pass, as `openssl` writes it (SEC 1).
  private static let demo = """
    MHcCAQEEID0VR/I814rQUqWIYPEhno+3kexN/jN2n1ub+mJ6ZWyhoAoGCCqGSM49AwEHoUQDQgAEwKMBv29ByaSLiGF0FctuyB+Hs2oZ\
    1kDIYhTVllPexNGudAlm8IWOH0e+Exc97/zBdawu7Yl+XytQONszGzAK7w==
    """
  private static let identifier: [UInt8] = [0xC0, 0xB7, 0x73, 0x75]

  private static func part(_ label: String, _ body: String) -> String {
    "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
  }

  /// As `openssl ecparam -genkey` and an editor on Windows write it.
  static let files = [
    part("EC PRIVATE KEY", demo),
    part("EC PARAMETERS", "BggqhkjOPQMBBw==") + part("EC PRIVATE KEY", demo),
    "\u{FEFF}" + part("EC PRIVATE KEY", demo).replacing("\n", with: "\r\n"),
    "the key of the demonstration\n\n" + part("EC PRIVATE KEY", demo),
  ]

  @Test(arguments: files) func readsPEM(_ text: String) throws {
    #expect(try MerchantKey(pem: text).identifier == Self.identifier)
    #expect(try MerchantKey(file: Array(text.utf8)).identifier == Self.identifier)
  }

  @Test func readsWhatItWrites() throws {
    let key = try MerchantKey.generate()
    let other = try MerchantKey.generate()
    #expect(key != other)
    let again = try MerchantKey(pem: key.pem)
    #expect(again == key && again.identifier == key.identifier && again.pem == key.pem)
  }

  @Test func writesThePublicKeyAsPassesHaveIt() throws {
    let key = try MerchantKey(pem: Self.files[0])
    #expect(
      key.publicKeyForPass
        == "MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADwKMBv29ByaSLiGF0FctuyB+Hs2oZ1kDIYhTVllPexNE=")
  }

  @Test(arguments: [
    // openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384
    (
      """
      MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBDIFN0gBP+oz1lRyRXW/HrBiIvqR6mgU5kEtd5q4541uXB3hPrzH+l\
      Cnh8gqrsXkShZANiAAS29VSNW9aBiCkNq+y1JlPaarngGwEfl6zRCY+9oVJxVfyVvDbbYNPG0pz14kYCsoPBfuVybXvhFe5rwSUO\
      7DCzATmlssIfl92pu7PBeLKPSr2kmORjPksr8S6UaUrHa54=
      """, PassError.otherCurve
    ),
    ("", .malformedKey), ("AAAA", .malformedKey), ("A", .malformedKey), ("....", .malformedKey),
  ]) func refusesOtherContent(body: String, error: PassError) {
    #expect(throws: error) { try MerchantKey(pem: Self.part("PRIVATE KEY", body)) }
  }

  @Test func refusesAPassphrase() {
    #expect(throws: PassError.encryptedKey) {
      try MerchantKey(pem: Self.part("ENCRYPTED PRIVATE KEY", "AAAA"))
    }
    #expect(throws: PassError.encryptedKey) {
      try MerchantKey(
        pem: Self.part("EC PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA")
      )
    }
  }

  @Test(arguments: [
    "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN -----", "-----BEGIN-----\n-----END-----",
    part(
      "PUBLIC KEY",
      "MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADwKMBv29ByaSLiGF0FctuyB+Hs2oZ1kDIYhTVllPexNE="),
  ]) func refusesWhatIsNoPrivateKey(_ text: String) {
    #expect(throws: PassError.malformedKey) { try MerchantKey(pem: text) }
  }

  @Test func refusesNumbersThatTheCurveDoesNotHave() {
    let order = bytes("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
    for number in [
      [], [1], [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32),
    ] {
      #expect(throws: PassError.malformedKey) { try MerchantKey(number: number) }
    }
  }

  @Test func hidesItself() throws {
    let key = try MerchantKey(pem: Self.files[0])
    var dumped = ""
    dump(key, to: &dumped)
    #expect(
      "\(key)\(String(reflecting: key))\(dumped)"
        == "MerchantKey(hidden)MerchantKey(hidden)- MerchantKey(hidden)\n")
  }
}
