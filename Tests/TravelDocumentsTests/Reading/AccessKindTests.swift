import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import TravelDocuments

/// Every way of access, on virtual documents with keys of their own.
@Suite struct AccessKindTests {
  typealias Way = TravelDocument.PasswordProtocol

  private static let curves = Array(8...18)

  /// Reads a document with one way of PACE, and asserts the floor of exchanges.
  private func expectFloor(
    _ way: Way, byNumber: Bool = false, _ connection: DocumentBench.Connection = .direct,
    isCopy: Bool = false
  ) async throws {
    let document = try IssuedDocument {
      $0.chip.passwordProtocols = [way]
      $0.chip.opensByBasicAccess = false
      $0.chip.cardAccessNumber = IssuedDocument.number
      $0.hasMappingKey = way.mapping == .chipAuthentication
      $0.isCopy = isCopy
    }
    let password =
      byNumber
      ? AccessPassword(cardAccessNumber: IssuedDocument.number)
      : try DocumentBench.zonePassword()
    let outcome = try await DocumentBench.read(document, connection, password: password)
    let isProven = way.mapping == .chipAuthentication
    DocumentBench.expectWhole(
      outcome, document, chip: isCopy ? .clone : isProven ? .genuine : .noProof)
    guard case .pace(let info, let kind) = outcome.content.access else {
      Issue.record("opened by \(String(describing: outcome.content.access))")
      return
    }
    #expect(kind == (byNumber ? .cardAccessNumber : .machineReadableZone))
    #expect(info.parameters.number == way.domainParameters)
    let sizes = document.fileSizes + [document.chip.cardSecurity?.count ?? 0]
    // EF.CardAccess, MSE:Set AT, four GENERAL AUTHENTICATE, SELECT; over PC/SC, EF.ATR/INFO is looked for.
    let floor = 7 + DocumentBench.reads(sizes, way.cipher)
    if connection == .direct {
      #expect(outcome.commands.count == floor)
    } else {
      #expect(outcome.commands.count <= floor + sizes.count)
    }
  }

  @Test(arguments: curves) func genericMapping(_ parameters: Int) async throws {
    try await expectFloor(Way(.generic, domainParameters: parameters))
    try await expectFloor(Way(.generic, domainParameters: parameters), byNumber: true)
  }

  /// The encoding of points does not exist for secp224r1.
  @Test(arguments: curves.filter { $0 != 10 }) func integratedMapping(
    _ parameters: Int
  ) async throws {
    try await expectFloor(Way(.integrated, domainParameters: parameters))
  }

  @Test(arguments: curves) func chipAuthenticationMapping(_ parameters: Int) async throws {
    try await expectFloor(Way(.chipAuthentication, domainParameters: parameters))
    try await expectFloor(Way(.chipAuthentication, domainParameters: parameters), isCopy: true)
  }

  @Test(arguments: TravelDocument.Cipher.allCases)
  func everyCipher(_ cipher: TravelDocument.Cipher) async throws {
    for mapping in Way.Mapping.allCases where mapping != .chipAuthentication || cipher != .tripleDES
    {
      try await expectFloor(Way(mapping, cipher, domainParameters: 13))
      try await expectFloor(Way(mapping, cipher, domainParameters: 15), byNumber: true)
    }
  }

  /// Only the smallest group fits the commands of a PN532.
  @Test(arguments: [Way.Mapping.generic, .integrated])
  func groupsOfIntegers(_ mapping: Way.Mapping) async throws {
    for cipher in TravelDocument.Cipher.allCases {
      try await expectFloor(Way(mapping, cipher, domainParameters: 0))
    }
    for parameters in 0...2 {
      try await expectFloor(Way(mapping, domainParameters: parameters), .pcsc)
    }
  }

  @Test func aGroupThatDoesNotFitTheReaderIsNotTried() async throws {
    let document = try IssuedDocument {
      $0.chip.passwordProtocols = [Way(.generic, domainParameters: 1)]
    }
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    #expect(outcome.error?.code == .unsupported)
    #expect(outcome.content.groups.isEmpty)
  }

  /// Mapping with a proof first, then generic mapping; AES before triple DES.
  @Test func theBestWayIsTaken() async throws {
    let document = try IssuedDocument {
      $0.chip.passwordProtocols = [
        Way(.integrated), Way(.generic, .tripleDES, domainParameters: 12),
        Way(.generic, .aes256, domainParameters: 16),
      ]
    }
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .noProof)
    #expect(
      outcome.content.access?.description == "PACE-GM AES-256 brainpoolP384r1 with the zone")
  }

  // MARK: Refusals

  @Test func aWrongNumberIsTriedOnce() async throws {
    for mapping in Way.Mapping.allCases {
      let document = try IssuedDocument {
        $0.chip.passwordProtocols = [Way(mapping)]
        $0.chip.cardAccessNumber = IssuedDocument.number
        $0.hasMappingKey = mapping == .chipAuthentication
      }
      let outcome = try await DocumentBench.read(
        document, password: AccessPassword(cardAccessNumber: "501995"))
      #expect(outcome.error?.code == .authenticationFailed)
      #expect(outcome.commands.filter { $0.instructionCode == 0x86 }.count == 4)
      #expect(!outcome.commands.contains { $0.instructionCode == 0x82 })
      #expect(outcome.content.access == nil)
    }
  }

  @Test func aDocumentThatHasOnlyPACEIsSaidToHaveIt() async throws {
    let document = try IssuedDocument {
      $0.chip.passwordProtocols = []
      $0.chip.opensByBasicAccess = false
    }
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    #expect(outcome.error?.code == .notAuthenticated)
    #expect(outcome.error?.description.contains("PACE") == true)
    #expect(outcome.commands.filter { $0.instructionCode == 0x82 }.count == 1)
  }

  // MARK: Others

  @Test(arguments: DocumentBench.Connection.allCases)
  func basicAccess(_ connection: DocumentBench.Connection) async throws {
    let document = try IssuedDocument { $0.chip.passwordProtocols = [] }
    let outcome = try await DocumentBench.read(
      document, connection, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .noProof)
    #expect(outcome.content.access == .basic)
    // SELECT and two exchanges of access; EF.CardAccess is looked for in two ways.
    let floor = 3 + DocumentBench.reads(document.fileSizes, .tripleDES)
    #expect(outcome.commands.count <= floor + 3 + (connection == .pcsc ? 3 : 0))
  }

  @Test(arguments: DocumentBench.Connection.allCases)
  func aDocumentWithoutAccessControl(_ connection: DocumentBench.Connection) async throws {
    for password in [nil, try DocumentBench.zonePassword()] {
      let document = try IssuedDocument {
        $0.chip.passwordProtocols = []
        $0.chip.isOpen = true
        $0.signature = .rsa(bits: 1024)
        $0.face = DocumentFace.jpeg.dataGroup(20_480)
      }
      let outcome = try await DocumentBench.read(document, connection, password: password)
      DocumentBench.expectWhole(outcome, document, chip: .genuine)
      #expect(outcome.content.access == .open)
      #expect(outcome.content.face?.bytes.count == 20_480)
    }
  }

  /// A document of type B chooses another number at each power-up.
  @Test func typeB() async throws {
    let document = try IssuedDocument {
      $0.chip.isTypeB = true
      $0.chip.cardAccessNumber = IssuedDocument.number
    }
    let outcome = try await DocumentBench.read(
      document, password: AccessPassword(cardAccessNumber: IssuedDocument.number))
    DocumentBench.expectWhole(outcome, document, chip: .noProof)
    #expect(outcome.commands.count == 7 + DocumentBench.reads(document.fileSizes, .aes128))
  }
}
