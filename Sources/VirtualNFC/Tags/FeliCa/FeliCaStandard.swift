import SwiftNFCCore

/// A FeliCa Standard card: systems with areas and services, and the commands that require no key
/// (FeliCa Card User's Manual, excerpted edition).
///
/// Commands that require a key (Authentication1 and the following ones) are not answered: the card
/// stays in mode 0. A system is addressed by its IDm, whose first half byte is the system's number.
///
/// Not confirmed on a card: that a service with a key is refused with A5 when it is read without,
/// and which of the newer commands (3C, 3E, 32) a card of this IC type answers.
public struct FeliCaStandard: VirtualChip {
  /// A node of a system, as Search Service Code lists it.
  public enum Node: Hashable, Sendable {
    /// An area: its code and the last service code that may be in it.
    case area(UInt16, last: UInt16)
    /// A service: its number in the upper ten bits, its attributes in the lower six.
    case service(UInt16)

    var code: UInt16 {
      switch self {
      case .area(let code, last: _): code
      case .service(let code): code
      }
    }
  }

  /// A logical card within the card.
  public struct System: Hashable, Sendable {
    /// The system code that Polling requests.
    public var code: UInt16
    /// The nodes in the order of Search Service Code: an area, then its content.
    public var nodes: [Node]
    /// The blocks, 16 bytes each, by service number: overlapping services share them.
    public var blocks: [UInt16: [[UInt8]]]

    /// Creates a system with its areas, services and blocks.
    public init(code: UInt16, nodes: [Node], blocks: [UInt16: [[UInt8]]]) {
      self.code = code
      self.nodes = nodes
      self.blocks = blocks
    }

    /// Returns the number of the service that the blocks belong to.
    static func serviceNumber(_ code: UInt16) -> UInt16 { code >> 6 }
  }

  /// The lower six bits of a service code (FeliCa Card User's Manual, excerpted edition).
  private enum ServiceAttribute {
    static let mask: UInt16 = 0x3F
    /// The bit that is set if the service requires no key.
    static let withoutKey: UInt16 = 0x01
    static let randomReadWriteWithoutKey: UInt16 = 0x09
    static let cyclicReadWriteWithoutKey: UInt16 = 0x0D
  }

  private static let maximumServices = 16
  private static let maximumNodes = 32
  private static let noNode: [UInt8] = [0xFF, 0xFF]
  private static let systemNode: UInt16 = 0xFFFF
  /// The key version of each existing node that has a key.
  private static let keyVersion: [UInt8] = [0x01, 0x00]
  /// The version of a service without a key, which the tests of Sony's development kit for the RC-S956 expect of three
  /// kinds of cards (te_felica_cc_request_service.c).
  private static let noKey: [UInt8] = [0x00, 0x00]
  private static let mode0: UInt8 = 0x00
  /// The encryption identifier: AES and DES; the nodes have DES keys only.
  private static let encryptionIdentifier: UInt8 = 0x41
  /// The specification version: format 00; version 5.0.0 in BCD, least significant byte first; one
  /// option: DES, 1.0.0.
  private static let specificationVersion: [UInt8] = [0x00, 0x00, 0x05, 0x01, 0x00, 0x01]

  public let name: String
  private let idm: [UInt8]
  let pmm: [UInt8]
  private let maximumBlocksRead: Int
  private let maximumBlocksWritten: Int
  private(set) var systems: [System]

