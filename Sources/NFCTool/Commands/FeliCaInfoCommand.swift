import ArgumentParser
import NFC

/// `nfc felica info`.
struct FeliCaInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells the systems and services of a FeliCa card.",
    discussion: """
      Each service stands behind the code of its system; those that need no key are marked.

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
  private struct Service {
    let code: UInt16
    let system: UInt16
  }

  /// In the card's order.
  private var systemCodes: [[UInt8]] = []
  private var services: [Service] = []

  /// More than any system is known to have; a card that never ends is not believed.
  private static let maximumNodes: UInt16 = 1024

  init(_ tag: any FeliCaTag, _ product: TagProduct?) async throws {
    // FeliCa Lite and plain type 3 tags have one system, and do not answer.
    guard product?.name == "FeliCa Standard" else {
      if !tag.systemCode.isEmpty { systemCodes = [tag.systemCode] }
      return
    }
    for system in try await tag.systems() {
      systemCodes.append(system.code.bigEndianBytes)
      let card = tag.inSystem(system)
      for index in 0..<Self.maximumNodes {
        guard let node = try await card.searchServiceCode(index: index) else { break }
        guard case .service(let code) = node else { continue }
        services.append(Service(code: code, system: system.code))
      }
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
            services.map { service in
              // The lowest attribute bit: no authentication needed.
              .members([
                "system": .bytes(service.system.bigEndianBytes),
                "service": .bytes(service.code.bigEndianBytes),
                "withoutKey": .bool(service.code & 1 == 1),
              ])
            })))
    }
    return members
  }
}
