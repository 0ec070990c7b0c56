import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import TravelDocuments

/// Chips that prove their keys, and copies that cannot.
@Suite struct ChipProofTests {
  private struct Row: Sendable {
    let agreement: IssuedDocument.Agreement
    var connection = DocumentBench.Connection.direct
    var isBasic = false
  }

  private static let rows: [Row] = {
    var rows: [Row] = []
    for cipher in TravelDocument.Cipher.allCases {
      for parameters in [12, 13, 18] { rows.append(Row(agreement: .init(cipher, parameters))) }
      rows.append(Row(agreement: .init(cipher, 16, identifier: 7)))
      rows.append(Row(agreement: .init(cipher, 0)))
      rows.append(Row(agreement: .init(cipher, 2), connection: .pcsc))
      rows.append(Row(agreement: .init(cipher, 13), isBasic: true))
    }
    rows.append(Row(agreement: .init(.tripleDES, 13, hasInformation: false), isBasic: true))
    rows.append(
      Row(agreement: .init(.tripleDES, 0, identifier: 1, hasInformation: false)))
    return rows
  }()

  @Test(arguments: rows.indices) func chipAuthentication(_ index: Int) async throws {
    let row = Self.rows[index]
    for isCopy in [false, true] {
      let document = try IssuedDocument {
        if row.isBasic { $0.chip.passwordProtocols = [] }
        $0.agreements = [row.agreement]
        $0.isCopy = isCopy
        $0.chip.extendedLengths =
          row.connection == .pcsc ? .init(command: 1024, response: 1024) : nil
      }
      let outcome = try await DocumentBench.read(
        document, row.connection, password: try DocumentBench.zonePassword())
      DocumentBench.expectWhole(outcome, document, chip: isCopy ? .clone : .genuine)
      guard !isCopy, row.connection == .direct else { continue }
      // The floor: with the old keys EF.SOD and data group 14 are read.
      let groups = document.document.dataGroups
      let before = [document.document.securityObject?.count ?? 0, groups[14]?.count ?? 0]
      let after = [groups[1]?.count ?? 0, 22]
      let floor =
        (row.isBasic ? 6 : 7) + DocumentBench.reads(before, row.isBasic ? .tripleDES : .aes128)
        + (row.agreement.cipher == .tripleDES ? 1 : 2)
        + DocumentBench.reads(after, row.agreement.cipher)
      #expect(outcome.commands.count == floor)
    }
  }

  /// The key is chosen by its number, and AES is preferred.
  @Test func twoKeys() async throws {
    let document = try IssuedDocument {
      $0.agreements = [
        .init(.tripleDES, 12, identifier: 1), .init(.aes256, 16, identifier: 2),
      ]
    }
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .genuine)
    #expect(outcome.content.securityInfos?.chipAuthentication.count == 2)
  }

  private static let signatures: [(IssuedDocument.Signature, isExtended: Bool)] = [
    (.rsa(bits: 1024), false), (.rsa(bits: 1024, usesSHA256: true), false),
    (.rsa(bits: 1536), false), (.rsa(bits: 2048), false), (.rsa(bits: 2048), true),
    (.ecdsa(parameters: 8), false), (.ecdsa(parameters: 12), false),
    (.ecdsa(parameters: 13, isDER: true), false), (.ecdsa(parameters: 16, isDER: true), false),
    (.ecdsa(parameters: 18), false),
  ]

  @Test(arguments: signatures.indices) func activeAuthentication(_ index: Int) async throws {
    let (signature, isExtended) = Self.signatures[index]
    for isCopy in [false, true] {
      let document = try IssuedDocument {
        $0.signature = signature
        $0.isCopy = isCopy
        if isExtended { $0.chip.extendedLengths = .init(command: 1024, response: 1024) }
      }
      let outcome = try await DocumentBench.read(
        document, isExtended ? .pcsc : .direct, password: try DocumentBench.zonePassword())
      DocumentBench.expectWhole(outcome, document, chip: isCopy ? .clone : .genuine)
      let own = outcome.commands.filter { $0.instructionCode == 0x88 }
      #expect(own.count == 1)
      guard !isExtended else { continue }
      // Some chips refuse the command without a plain Le: it is the last object before the MAC.
      let last = Array(own.first?.data.dropLast(10).suffix(3) ?? [])
      #expect(last.prefix(2) == [0x97, 0x01])
      // A signature of 2048 bits comes in two parts.
      let parts = outcome.commands.filter { $0.instructionCode == 0xC0 }.count
      #expect(
        outcome.commands.count
          == 7 + DocumentBench.reads(document.fileSizes, .aes128) + 1 + parts)
      if case .rsa(let bits, _) = signature { #expect(parts == (bits == 2048 ? 1 : 0)) }
    }
  }

  /// A signature that a chip cuts off proves nothing, and is no sign of a copy.
  @Test func aSignatureThatIsCutOff() async throws {
    let order: (inout IssuedDocument.Order) -> Void = {
      $0.signature = .rsa(bits: 2048)
      $0.chip.cutsLongSignatures = true
    }
    let document = try IssuedDocument(order)
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .notChecked)
    // With extended lengths, it fits.
    let other = try IssuedDocument {
      order(&$0)
      $0.chip.extendedLengths = .init(command: 1024, response: 1024)
    }
    let whole = try await DocumentBench.read(
      other, .pcsc, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(whole, other, chip: .genuine)
  }

  /// A chip with one right key and one wrong one is a copy.
  @Test func bothProofs() async throws {
    for isCopy in [false, true] {
      let document = try IssuedDocument {
        $0.agreements = [.init(.aes128, 13)]
        $0.signature = .ecdsa(parameters: 12)
        $0.isCopy = isCopy
      }
      let outcome = try await DocumentBench.read(
        document, password: try DocumentBench.zonePassword())
      DocumentBench.expectWhole(outcome, document, chip: isCopy ? .clone : .genuine)
    }
  }

  /// The chip's own statement is not enough: its key has to be the one that the issuer has signed.
  @Test func aKeyThatNobodyHasSigned() async throws {
    let real = try IssuedDocument { $0.agreements = [.init(.aes128, 13)] }
    let forged = try IssuedDocument { $0.agreements = [.init(.aes128, 13)] }
    // The forger's groups and key, with the signature of the real document.
    let document = try TravelDocument(
      machineReadableZone: IssuedDocument.zone,
      dataGroups: forged.document.dataGroups.filter { $0.key > 1 },
      securityObject: real.document.securityObject)
    let field = VirtualField()
    field.place(.emrtd(document, chip: forged.chip))
    let reader = try await DocumentBench.reader(field, .direct)
    let reading = DocumentReading(password: try DocumentBench.zonePassword())
    try await reading.run(on: try await DocumentBench.card(reader))
    await reader.close()
    var trust = TrustStore()
    try trust.add(real.authority, name: "authority")
    let verdict = reading.content.verdict(trust: trust)
    #expect(verdict.chip != .genuine && verdict.chip != .clone)
    #expect(verdict.data == .changed && verdict.changedGroups == [14])
    #expect(!verdict.isTrusted)
  }
}