  /// - Parameters:
  ///   - name: the chip's name for `nfc --virtual`.
  ///   - idm: 8 bytes; the number of the system replaces the first half byte.
  ///   - pmm: 8 bytes.
  ///   - systems: 1 to 16 systems; a wildcard finds the first.
  ///   - maximumBlocksRead: the maximum number of blocks in one Read Without Encryption, 1 to 15; 12 on
  ///     the cards that nfcpy's table lists.
  ///   - maximumBlocksWritten: the maximum number of blocks in one Write Without Encryption, 1 to 13.
  public init(
    name: String, idm: [UInt8], pmm: [UInt8], systems: [System], maximumBlocksRead: Int = 12,
    maximumBlocksWritten: Int = 8
  ) {
    precondition(idm.count == 8 && pmm.count == 8, "IDm and PMm have 8 bytes each")
    precondition((1...16).contains(systems.count), "a card has 1 to 16 systems")
    self.name = name
    self.idm = idm
    self.pmm = pmm
    self.systems = systems
    self.maximumBlocksRead = min(max(1, maximumBlocksRead), 15)
    self.maximumBlocksWritten = min(max(1, maximumBlocksWritten), 13)
  }

  /// The IDm of the first system.
  public var identifier: [UInt8] { idm(ofSystem: 0) }
  public var modulation: RadioFrame.Modulation { .feliCa }

  /// The blocks of all services, 16 bytes each, in the order of the systems and service numbers.
  public var memory: [UInt8] {
    get {
      systems.flatMap { system in
        system.blocks.keys.sorted().flatMap { (system.blocks[$0] ?? []).joined() }
      }
    }
    set {
      var rest = newValue[...]
      for system in systems.indices {
        for number in systems[system].blocks.keys.sorted() {
          for index in (systems[system].blocks[number] ?? []).indices {
            let part = rest.prefix(FeliCaBlockAccess.blockSize)
            guard part.count == FeliCaBlockAccess.blockSize else { return }
            systems[system].blocks[number]?[index] = Array(part)
            rest = rest.dropFirst(FeliCaBlockAccess.blockSize)
          }
        }
      }
    }
  }

  public mutating func powerOff() {}

  private func idm(ofSystem index: Int) -> [UInt8] {
    [UInt8(index) << 4 | idm[0] & 0x0F] + idm.dropFirst()
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let identities = systems.indices.map {
      FeliCaIdentity(systemCode: systems[$0].code, idm: idm(ofSystem: $0))
    }
    return FeliCaPacket.answer(to: frame, pmm: pmm, systems: identities) {
      code, parameters, system throws(FeliCaRefusal) in
      try perform(code, parameters, in: system)
    }
  }

  // MARK: Commands

  private mutating func perform(
    _ code: UInt8, _ parameters: [UInt8], in system: Int
  ) throws(FeliCaRefusal) -> [UInt8] {
    switch (code, parameters.count) {
    case (FeliCaCommand.requestService, _):
      let versions = try keyVersions(parameters, in: system)
      return [UInt8(versions.count)] + versions.joined()
    case (FeliCaCommand.requestServiceV2, _):
      let versions = try keyVersions(parameters, in: system)
      let noAESKeys = [[UInt8]](repeating: Self.noNode, count: versions.count)
      return FeliCaStatus.success.bytes + [Self.encryptionIdentifier, UInt8(versions.count)]
        + noAESKeys.joined() + versions.joined()
    case (FeliCaCommand.requestResponse, 0):
      return [Self.mode0]
    case (FeliCaCommand.readWithoutEncryption, _):
      return try read(parameters, in: system)
    case (FeliCaCommand.writeWithoutEncryption, _):
      try write(parameters, in: system)
      return FeliCaStatus.success.bytes
    case (FeliCaCommand.searchServiceCode, 2):
      return node(at: Int(parameters[1]) << 8 | Int(parameters[0]), in: system)
    case (FeliCaCommand.requestSystemCode, 0):
      return [UInt8(systems.count)]
        + systems.flatMap(\.code.bigEndianBytes)
    case (FeliCaCommand.requestSpecificationVersion, 2):
      return FeliCaStatus.success.bytes + Self.specificationVersion
    case (FeliCaCommand.resetMode, 2):
      return FeliCaStatus.success.bytes
    default:
      throw .silence
    }
  }

