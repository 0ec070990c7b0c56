import SwiftNFCJSONText
import NFC

/// A table of facts for people.
package struct FactTable: Sendable {
  package private(set) var rows: [TagReport.Fact] = []

  package init() {}

  /// Adds a row. The value may be a text that a tag contains.
  package mutating func add(
    _ name: String, _ value: String, _ judgment: TagReport.Judgment? = nil
  ) {
    rows.append(TagReport.Fact(name: name, value: value.onOneLine, judgment: judgment))
  }

  /// Adds the JSON members whose values are plain text, with their names for people.
  package mutating func add(_ members: [JSONValue.Member]) {
    for member in members {
      guard let text = member.value.plainText, !text.isEmpty else { continue }
      add(Self.label(member.key), Self.value(text, of: member.key))
    }
  }

  // MARK: Words

  private static let labels: [String: String] = [
    "type": "kind", "protocol": "protocol", "uid": "UID", "family": "family", "atqa": "ATQA",
    "sak": "SAK", "ats": "ATS", "historicalBytes": "historical bytes", "pupi": "PUPI",
    "applicationData": "application data", "protocolInfo": "protocol info", "idm": "IDm",
    "pmm": "PMm", "systemCode": "system code", "icManufacturerCode": "IC manufacturer",
    "icSerialNumber": "serial number", "dsfid": "DSFID", "afi": "AFI", "blockSize": "block size",
    "blockCount": "blocks", "memorySize": "memory", "icReference": "IC reference",
  ]

  private static func label(_ key: String) -> String { labels[key] ?? key }

  private static func value(_ text: String, of key: String) -> String {
    switch (key, text) {
    case ("memorySize", _), ("blockSize", _): "\(text) bytes"
    case ("type", "miFare"): "MIFARE or NTAG"
    case ("type", "iso7816"): "smart card"
    case ("type", "iso15693"): "ISO 15693 tag"
    case ("type", "feliCa"): "FeliCa card"
    case ("family", "classic"): "MIFARE Classic"
    case ("family", "ultralight"): "MIFARE Ultralight and NTAG"
    case ("family", "plus"): "MIFARE Plus"
    case ("family", "desfire"): "MIFARE DESFire"
    default: text
    }
  }
}
