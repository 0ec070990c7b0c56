import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import TravelDocuments

/// A virtual document before a reader, and how it is read.
struct DocumentBench: Sendable {
  /// The reader in front of the document.
  enum Connection: CaseIterable, Sendable {
    /// A PN532, with which answers have at most 262 bytes.
    case direct
    /// A PC/SC reader, with extended lengths.
    case pcsc
  }

  /// What a reading came to.
  struct Outcome: Sendable {
    let content: DocumentContent
    let commands: [APDU]
    let error: NFCError?
    let verdict: Verdict
    let verdictWithoutTrust: Verdict
  }

  /// A link that keeps the commands.
  final class Recorder: ChipLink {
    private let link: any ChipLink
    private(set) var commands: [APDU] = []
    /// Is called before each command with its number.
    var onCommand: (Int) throws -> Void = { _ in }

    init(_ link: any ChipLink) { self.link = link }

    var maximumCommandLength: Int { link.maximumCommandLength }
    var maximumResponseLength: Int { link.maximumResponseLength }
    func random(_ count: Int) throws -> [UInt8] { try link.random(count) }
    func activateAgain() throws { try link.activateAgain() }
    func transmit(_ command: APDU) throws -> ResponseAPDU {
      commands.append(command)
      try onCommand(commands.count - 1)
      return try link.transmit(command)
    }
  }

  static func reader(_ field: VirtualField, _ connection: Connection) async throws -> Reader {
    switch connection {
    case .direct: return try await DirectReader(field).open()
    case .pcsc:
      let virtual = VirtualPCSCReader(
        field, dialect: .transparentSession, hasExtendedLengths: true)
      return try await Reader.open(over: { virtual.service() })
    }
  }

  static func zonePassword() throws -> AccessPassword {
    try AccessPassword(MachineReadableZone(IssuedDocument.zone))
  }

  /// Finds the document in front of a reader.
  static func card(_ reader: Reader) async throws -> any ISO7816Tag {
    guard case .iso7816(let card) = try await reader.firstTag(within: .seconds(10)) else {
      throw NFCError(.wrongTag, "it is not a card")
    }
    try await card.connect()
    return card
  }

  /// Reads a document once.
  static func read(
    _ document: IssuedDocument, _ connection: Connection = .direct, password: AccessPassword?,
    options: ReadingOptions = ReadingOptions()
  ) async throws -> Outcome {
    let field = VirtualField()
    field.place(document.tag())
    let reader = try await reader(field, connection)
    let card = try await card(reader)
    let reading = DocumentReading(password: password, options: options)
    var trust = TrustStore()
    try trust.add(document.authority, name: "authority")
    let (commands, error) = try await card.exclusively { link -> ([APDU], NFCError?) in
      let recorder = Recorder(ReaderChipLink(link))
      do {
        try reading.run(over: recorder)
        return (recorder.commands, nil)
      } catch let error as NFCError {
        return (recorder.commands, error)
      }
    }
    await reader.close()
    let content = reading.content
    return Outcome(
      content: content, commands: commands, error: error, verdict: content.verdict(trust: trust),
      verdictWithoutTrust: content.verdict(trust: nil))
  }

  /// Checks that everything was read as it is, and that nothing is proved without trust.
  static func expectWhole(
    _ outcome: Outcome, _ document: IssuedDocument, chip: Verdict.Chip,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.error == nil, sourceLocation: location)
    #expect(
      outcome.content.groups.map(\.number) == document.document.dataGroups.keys.sorted(),
      sourceLocation: location)
    for (number, file) in document.document.dataGroups {
      #expect(DataGroup(number).flatMap { outcome.content[$0] } == file, sourceLocation: location)
    }
    #expect(outcome.content.unreadable.isEmpty, sourceLocation: location)
    let (verdict, plain) = (outcome.verdict, outcome.verdictWithoutTrust)
    #expect(verdict.data == .unchanged && verdict.issuer == .trusted, sourceLocation: location)
    #expect(verdict.chip == chip, "\(verdict.remarks)", sourceLocation: location)
    #expect(verdict.contradictions.isEmpty, "\(verdict)", sourceLocation: location)
    #expect(plain.data == .notChecked && plain.issuer == .notChecked, sourceLocation: location)
    #expect(plain.chip != .genuine && !plain.isTrusted, sourceLocation: location)
    #expect(verdict.isTrusted == (chip == .genuine || chip == .noProof), sourceLocation: location)
    #expect(outcome.content.exchangeCount == outcome.commands.count, sourceLocation: location)
  }

  /// The number of reads with as many bytes as fit.
  static func reads(_ sizes: [Int], _ cipher: TravelDocument.Cipher) -> Int {
    let limit = cipher == .tripleDES ? 231 : 223
    return sizes.reduce(0) { $0 + ($1 + limit - 1) / limit }
  }
}
