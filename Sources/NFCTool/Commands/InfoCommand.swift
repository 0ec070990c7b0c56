import SwiftNFCJSONText
import ArgumentParser
import NFC

/// The command `nfc info`.
struct InfoCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows all there is to know about a tag.",
    usage: "nfc info [--memory] [--personal] [<options>]",
    discussion: """
      Prints the chip and its maker, what activation reports, the NDEF message, whether the maker's \
      signature is genuine, locks, password protection and counters; depending on the kind of tag also \
      sectors and their keys, applications and files, or systems and services. Nothing personal is read without \
      --personal, which adds the balance and journeys of a Japanese transit card or a T-money card, with the numbers \
      of stations. --memory adds the memory in hexadecimal and as text, with * where it is locked.

      With --json, a message that cannot be read is missing, and ndefError gives the exit code of nfc read \
      and the reason.

      Examples:
        nfc info --virtual ntag216
        nfc info --memory --virtual icode-slix2
      """)

  @Flag(help: "Show the memory, too.")
  var memory = false

  @Flag(help: "Show balance and journeys of a transit card, too.")
  var personal = false

  @OptionGroup var keys: TagKeys
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectTag("a tag", polling: .any, for: .reading) { $0 }
      let report = try await tag.changingNDEF {
        var report = try await Report(tag.kind, keys, password: password, listsMemory: memory)
        if personal { report.add(try await PersonalContent.read(tag.kind)) }
        return report
      }
      guard !options.json else { return try Output.line(report.json.text) }
      try report.print()
    }
  }
}

/// All data about a tag.
private struct Report: Sendable {
  private(set) var json: JSONValue
  private var table: FactTable
  private let memory: [String]

  init(
    _ tag: DetectedTag, _ keys: TagKeys, password: [UInt8]?, listsMemory: Bool
  ) async throws {
    // The information also identifies a chip whose UID leaves several open.
    let information = try await tag.vicinityInformation()
    let product = try await tag.product()
    var facts = tag.facts(product, information)
    if password != nil { try await tag.authenticate(password) }
    try tag.useForMessage(keys.found)
    let content = try await NDEFContent.describe(tag)
    let details = try await TagDetails(
      tag, product, information, keys, password: password, listsMemory: listsMemory)
    if let maker = tag.maker(product) {
      facts.append(JSONValue.Member(key: "maker", value: .string(maker)))
    }
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
    self.table = table
    memory = details.memory?.lines ?? []
    let known = Set(facts.map(\.key))
    json = .object(
      facts
        + [
          content.json.map { JSONValue.Member(key: "ndef", value: $0) },
          content.failure.map { JSONValue.Member(key: "ndefError", value: $0.json) },
        ].compactMap(\.self) + details.json.filter { !known.contains($0.key) })
  }

  /// Adds what is personal; `nil` is what cannot be read.
  mutating func add(_ content: PersonalContent?) {
    if case .object(let members) = json, let content {
      json = .object(members + [JSONValue.Member(key: "personal", value: content.json)])
    }
    guard let content else {
      return table.add("personal", "nothing that is known and needs no key")
    }
    content.addRows(to: &table)
  }

  func print() throws {
    try table.print()
    guard !memory.isEmpty else { return }
    try Output.line("")
    try memory.forEach(Output.line)
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
    return code.flatMap(ICManufacturer.name)
  }
}
