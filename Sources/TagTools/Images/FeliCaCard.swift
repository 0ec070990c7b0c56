import NFC

/// The systems and services of a FeliCa card.
package struct FeliCaCard: Sendable {
  package struct System: Sendable {
    package let system: FeliCaSystem
    /// The codes of the services, in the card's order.
    package var services: [UInt16] = []
  }

  package private(set) var systems: [System] = []

  /// The maximum number of nodes that are read, which is more than any system is known to have. A card that
  /// lists more is not believed.
  private static let maximumNodes: UInt16 = 1024
  /// The two services of FeliCa Lite and Lite-S, which cover all blocks (FeliCa Lite-S User's Manual, 3.3).
  /// Every type 3 tag has the same services (NFC Forum Type 3 Tag Operation 1.1, 7.2.1).
  private static let servicesOfLite: [UInt16] = [0x0009, 0x000B]
  private static let ndefSystem: UInt16 = 0x12FC

  package init(_ tag: any FeliCaTag, _ product: TagProduct?) async throws {
    try await self.init(tag, product, systems: Self.systems(of: tag))
  }

  /// Searches for the services of some of the card's systems.
  package init(_ tag: any FeliCaTag, _ product: TagProduct?, systems all: [FeliCaSystem])
    async throws
  {
    guard Self.listsServices(product) else {
      systems = all.map { system in
        let hasServices = product != nil || system.code == Self.ndefSystem
        return System(system: system, services: hasServices ? Self.servicesOfLite : [])
      }
      return
    }
    for system in all {
      var found = System(system: system)
      let card = tag.inSystem(system)
      for index in 0..<Self.maximumNodes {
        guard let node = try await card.searchServiceCode(index: index) else { break }
        if case .service(let code) = node { found.services.append(code) }
      }
      systems.append(found)
    }
  }

  /// Returns whether the card can list its services. FeliCa Lite and plain type 3 tags have one system, and
  /// do not list their services.
  private static func listsServices(_ product: TagProduct?) -> Bool {
    FeliCaChip(product)?.listsServices ?? false
  }

  /// Returns the card's systems without searching for their services.
  package static func systems(of tag: any FeliCaTag) async throws -> [FeliCaSystem] {
    if try await tag.product() != nil { return try await tag.systems() }
    guard tag.systemCode.count == 2 else { return [] }
    let code = UInt16(tag.systemCode[0]) << 8 | UInt16(tag.systemCode[1])
    return [FeliCaSystem(code: code, idm: tag.idm, pmm: tag.pmm)]
  }
}

/// The code of a service. It contains the service's number and, in its lowest six bits, the permitted
/// operations (FeliCa Card User's Manual, excerpted edition, 3.3.2).
package struct FeliCaServiceKind: Sendable {
  let code: UInt16

  package init(code: UInt16) { self.code = code }

  private static let attributeMask: UInt16 = 0x3F

  package var needsKey: Bool { code & 1 == 0 }

  /// A description for people.
  package var description: String {
    let kind =
      switch code & Self.attributeMask & ~1 {
      case 0x08: "blocks, read and write"
      case 0x0A: "blocks, read only"
      case 0x0C: "log, read and write"
      case 0x0E: "log, read only"
      case 0x10: "purse, direct"
      case 0x12: "purse, cash back and decrement"
      case 0x14: "purse, decrement"
      case 0x16: "purse, read only"
      default: "of an unknown kind"
      }
    return kind + (needsKey ? ", with a key" : ", without a key")
  }

  /// Returns the known meaning of a system's code.
  package static func name(ofSystem code: UInt16) -> String? {
    switch code {
    case 0x0003: "transit of Japan"
    case 0x12FC: "NDEF"
    case 0x88B4: "FeliCa Lite"
    case 0xFE00: "common area of Japan"
    case 0x8008: "Octopus"
    default: nil
    }
  }
}
