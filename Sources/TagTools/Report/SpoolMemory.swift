import NFC
import SwiftNFCJSONText

/// Spools whose tag has its own format instead of NDEF.
package enum SpoolMemory {
  private static let pageSize = 4
  /// READ of page 4 and the three after it (NTAG21x data sheet, 10.2).
  private static let readFirstPages: [UInt8] = [0x30, UInt8(TigerTag.firstPage)]

  /// Interprets the memory of an Ultralight or NTAG; `nil` for any other content.
  static func tigerTag(in memory: [UInt8]) -> TigerTag? {
    (try? TigerTag(userMemory: Array(memory.dropFirst(TigerTag.firstPage * pageSize)))) ?? nil
  }

  /// Whether a tag is a spool: one command to it.
  ///
  /// - Throws: the errors of the connection.
  package static func isOne(_ tag: DetectedTag) async throws -> Bool {
    guard case .miFare(let card) = tag, card.ultralight != nil else { return false }
    let pages = try await tag.answer { try await card.sendMiFareCommand(readFirstPages) }
    return pages.flatMap(TigerTag.Variant.init(userMemory:)) != nil
  }

  package static let advice = "it is a spool in the format TigerTag, which nfc info shows"
}

extension TigerTag {
  /// The member of `info --json`.
  var member: JSONValue.Member? {
    guard case .object(let fields)? = try? JSONValue(encoding: content) else { return nil }
    let names: [Variant: String] = [
      .standard: "TigerTag", .plus: "TigerTag+", .blank: "TigerTag Init",
    ]
    let variant = JSONValue.Member(key: "variant", value: .string(names[variant] ?? ""))
    return JSONValue.Member(key: "tigerTag", value: .object([variant] + fields))
  }

  /// The rows for people.
  var facts: [(name: String, value: String)] {
    func text(_ name: String) -> String? {
      switch content[name] {
      case .text(let text)?: text
      case .integer(let number)?: "\(number)"
      case .number(let number)?: "\(number)"
      case .list(let list)?:
        list.map { if case .text(let text) = $0 { text } else { "\($0)" } }.joined(separator: ", ")
      default: nil
      }
    }
    func range(_ name: String) -> String? {
      let ends = [text(name + "Minimum"), text(name + "Maximum")].compactMap(\.self)
      return ends.isEmpty ? nil : ends.joined(separator: " to ") + " °C"
    }
    let drying = [
      text("dryingTemperature").map { "\($0) °C" }, text("dryingTime").map { "\($0) hours" },
    ].compactMap(\.self).joined(separator: ", ")
    let rows: [(String, String?)] = [
      ("spool", description), ("product", text("product")), ("kind of material", text("type")),
      ("diameter", text("diameter").map { "\($0) mm" }), ("look", text("aspects")),
      ("colors", text("colors")), ("nozzle", range("nozzleTemperature")),
      ("bed", range("bedTemperature")), ("drying", drying.isEmpty ? nil : drying),
      ("made", text("time")), ("transmission distance", text("transmissionDistance")),
      ("message", text("message")),
      ("manufacturer's signature", text("signature").map { _ in "there is one, not verified" }),
    ]
    return rows.compactMap { name, value in value.map { (name, $0) } }
  }
}
