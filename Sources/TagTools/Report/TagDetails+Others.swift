import SwiftNFCJSONText
import NFC
import TravelDocuments

/// Details of a FeliCa card.
extension TagDetails {
  mutating func ask(
    _ tag: any FeliCaTag, _ product: TagProduct?, listsMemory: Bool
  ) async throws {
    let detected = DetectedTag.feliCa(tag)
    if let card = try await answer(detected, { try await FeliCaCard(tag, product) }) {
      facts += card.rows(tag)
      members += card.members(tag)
    }
    guard let lite = tag.lite else { return }
    if let configuration = try await answer(detected, { try await lite.memoryConfiguration() }) {
      let locked = FeliCaLiteMemoryConfiguration.blocks.filter {
        !configuration.writableBlocks.contains($0)
      }
      lockedBlocks = locked
      add(configuration)
    }
    guard listsMemory,
      let content = try await answer(
        detected,
        { try await detected.readImage(keys: TagKeys(), passwordBytes: nil, extent: .memory) })
    else { return }
    memory = MemoryListing(content.image, locked: lockedBlocks ?? [])
  }

  private mutating func add(_ configuration: FeliCaLiteMemoryConfiguration) {
    let keyed = configuration.readRestrictedBlocks.union(configuration.writeRestrictedBlocks)
    if !keyed.isEmpty {
      facts.append(("needs the card key", "blocks \(NumberList.text(keyed.sorted()))"))
    }
    facts.append(
      (
        "system blocks",
        configuration.systemBlocksAreWritable
          ? "can be written: the key can still be changed" : "permanently closed"
      ))
  }
}

/// Details of cards with known applications, which are recognized by their names. No data of the applications
/// is read.
extension TagDetails {
  mutating func askApplications(_ card: any ISO7816Tag) async throws {
    let found = try await KnownApplication.all(on: card)
    var list: [JSONValue] = []
    for application in found {
      facts.append(("application", application.name))
      list.append(
        .members(["aid": .string("\(application.aid)"), "name": .string(application.name)]))
      for payment in application.payments {
        let label = payment.label.isEmpty || payment.label == payment.name ? "" : payment.label
        facts.append(
          (
            "application",
            payment.name + (label.isEmpty ? "" : " (\(label))") + ", \(payment.aid.hexadecimal)"
          ))
        list.append(
          .members(["aid": .bytes(payment.aid), "name": .string(payment.name)]))
      }
    }
    if !list.isEmpty {
      members.append(JSONValue.Member(key: "applications", value: .array(list)))
      if found.contains(where: { $0.aid == KnownApplication.travelDocument }) {
        try await askAccess(card)
      }
    } else if try await Self.answer(.iso7816(card), { try await card.cardAccess() })??.offersPACE
      == true
    {
      // Newer documents show their application only after PACE.
      facts.append(("application", "passport or identity card (ICAO 9303), opened by PACE"))
      try await askAccess(card)
    }
  }

  /// Asks a travel document how it is opened, which it says to everyone.
  private mutating func askAccess(_ card: any ISO7816Tag) async throws {
    let infos = try await Self.answer(.iso7816(card)) {
      try await DocumentIdentification.readCardAccess(from: card)
    }
    guard let ways = infos??.pace, !ways.isEmpty else { return }
    for way in ways { facts.append(("opens by", way.description)) }
    members.append(
      JSONValue.Member(
        key: "document", value: .members(["access": .array(ways.map(\.accessMembers))])))
  }
}

extension PACEInfo {
  /// The members of a way of PACE.
  package var accessMembers: JSONValue {
    .members([
      "protocol": .string("PACE"), "mapping": .string(mapping.rawValue),
      "cipher": .string(cipher.rawValue), "curve": .string(parameters.description),
    ])
  }
}
