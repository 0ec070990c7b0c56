import NFC
import SwiftNFCJSONText

extension TagReport {
  /// Reads everything.
  ///
  /// - Parameters:
  ///   - keys: the keys for the tag.
  ///   - messageKeys: the keys for its message, if it is a MIFARE Classic.
  package init(
    _ tag: DetectedTag, _ keys: TagKeys, forMessage messageKeys: TagKeys,
    passwordBytes password: [UInt8]?, including extras: Extras
  ) async throws {
    // The information also identifies a chip whose UID leaves several open.
    let information = try await tag.vicinityInformation()
    let product = try await tag.product()
    var facts = tag.facts(product, information)
    if password != nil { try await tag.authenticate(password) }
    if let classic = tag.classic { try messageKeys.use(for: classic) }
    let content = try await NDEFContent.describe(tag)
    let details = try await TagDetails(
      tag, product, information, keys, password: password, listsMemory: extras.contains(.memory))
    let maker = tag.maker(product)
    if let maker { facts.append(JSONValue.Member(key: "maker", value: .string(maker))) }
    if let size = product?.memorySize {
      facts.append(JSONValue.Member(key: "memorySize", value: .integer(size)))
    }
    var table = FactTable()
    // The word "other" is for programs only.
    if case .other = tag { table.add("kind", tag.kindName.withoutArticle) }
    table.add(
      facts.filter {
        // What follows says in words what kind of UID it is.
        $0.key != DetectedTag.uidKindKey
          && ($0.key != "type" || $0.value.plainText != tag.otherTypeName)
      })
    for row in ActivationWords(tag).rows { table.add(row.name, row.value) }
    for line in content.lines { table.add("NDEF", line) }
    details.addRows(to: &table)
    let known = Set(facts.map(\.key))
    self.init(
      product: product, maker: maker, originality: details.originality,
      messageProblem: content.problem, message: try content.content?.message,
      table: table, memory: details.memory?.lines ?? [],
      members: facts + (content.json.map { [JSONValue.Member(key: "ndef", value: $0)] } ?? []),
      details: details.json.filter { !known.contains($0.key) })
    if extras.contains(.personal) { add(try await PersonalContent.read(tag)) }
  }

  /// Adds what is personal; `nil` is what cannot be read.
  private mutating func add(_ content: PersonalContent?) {
    guard let content else {
      return table.add("personal", "nothing that is known and needs no key")
    }
    details.append(JSONValue.Member(key: "personal", value: content.json))
    content.addRows(to: &table)
  }

  /// Returns the report as `nfc info --json` prints it.
  ///
  /// - Parameter describe: returns the object for a message that cannot be read.
  package func json(_ describe: (MessageProblem) -> JSONValue) -> JSONValue {
    .object(
      members
        + (messageProblem.map { [JSONValue.Member(key: "ndefError", value: describe($0))] } ?? [])
        + details)
  }
}

extension String {
  /// The text without its article: `tag` for `a tag`.
  fileprivate var withoutArticle: String {
    guard let space = firstIndex(of: " "), ["a", "an"].contains(self[..<space]) else { return self }
    return String(self[index(after: space)...])
  }
}

extension DetectedTag {
  /// The `type` of a tag that does not belong to an NFC Forum type, or `nil` for all other tags.
  fileprivate var otherTypeName: String? { if case .other = self { typeName } else { nil } }

  /// Returns the maker of the chip. It is taken from the product, or else from the first byte of a UID of 7 or
  /// 10 bytes (ISO/IEC 14443-3, 6.5.4) or from the second byte of an ISO 15693 UID.
  fileprivate func maker(_ product: TagProduct?) -> String? {
    // The SAK of a MIFARE Classic is not its maker's own, and a UID of four bytes names none (ISO/IEC 14443-3, 6.5.4).
    let isClassic = if case .miFare(let tag) = self { tag.family == .classic } else { false }
    let isOfAnyMaker = isClassic && product?.maker == "NXP"
    if let product, !isOfAnyMaker { return product.maker }
    let code: UInt8?
    switch self {
    case .iso15693(let tag): code = tag.icManufacturerCode
    // Other makers also produce cards of this kind.
    case .feliCa: return nil
    default:
      let hasMaker = technology == .iso14443a && [7, 10].contains(identifier.count)
      code = hasMaker ? identifier.first : nil
    }
    return code.flatMap(ChipMaker.name)
  }
}
