import ArgumentParser
import NFC

/// `nfc info`.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells all there is to know about a tag.",
    discussion: """
      Chip, maker, what activation tells, the NDEF message, whether the maker's signature is \
      genuine, and of Ultralight and NTAG lock bits, counters and the use of each page.

      Example:
        nfc info --virtual ntag216
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectTag("a tag") { $0 }
      let (product, facts, content, details) = try await tag.work {
        let product = try await tag.kind.product()
        let facts = tag.kind.facts(product, try await tag.kind.vicinityInformation())
        let content = try await NDEFContent.describe(tag.kind)
        return (product, facts, content, try await TagDetails(tag.kind, product))
      }
      guard !options.json else {
        return try Output.line(json(tag.kind, product, facts, content, details).text)
      }
      try printText(tag.kind, product, facts, content, details)
    }
  }

  private func json(
    _ tag: DetectedTag, _ product: TagProduct?, _ facts: [JSON.Member],
    _ content: NDEFContent.Description, _ details: TagDetails
  ) -> JSON {
    var members = facts
    if let maker = tag.maker(product) {
      members.append(JSON.Member(key: "maker", value: .string(maker)))
    }
    if let size = product?.memorySize {
      members.append(JSON.Member(key: "memorySize", value: .integer(size)))
    }
    members.append(JSON.Member(key: "ndef", value: content.json))
    return .object(members + details.members)
  }

  private func printText(
    _ tag: DetectedTag, _ product: TagProduct?, _ facts: [JSON.Member],
    _ content: NDEFContent.Description, _ details: TagDetails
  ) throws {
    for member in facts {
      guard let text = member.value.plainText else { continue }
      try Output.fact(member.key, text)
    }
    if let maker = tag.maker(product) { try Output.fact("maker", maker) }
    if let size = product?.memorySize { try Output.fact("memory", "\(size) bytes") }
    for line in content.lines { try Output.fact("ndef", line) }
    for (name, value) in details.lines { try Output.fact(name, value) }
  }
}

extension DetectedTag {
  /// Who made the chip: by the product, or else by the first byte of a UID of 7 bytes, or the
  /// second of an ISO 15693 UID (ISO/IEC 7816-6, register of IC manufacturers).
  fileprivate func maker(_ product: TagProduct?) -> String? {
    if let product { return product.maker }
    let code: UInt8?
    switch self {
    case .iso15693(let tag): code = tag.icManufacturerCode
    case .feliCa: return "Sony"
    default: code = technology == .iso14443a && identifier.count == 7 ? identifier.first : nil
    }
    switch code {
    case 0x02: return "STMicroelectronics"
    case 0x04: return "NXP"
    case 0x05: return "Infineon"
    case 0x07: return "Texas Instruments"
    default: return nil
    }
  }
}
