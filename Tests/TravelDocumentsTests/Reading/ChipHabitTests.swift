import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import TravelDocuments

/// Sizes, large files, chips that are dead after an error, and documents that are lifted.
@Suite struct ChipHabitTests {
  // MARK: Sizes

  @Test(arguments: [192, 160, 128, 112])
  func smallerSizes(_ size: Int) async throws {
    for (word, isBare) in [
      (UInt16(0x6700), false), (0x6700, true), (0x6B00, false), (0x6282, false), (0x6C00, false),
      (0x6C00, true),
    ] {
      let document = try IssuedDocument {
        $0.chip.largestRead = size
        $0.chip.statusForLargeReads = word
        $0.chip.refusesLargeReadsBare = isBare
        $0.face = DocumentFace.jpeg.dataGroup(2000)
      }
      let outcome = try await DocumentBench.read(
        document, password: try DocumentBench.zonePassword())
      DocumentBench.expectWhole(outcome, document, chip: .noProof)
      let reads = document.fileSizes.reduce(0) { $0 + ($1 + size - 1) / size }
      #expect(outcome.commands.count <= 7 + reads + 4, "\(word) \(isBare)")
    }
  }

  @Test func withoutShortIdentifiers() async throws {
    let document = try IssuedDocument {
      $0.chip.hasShortIdentifiers = false
      $0.agreements = [.init(.aes128, 13)]
    }
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .genuine)
    let floor = 7 + 2 + DocumentBench.reads(document.fileSizes, .aes128)
    #expect(outcome.commands.count <= floor + document.fileSizes.count + 1)
  }

  @Test(arguments: DocumentFace.allCases) func largeFaces(_ format: DocumentFace) async throws {
    let files = format.dataGroup(70_000)
    for (connection, lengths, reads) in [
      (DocumentBench.Connection.direct, nil, (files.count - 32_768) / 219 + 32_768 / 223 + 2),
      (.pcsc, TravelDocument.ExtendedLengths(command: 4096, response: 4096), 19),
    ] {
      let document = try IssuedDocument {
        $0.face = files
        $0.chip.extendedLengths = lengths
      }
      let outcome = try await DocumentBench.read(
        document, connection, password: try DocumentBench.zonePassword())
      DocumentBench.expectWhole(outcome, document, chip: .noProof)
      #expect(outcome.content.face?.bytes == format.image(70_000))
      #expect(outcome.content.face?.width == 48 && outcome.content.face?.height == 64)
      #expect("\(outcome.content.face?.format.rawValue ?? "")" == "\(format)")
      // The face is the last file.
      let first = outcome.commands.lastIndex { $0.instructionCode == 0xB0 && $0.p1 == 0x82 } ?? 0
      #expect(outcome.commands.count - first <= reads)
    }
  }

  /// Sizes of the table in EF.ATR/INFO; without it, no command is extended.
  @Test(arguments: [(512, 43), (1024, 21), (4096, 6), (65_538, 1)])
  func extendedLengths(_ response: Int, _ reads: Int) async throws {
    let face = DocumentFace.jpeg.dataGroup(20_480 - 78)
    #expect(face.count == 20_480)
    let document = try IssuedDocument {
      $0.face = face
      $0.chip.extendedLengths = .init(command: 1024, response: response)
    }
    let outcome = try await DocumentBench.read(
      document, .pcsc, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .noProof)
    let first = outcome.commands.lastIndex { $0.instructionCode == 0xB0 && $0.p1 == 0x82 } ?? 0
    #expect(outcome.commands.count - first == reads)
    let short = try await DocumentBench.read(
      document, .direct, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(short, document, chip: .noProof)
    #expect(!short.commands.contains { $0.isExtended })
  }

  // MARK: Content

  /// Data group 13 is the issuer's own, and may be no TLV. The entries of data group 14 may be in another order than DER
  /// demands: its hash is that of the bytes as they were read.
  @Test func filesAreTakenAsTheyAre() async throws {
    let entries = ["2.23.136.1.1.99", "2.23.136.1.1.98"].flatMap {
      DERWriter.sequence(DERWriter.identifier($0), DERWriter.integer(1))
    }
    let document = try IssuedDocument {
      $0.otherGroups = [
        13: DERWriter.object(0x6D, [0xFF, 0x84, 0x00] + Array("no TLV".utf8)),
        14: DERWriter.object(0x6E, DERWriter.object(0x31, entries)),
      ]
    }
    let outcome = try await DocumentBench.read(
      document, password: try DocumentBench.zonePassword())
    DocumentBench.expectWhole(outcome, document, chip: .noProof)
  }

  // MARK: Dead chips

  private func read(_ tag: VirtualTag, _ reading: DocumentReading) async throws -> NFCError? {
    let field = VirtualField()
    field.place(tag)
    let reader = try await DocumentBench.reader(field, .direct)
    var found: NFCError?
    do {
      try await reading.run(on: try await DocumentBench.card(reader))
    } catch let error as NFCError {
      found = error
    }
    await reader.close()
    field.removeAll()
    return found
  }

  /// A chip that wants its power switched off after a size that it does not like: the reading says so, and goes on with
  /// what is known then.
  @Test(arguments: [UInt16(0x6B00), 0x6700, 0x6282])
  func aChipThatIsDeadAfterAnError(_ word: UInt16) async throws {
    let document = try IssuedDocument {
      $0.chip.largestRead = 160
      $0.chip.statusForLargeReads = word
      $0.chip.isDeadAfterErrors = true
      $0.face = DocumentFace.j2k.dataGroup(3000)
    }
    let tag = document.tag()
    let reading = DocumentReading(password: try DocumentBench.zonePassword())
    var errors = 0
    while let error = try await read(tag, reading) {
      #expect(error.code == .tagConnectionLost, "\(error)")
      errors += 1
      guard reading.canContinue, errors < 6 else {
        Issue.record("it does not end: \(error)")
        return
      }
    }
    #expect(errors > 0)
    #expect(reading.content.groups.map(\.number) == [1, 2])
    #expect(reading.content[.face] == document.document.dataGroups[2])
  }

  @Test func aChipThatIsDeadAfterAWrongPassword() async throws {
    for isBasic in [false, true] {
      let document = try IssuedDocument {
        if isBasic { $0.chip.passwordProtocols = [] }
        $0.chip.isDeadAfterErrors = true
      }
      let tag = document.tag()
      let other = try AccessPassword(documentNumber: "L898902C4", birth: "740812", expiry: "120415")
      let wrong = DocumentReading(password: other)
      #expect(try await read(tag, wrong)?.code == .authenticationFailed)
      #expect(!wrong.canContinue)
      // The right one, after the carrier was off.
      let right = DocumentReading(password: try DocumentBench.zonePassword())
      #expect(try await read(tag, right) == nil)
    }
  }

  // MARK: Lifted documents

  /// A document that is lifted and put back before the same reader goes on at the byte that was reached.
  @Test(arguments: DocumentBench.Connection.allCases)
  func aDocumentThatIsLifted(_ connection: DocumentBench.Connection) async throws {
    let document = try IssuedDocument {
      $0.agreements = [.init(.aes128, 13)]
      $0.signature = .ecdsa(parameters: 12)
      $0.face = DocumentFace.jpeg.dataGroup(20_000)
    }
    let field = VirtualField()
    let tag = document.tag()
    field.place(tag)
    let reader = try await DocumentBench.reader(field, connection)
    let reading = DocumentReading(password: try DocumentBench.zonePassword())
    var lifts = 0
    var counts: [Int] = []
    for lift in [30, 20, 40, nil] as [Int?] {
      if field.tags.isEmpty { field.place(tag) }
      let card = try await DocumentBench.card(reader)
      let (count, error) = try await card.exclusively { link -> (Int, NFCError?) in
        let recorder = DocumentBench.Recorder(ReaderChipLink(link))
        recorder.onCommand = { if $0 == lift { field.removeAll() } }
        do {
          try reading.run(over: recorder)
          return (recorder.commands.count, nil)
        } catch let error as NFCError { return (recorder.commands.count, error) }
      }
      counts.append(count)
      guard let error else { break }
      lifts += 1
      #expect(error.group == .connection && reading.canContinue, "\(error)")
    }
    await reader.close()
    #expect(lifts == 3)
    #expect(reading.content.groups.map(\.number) == [1, 2, 14, 15])
    #expect(reading.content[.face] == document.document.dataGroups[2])
    var trust = TrustStore()
    try trust.add(document.authority, name: "authority")
    #expect(reading.content.verdict(trust: trust).isTrusted)
    // Each time: access, EF.SOD again, at most one SELECT, and no byte twice but those of the lost answer.
    let whole = 7 + 2 + 1 + DocumentBench.reads(document.fileSizes, .aes128)
    let identity = DocumentBench.reads([document.document.securityObject?.count ?? 0], .aes128)
    let extra = connection == .pcsc ? 6 : 0
    #expect(counts.reduce(0, +) <= whole + extra + lifts * (7 + identity + 1 + 1 + 2))
  }
}
