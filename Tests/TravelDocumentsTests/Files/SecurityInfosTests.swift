import SwiftNFCCore
import Testing

@testable import TravelDocuments

@Suite struct SecurityInfosTests {
  private static func set(_ entries: [UInt8]...) -> [UInt8] {
    DER.object(0x31, entries.flatMap(\.self))
  }

  private static func pace(_ suffix: [UInt8], version: UInt8 = 2, parameters: UInt8?) -> [UInt8] {
    DER.object(
      0x30,
      DER.object(0x06, bytes("04007F000702020 4".filter { $0 != " " }) + suffix) + [
        0x02, 1, version,
      ]
        + (parameters.map { [0x02, 1, $0] } ?? []))
  }

  @Test func everyWayOfPACE() throws {
    let mappings: [(UInt8, PACEInfo.Mapping, Bool)] = [
      (1, .generic, false), (2, .generic, true), (3, .integrated, false), (4, .integrated, true),
      (6, .chipAuthentication, true),
    ]
    for (number, mapping, isCurve) in mappings {
      for (index, cipher) in BlockCipher.allCases.enumerated() {
        for parameters in (0...18).map(UInt8.init) {
          let file = Self.set(Self.pace([number, UInt8(index + 1)], parameters: parameters))
          let info = try SecurityInfos(file).preferredPACE
          let isGroup = parameters <= 2
          let isKnown = isGroup || parameters >= 8
          let isPossible =
            isKnown && isGroup != isCurve
            && !(mapping == .integrated && parameters == 10)
            && !(mapping == .chipAuthentication && cipher == .tripleDES)
          #expect((info != nil) == isPossible, "\(number) \(index) \(parameters)")
          guard let info else { continue }
          #expect(info.mapping == mapping && info.cipher == cipher)
          #expect(info.parameters.number == Int(parameters))
        }
      }
    }
  }

  @Test func theBestWayComesFirst() throws {
    let file = Self.set(
      Self.pace([4, 2], parameters: 13), Self.pace([2, 1], parameters: 12),
      Self.pace([2, 4], parameters: 16), Self.pace([2, 2], parameters: 13),
      Self.pace([9, 9], parameters: 13))
    let infos = try SecurityInfos(file + [0, 0])
    #expect(infos.pace.count == 4)
    #expect(infos.preferredPACE?.description == "PACE-GM AES-256 brainpoolP384r1")
    let mapped = try SecurityInfos(
      Self.set(Self.pace([2, 4], parameters: 13), Self.pace([6, 2], parameters: 12)))
    #expect(mapped.preferredPACE?.mapping == .chipAuthentication)
    let old = try SecurityInfos(Self.set(Self.pace([2, 2], version: 1, parameters: 13)))
    #expect(old.preferredPACE == nil)
    #expect(old.hasPACE)
  }

  @Test func unknownAndBrokenEntriesAreLeftOut() throws {
    let good = Self.pace([2, 2], parameters: 13)
    let infos = try SecurityInfos(
      Self.set([0x30, 0x00], [0x04, 0x01, 0xFF], [0x30, 0x03, 0x02, 0x01, 0x05], good))
    #expect(infos.pace.count == 1)
    for file in ["", "31", "3105", "30020500", "3180", "31041234"] {
      #expect(throws: DataObjectError.self, "\(file)") { try SecurityInfos(bytes(file)) }
    }
  }

  @Test func dataGroup14() throws {
    let infos = try SecurityInfos(dataGroup: Fixtures["dg14"])
    #expect(infos.pace.count == 1)
    #expect(infos.chipAuthentication.map(\.cipher) == [.aes128])
    #expect(infos.chipAuthenticationKeys.count == 1)
    #expect(infos.activeAuthenticationDigest == .sha256)
    let procedure = try #require(ChipAuthentication(infos))
    #expect(procedure.info.keyIdentifier == 1)
    var without = infos
    without.chipAuthentication = []
    // France, 2013 to 2017: a key and no entry.
    #expect(ChipAuthentication(without)?.info.cipher == .tripleDES)
    without.chipAuthenticationKeys = []
    #expect(ChipAuthentication(without) == nil)
  }

  @Test func securityOfTheCardHasTheKeyByTheNumberOfItsCurve() throws {
    let signed = try SignedData(Fixtures["cardsecurity"][...])
    #expect(signed.contentType.description == "0.4.0.127.0.7.3.2.1")
    let infos = try SecurityInfos(BERObject(signed.content))
    #expect(infos.preferredPACE?.mapping == .chipAuthentication)
    #expect(infos.chipAuthenticationKeys.map(\.identifier) == [13])
    // The chip's factor is its mapping key divided by its own.
    let own = try Fixtures["cam-private"]
    let curve = StandardCurve.brainpoolP256r1
    let order = try #require(OpenSSL.numbers(of: curve)?.order)
    let mapping = bytes("498FF49756F2DC1587840041839A85982BE7761D14715FB091EFA7BCE9058560")
    let inverse = try #require(OpenSSL.modular(.inverse, own, modulus: order))
    let factor = try #require(OpenSSL.modular(.product, mapping, inverse, modulus: order))
    let proof = PACE.ChipProof(
      mappingKey: try #require(OpenSSL.product(mapping, on: curve)), factor: factor, curve: curve,
      keyIdentifier: 13)
    func verdict(_ proof: PACE.ChipProof?, trust: TrustStore?) throws -> Verdict {
      try Fixtures.content("sod-small", groups: [1: "dg1", 2: "dg2"]) { state in
        let info = PACEInfo(
          "0.4.0.127.0.7.2.2.4.6.2", .chipAuthentication, .aes128, .curve(curve), number: 13)
        state.access = .pace(info, password: .machineReadableZone)
        state.mappingProof = proof
        let file = try? Fixtures["cardsecurity"]
        state.files[.cardSecurity] = PartialFile(bytes: file ?? [], total: file?.count)
      }.verdict(trust: trust)
    }
    let trust = try Fixtures.store("csca-rsa")
    #expect(try verdict(proof, trust: trust).chip == .genuine)
    #expect(try verdict(proof, trust: nil).chip == .notChecked)
    #expect(try verdict(nil, trust: trust).chip == .notChecked)
    let other = PACE.ChipProof(
      mappingKey: proof.mappingKey, factor: own, curve: curve, keyIdentifier: 13)
    #expect(try verdict(other, trust: trust).chip == .clone)
    let unknown = PACE.ChipProof(
      mappingKey: proof.mappingKey, factor: factor, curve: curve, keyIdentifier: 12)
    #expect(try verdict(unknown, trust: trust).chip == .notChecked)
  }
}
