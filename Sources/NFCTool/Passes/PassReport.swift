import NFC
import NFCPasses
import SwiftNFCJSONText

/// What the commands print of a pass.
enum PassReport {
  static func json(_ pass: Pass) -> JSONValue {
    .members([
      "event": .string("pass"), "wallet": .string(pass.wallet.rawValue),
      "passType": pass.passType.map { .string($0) },
      "kind": pass.kind.map { .string(words(kind: $0)) },
      "message": pass.text.map { .string($0) },
      "data": pass.text == nil ? .bytes(pass.message) : nil,
      "time": pass.secondsSince1970.map { .string(time($0)) },
      "age": pass.age.map { .number(decimal($0)) },
      "keyID": pass.keyIdentifier.map { .string($0.hexadecimal.lowercased()) },
      "objectID": pass.objectIdentifier.isEmpty ? nil : .bytes(pass.objectIdentifier),
    ])
  }

  static func line(_ pass: Pass) -> String {
    let name = pass.passType ?? pass.kind.map { words(kind: $0) }
    let parts = [
      message(pass.message), name, pass.secondsSince1970.map { time($0) },
    ]
    return parts.compactMap(\.self).joined(separator: "  ").onOneLine
  }

  /// A message as text, or in hexadecimal if it is not.
  static func message(_ bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) ?? bytes.hexadecimal
  }

  /// A time as the protocol has it, without fractions.
  static func time(_ secondsSince1970: Int) -> String {
    let text = EventDate(milliseconds: Int64(secondsSince1970) * 1000).utc
    return text.replacing(".000Z", with: "Z")
  }

  /// A number with three decimals.
  static func decimal(_ value: Double) -> String {
    let bounded = min(max(value, -1e15), 1e15)
    let thousandths = Int64((bounded * 1000).rounded())
    let digits = String(1000 + thousandths.magnitude % 1000).dropFirst()
    return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).\(digits)"
  }

  static func words(kind: String) -> String {
    let names = [
      "ly": "loyalty", "of": "offer", "gc": "giftCard", "et": "event", "fl": "flight",
      "tr": "transit", "gr": "generic",
    ]
    return names[kind] ?? kind
  }

  static func waiting(_ reason: PassEvent.Reason) -> JSONValue {
    .members(["event": .string("waiting"), "reason": .string(reason.rawValue)])
  }

  static func words(_ reason: PassEvent.Reason) -> String {
    switch reason {
    case .locked: "the phone waits for its owner: unlock it, or confirm, and hold it to the reader"
    case .choose: "the phone waits for its owner: choose the pass, and hold it to the reader"
    @unknown default: "the phone waits for its owner"
    }
  }
}
