import SwiftNFCJSONText
import NFC

/// The application directory of a MIFARE Classic: which sectors belong to which application.
extension TagDetails {
  /// The general purpose byte of sector 0 (AN10787, 3.3).
  private enum DirectoryByte {
    static let isPresent: UInt8 = 0x80
    static let version: UInt8 = 0x03
  }

  /// Adds one row and one member for the sectors of an application. Free sectors, and those that the card does
  /// not have, are left out of the rows. No further exchange.
  mutating func addDirectory(_ dump: MiFareClassicDump) {
    guard let byte = dump.sectors.first?.generalPurposeByte,
      byte & DirectoryByte.isPresent != 0
    else { return }
    let parts: [MiFareApplicationDirectory.Part] =
      switch byte & DirectoryByte.version {
      case 1: [.first]
      case 2: [.first, .second]
      default: []
      }
    var list: [JSONValue] = []
    for part in parts {
      guard let content = Self.content(of: part, dump) else { continue }
      do {
        let directory = try MiFareApplicationDirectory(content, part: part)
        for run in Self.runs(directory) {
          if run.identifier.isAssigned {
            facts.append(("directory", run.text))
          }
          list.append(run.json)
        }
      } catch {
        facts.append(("directory", "of sector \(part.sector): invalid checksum"))
      }
    }
    if !list.isEmpty { members.append(JSONValue.Member(key: "directory", value: .array(list))) }
  }

  /// Returns the blocks that contain a part, or `nil` if they were not all read.
  private static func content(
    of part: MiFareApplicationDirectory.Part, _ dump: MiFareClassicDump
  ) -> [UInt8]? {
    guard let sector = dump.sectors.first(where: { $0.sector == part.sector }) else { return nil }
    let first = dump.geometry.blocks(ofSector: part.sector).lowerBound
    var content: [UInt8] = []
    for block in part.blocks {
      guard sector.blocks.indices.contains(block - first),
        let bytes = sector.blocks[block - first]
      else { return nil }
      content += bytes
    }
    return content
  }

  private struct Run {
    let identifier: MiFareApplicationDirectory.ApplicationIdentifier
    var sectors: [Int]

    var text: String {
      let numbers = NumberList.text(sectors)
      return "sector\(sectors.count == 1 ? "" : "s") \(numbers): \(identifier.words)"
    }

    var json: JSONValue {
      .members([
        "sectors": .array(sectors.map { .integer($0) }), "aid": .string(identifier.digits),
        "name": .string(identifier.words),
      ])
    }
  }

  private static func runs(_ directory: MiFareApplicationDirectory) -> [Run] {
    var runs: [Run] = []
    for (sector, identifier) in zip(directory.part.describedSectors, directory.identifiers) {
      if let index = runs.firstIndex(where: { $0.identifier == identifier }) {
        runs[index].sectors.append(sector)
      } else {
        runs.append(Run(identifier: identifier, sectors: [sector]))
      }
    }
    return runs
  }
}

extension MiFareApplicationDirectory.ApplicationIdentifier {
  /// Four digits: function cluster and application code.
  fileprivate var digits: String { [functionCluster, applicationCode].hexadecimal }

  fileprivate var isAssigned: Bool { self != .free && self != .notApplicable }

  /// The kind of application, and its identifier.
  fileprivate var words: String {
    if self == .ndef { return "NDEF" }
    if functionCluster == 0, let name = Self.administration[applicationCode] { return name }
    let name = Self.clusters[functionCluster] ?? Self.range(of: functionCluster)
    return "\(name ?? "an unknown kind of application"), \(digits)"
  }

  /// The codes of cluster 00 that have a fixed meaning (AN10787, 3.5).
  private static let administration: [UInt8: String] = [
    0x00: "free", 0x01: "defective", 0x02: "reserved", 0x03: "more of the directory",
    0x04: "the card's holder", 0x05: "not on this card",
  ]

  /// The function clusters (AN10787, annex C).
  private static let clusters: [UInt8: String] = [
    0x00: "card administration", 0x08: "airline", 0x09: "ferry", 0x10: "railway",
    0x12: "transport", 0x18: "city transport", 0x19: "railway (Czechia)",
    0x20: "bus", 0x21: "transport, several kinds", 0x28: "taxi", 0x30: "road toll",
    0x38: "company services", 0x40: "city card", 0x47: "access control",
    0x48: "access control", 0x49: "access control (VIGIK)", 0x4A: "ministry of defense",
    0x4B: "telecommunication (Bosch)", 0x4C: "institutions of the European Union",
    0x50: "ski pass", 0x51: "access control", 0x52: "access control", 0x53: "access control",
    0x54: "access control", 0x58: "university", 0x60: "food", 0x68: "trade", 0x70: "hotel",
    0x75: "airport", 0x78: "car rental", 0x79: "government (Netherlands)",
    0x80: "administration", 0x88: "electronic purse", 0x90: "television", 0x91: "cruise ship",
    0x95: "IOPTA", 0x97: "metering", 0x98: "telephone", 0xA0: "health", 0xA8: "warehouse",
    0xB0: "electronic trade", 0xB8: "bank", 0xC0: "entertainment and sports",
    0xC8: "parking", 0xC9: "vehicle fleet", 0xD0: "fuel", 0xD8: "information services",
    0xE0: "press", 0xE1: "NFC Forum", 0xE8: "computer", 0xF0: "mail",
  ]

  private static func range(of cluster: UInt8) -> String? {
    switch cluster {
    case 0x01...0x07, 0xF8...0xFF: "miscellaneous"
    default: nil
    }
  }
}
