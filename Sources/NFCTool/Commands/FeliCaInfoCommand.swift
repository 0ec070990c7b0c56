import ArgumentParser
import NFC

/// `nfc felica info`.
struct FeliCaInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells the systems and services of a FeliCa card.",
    discussion: """
      The services are those of the card's first system; those that need no key are marked.

      Example:
        nfc felica info --json
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectFeliCaCard()
      let (product, card) = try await tag.work {
        let product = try await tag.kind.product()
        return (product, try await FeliCaCard(tag.kind, product))
      }
      let members = tag.detected.facts(product) + card.members(tag.kind)
      guard !options.json else { return try Output.line(JSON.object(members).text) }
      for member in members {
        switch member.value {
        case .string(let value): try Output.fact(member.key, value)
        case .array(let values):
          for value in values { try Output.fact(member.key, Self.text(value)) }
        default: continue
        }
      }
    }
  }

  private static func text(_ value: JSON) -> String {
    switch value {
    case .string(let text): return text
    case .object(let members):
      let words = members.compactMap { member -> String? in
        switch member.value {
        case .string(let text): text
        case .bool(true): "without a key"
        default: nil
        }
      }
      return words.joined(separator: " ")
    default: return value.text
    }
  }
}

/// What a FeliCa card tells of its systems and services.
private struct FeliCaCard {
  /// In the card's order.
  private var systemCodes: [[UInt8]] = []
  private var services: [UInt16] = []

  /// Search Service Code: gives the node of a number, FFFF behind the last (FeliCa Card User's Manual,
  /// 4.4; nfcpy's and libpafe's use of it).
  private static let searchServiceCode: UInt8 = 0x0A
  private static let end: UInt16 = 0xFFFF
  /// More than any card is known to have; a card that never ends is not believed.
  private static let maximumNodes = 1024
  private static let headerSize = 9

  init(_ tag: any FeliCaTag, _ product: TagProduct?) async throws {
    // FeliCa Lite and plain type 3 tags have one system, and do not answer.
    guard product?.name == "FeliCa Standard" else {
      if !tag.systemCode.isEmpty { systemCodes = [tag.systemCode] }
      return
    }
    systemCodes = try await tag.requestSystemCode().map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for number in 0..<Self.maximumNodes {
      let index = [UInt8(number & 0xFF), UInt8(number >> 8)]
      let answer = try await tag.sendFeliCaCommand([Self.searchServiceCode] + tag.idm + index)
      let node = Array(answer.dropFirst(Self.headerSize))
      // Four bytes are an area: its own code and the last one in it.
      guard node.count >= 2 else { return }
      let code = UInt16(node[0]) | UInt16(node[1]) << 8
      guard code != Self.end else { return }
      if node.count == 2 { services.append(code) }
    }
  }

  /// What ``DetectedTag/facts(_:)`` does not have.
  func members(_ tag: any FeliCaTag) -> [JSON.Member] {
    // The first two bytes of IDm, and IC type, the second of PMm (FeliCa Card User's Manual, 2.3).
    var members = [
      JSON.Member(key: "manufacturerCode", value: .bytes(Array(tag.idm.prefix(2)))),
      JSON.Member(key: "icType", value: .bytes(Array(tag.pmm.dropFirst().prefix(1)))),
      JSON.Member(key: "systemCodes", value: .array(systemCodes.map { .bytes($0) })),
    ]
    if !services.isEmpty {
      members.append(
        JSON.Member(
          key: "services",
          value: .array(
            services.map { code in
              // The lowest attribute bit: no authentication needed.
              .members([
                "service": .bytes([UInt8(code >> 8), UInt8(code & 0xFF)]),
                "withoutKey": .bool(code & 1 == 1),
              ])
            })))
    }
    return members
  }
}
