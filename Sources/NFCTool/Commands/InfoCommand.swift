import ArgumentParser
import NFC

/// `nfc info`.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells all there is to know about a tag.",
    discussion: """
      Chip, maker, memory, what activation tells, and the NDEF message.

      Example:
        nfc info --virtual ntag216
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectTag("a tag") { $0 }
      let (product, content) = try await tag.work {
        let product = try await tag.kind.product()
        return (product, try await NDEFContent.describe(tag.kind))
      }
      try options.json
        ? Output.line(json(tag.kind, product, content).text) : printText(tag.kind, product, content)
    }
  }

  private func json(_ tag: DetectedTag, _ product: TagProduct?, _ content: JSON) -> JSON {
    var members = tag.facts(product)
    if let maker = tag.maker(product) {
      members.append(JSON.Member(key: "maker", value: .string(maker)))
    }
    if let size = product?.memorySize {
      members.append(JSON.Member(key: "memorySize", value: .integer(size)))
    }
    members.append(JSON.Member(key: "ndef", value: content))
    members.append(JSON.Member(key: "originality", value: .string("unknown")))
    return .object(members)
  }

  private func printText(_ tag: DetectedTag, _ product: TagProduct?, _ content: JSON) throws {
    for member in tag.facts(product) {
      guard case .string(let value) = member.value else { continue }
      try printLine(member.key, value)
    }
    if let maker = tag.maker(product) { try printLine("maker", maker) }
    if let size = product?.memorySize { try printLine("memory", "\(size) bytes") }
    try printLine("ndef", NDEFContent.summary(content))
    try printLine("originality", "not checked")
  }

  private func printLine(_ name: String, _ value: String) throws {
    let width = 18
    try Output.line(
      name + String(repeating: " ", count: max(1, width - name.count)) + value)
  }
}

extension DetectedTag {
  /// Who made the chip: by the product, or else by the first byte of a UID of 7 bytes, or the second of
  /// an ISO 15693 UID (ISO/IEC 7816-6, register of IC manufacturers).
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