  /// Returns the key version of each requested node: 0000 for a service without a key, FFFF for a node that does not
  /// exist.
  private func keyVersions(
    _ parameters: [UInt8], in system: Int
  ) throws(FeliCaRefusal) -> [[UInt8]] {
    guard let count = parameters.first, (1...Self.maximumNodes).contains(Int(count)),
      parameters.count == 1 + 2 * Int(count)
    else { throw .silence }
    let nodes = systems[system].nodes
    let codes = Set(nodes.map(\.code)).union([Self.systemNode])
    return stride(from: 1, to: parameters.count, by: 2).map { offset in
      let code = UInt16(parameters[offset]) | UInt16(parameters[offset + 1]) << 8
      guard codes.contains(code) else { return Self.noNode }
      let hasKey = code & ServiceAttribute.withoutKey == 0 || !nodes.contains(.service(code))
      return hasKey ? Self.keyVersion : Self.noKey
    }
  }

  private func node(at index: Int, in system: Int) -> [UInt8] {
    guard systems[system].nodes.indices.contains(index) else { return Self.noNode }
    switch systems[system].nodes[index] {
    case .area(let code, let last): return code.littleEndianBytes + last.littleEndianBytes
    case .service(let code): return code.littleEndianBytes
    }
  }

  /// The position of a block that the command may access.
  private struct Place {
    var attribute: UInt16
    var service: UInt16
    var block: Int
  }

  private func places(
    _ access: FeliCaBlockAccess, in system: Int
  ) throws(FeliCaRefusal) -> [Place] {
    var places: [Place] = []
    for (index, element) in access.elements.enumerated() {
      let code = try access.serviceCode(at: index)
      let service = System.serviceNumber(code)
      guard systems[system].nodes.contains(.service(code)),
        let blocks = systems[system].blocks[service]
      else { throw .status(FeliCaStatus(.illegalServiceCode, at: index)) }
      guard code & ServiceAttribute.withoutKey != 0 else {
        throw .status(FeliCaStatus(.accessNotAllowed, at: index))
      }
      guard element.accessMode == 0 else {
        throw .status(FeliCaStatus(.illegalAccessMode, at: index))
      }
      guard blocks.indices.contains(element.blockNumber) else {
        throw .status(FeliCaStatus(.illegalBlockNumber, at: index))
      }
      places.append(
        Place(
          attribute: code & ServiceAttribute.mask, service: service,
          block: element.blockNumber))
    }
    return places
  }

  private func read(_ parameters: [UInt8], in system: Int) throws(FeliCaRefusal) -> [UInt8] {
    let access = try FeliCaBlockAccess(
      parameters, maximumServices: Self.maximumServices,
      maximumBlocks: maximumBlocksRead, isWrite: false)
    let places = try places(access, in: system)
    return FeliCaStatus.success.bytes + [UInt8(places.count)]
      + places.flatMap { systems[system].blocks[$0.service]?[$0.block] ?? [] }
  }

  /// Writes all blocks or none: every element is checked before the first is written. A cyclic service
  /// accepts block 0 only, which becomes the newest block while the oldest is lost. Purse services cannot
  /// be written.
  private mutating func write(_ parameters: [UInt8], in system: Int) throws(FeliCaRefusal) {
    let access = try FeliCaBlockAccess(
      parameters, maximumServices: Self.maximumServices,
      maximumBlocks: maximumBlocksWritten, isWrite: true)
    let places = try places(access, in: system)
    for (index, place) in places.enumerated() {
      switch place.attribute {
      case ServiceAttribute.randomReadWriteWithoutKey: break
      case ServiceAttribute.cyclicReadWriteWithoutKey:
        guard place.block == 0 else {
          throw .status(FeliCaStatus(.illegalBlockNumber, at: index))
        }
      default: throw .status(FeliCaStatus(.accessNotAllowed, at: index))
      }
    }
    for (place, block) in zip(places, access.blocks) {
      if place.attribute == ServiceAttribute.cyclicReadWriteWithoutKey {
        systems[system].blocks[place.service]?.insert(block, at: 0)
        systems[system].blocks[place.service]?.removeLast()
      } else {
        systems[system].blocks[place.service]?[place.block] = block
      }
    }
  }
}
