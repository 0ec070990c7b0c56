import SwiftNFCJSONText
import NFC

/// A table of facts for people, with one fact per line and the names in a column of their own.
struct FactTable {
  private var rows: [(name: String, value: String, style: Terminal.Style?)] = []
  /// The minimum number of columns for values. On a narrower terminal, the terminal itself breaks lines.
  private static let minimumRoom = 20

  /// Adds a row. The value may be a text that a tag contains.
  mutating func add(_ name: String, _ value: String, _ style: Terminal.Style? = nil) {
    rows.append((name, value.onOneLine, style))
  }

  /// Adds the JSON members whose values are plain text, with their names for people.
  mutating func add(_ members: [JSONValue.Member]) {
    for member in members {
      guard let text = member.value.plainText, !text.isEmpty else { continue }
      add(Self.label(member.key), Self.value(text, of: member.key))
    }
  }

  /// Prints the rows. A name that is equal to the previous one is not repeated. On a terminal, a value that is too
  /// long continues below its beginning; anywhere else, each row is one line.
  func print() throws {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    var last: String?
    for row in rows {
      let name = row.name == last ? "" : row.name
      last = row.name
      let gap = String(repeating: " ", count: max(1, width - name.count))
      let room = Terminal.outputWidth.map { max(Self.minimumRoom, $0 - width) }
      let lines = Self.lines(row.value, room: room).map { line in
        row.style.map { Terminal.styled(line, $0) } ?? line
      }
      try Output.line(Terminal.styled(name, .label) + gap + (lines.first ?? ""))
      for line in lines.dropFirst() {
        try Output.line(String(repeating: " ", count: width) + line)
      }
    }
  }

  /// Breaks a text between its words. A word that is too long stays whole, so that it can be copied.
  static func lines(_ text: String, room: Int?) -> [String] {
    guard let room, text.count > room else { return [text] }
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let line = lines.last, line.count + 1 + word.count <= room {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
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
