import ArgumentParser
import SwiftNFCJSONText
import NFC
import TagTools
import TravelDocuments

/// The command `nfc passport info`.
struct PassportInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows how a document is opened, without a password.",
    usage: "nfc passport info [<options>]",
    discussion: """
      Nothing of the holder is read.

      Example:
        nfc passport info --virtual emrtd
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectTravelDocument()
      let found = try await tag.addingTagName {
        try await DocumentIdentification.read(from: tag.kind)
      }
      guard found.isTravelDocument else {
        throw Failure(
          .notThere, "the card is not a travel document", tag: tag.name, advice: "use another card")
      }
      let facts = DocumentFacts(found)
      guard options.json else { return try facts.print(uid: tag.detected.identifier.uidText) }
      try Output.line(facts.json(uid: tag.detected.identifier).text)
    }
  }
}

extension Session {
  /// Waits for a card that may be a travel document, which only its answers say.
  func selectTravelDocument() async throws -> SelectedTag<any Tag> {
    try await selectTag(
      "a travel document (ISO 14443-4)", polling: .smartCards, requestsVersion: false, for: .reading
    ) { tag -> (any Tag)? in
      switch tag {
      case .iso7816(let card): card
      // Some documents look like other cards of type A with an answer to select.
      case .miFare(let card) where !card.ats.isEmpty: card
      default: nil
      }
    }
  }
}

/// What a document says without a password, for people and programs.
private struct DocumentFacts {
  private let found: DocumentIdentification

  init(_ found: DocumentIdentification) { self.found = found }

  private var ways: [PACEInfo] { found.cardAccess?.pace ?? [] }

  private static func name(_ aid: [UInt8]) -> String? {
    KnownApplication.name(of: aid)
  }

  func print(uid: String) throws {
    var table = FactTable()
    table.add("UID", uid)
    table.add(
      "kind",
      found.directory.map { $0.applications.isEmpty } ?? true
        ? "travel document (ICAO 9303)" : "identity card or travel document (ICAO 9303)")
    for way in ways { table.add("opens by", way.description) }
    if found.cardAccess?.hasPACE == true, ways.isEmpty {
      table.add("opens by", "PACE in a way that is not known here")
    }
    if found.offersBasicAccess { table.add("opens by", "BAC, with the machine readable zone") }
    if found.isOpen { table.add("opens by", "nothing: it has no protection") }
    if found.cardAccess?.hasTerminalAuthentication == true {
      table.add(
        "biometric data", "closed: requires terminal authentication, which is not supported")
    }
    for info in found.cardAccess?.chipAuthentication ?? [] {
      table.add("chip authentication", "\(info.cipher)")
    }
    if let attributes = found.attributes {
      if let command = attributes.maximumCommandLength,
        let response = attributes.maximumResponseLength
      {
        table.add("longest command", "\(command) bytes")
        table.add("longest answer", "\(response) bytes")
      }
      if let capabilities = attributes.capabilities {
        table.add("card capabilities", capabilities.hexadecimal)
      }
    }
    for application in found.directory?.applications ?? [] {
      let name = Self.name(application).map { " (\($0))" } ?? ""
      table.add("application", application.hexadecimal + name)
    }
    try table.print()
  }

  func json(uid: [UInt8]) -> JSONValue {
    var protocols = ways.map(\.accessMembers)
    if found.offersBasicAccess { protocols.append(.members(["protocol": .string("BAC")])) }
    return .members([
      "uid": .bytes(uid),
      "access": .array(protocols),
      "open": found.isOpen ? .bool(true) : nil,
      "cardAccess": found.cardAccess.map { infos in
        .members([
          "identifiers": .array(infos.identifiers.map { .string($0.description) }),
          "terminalAuthentication": .bool(infos.hasTerminalAuthentication),
        ])
      },
      "attributes": found.attributes.map { attributes in
        .members([
          "maximumCommandLength": attributes.maximumCommandLength.map { .integer($0) },
          "maximumResponseLength": attributes.maximumResponseLength.map { .integer($0) },
          "capabilities": attributes.capabilities.map { .bytes($0) },
        ])
      },
      "applications": found.directory.map { .array($0.applications.map { .bytes($0) }) },
    ])
  }
}
