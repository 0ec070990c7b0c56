import NFC
import SwiftNFCJSONText

extension FeliCaCard {
  /// Returns the first two bytes of IDm (FeliCa Card User's Manual, 2.3); `nil` if the file of a virtual card has no IDm.
  package static func manufacturerCode(_ tag: any FeliCaTag) -> [UInt8]? {
    ImagedTags.isKnown(tag.idm) ? Array(tag.idm.prefix(2)) : nil
  }

  /// Returns the second byte of PMm (FeliCa Card User's Manual, 2.3); `nil` if the file of a virtual card has no PMm.
  package static func icType(_ tag: any FeliCaTag) -> [UInt8]? {
    ImagedTags.hasPMm(tag.idm) ? Array(tag.pmm.dropFirst().prefix(1)) : nil
  }

  /// Returns the chip's codes, and a description of the systems and services.
  package func rows(_ tag: any FeliCaTag) -> [(name: String, value: String)] {
    let codes = [
      (name: "manufacturer", value: Self.manufacturerCode(tag)),
      (name: "IC type", value: Self.icType(tag)),
    ]
    return codes.compactMap { code in code.value.map { (name: code.name, value: $0.hexadecimal) } }
      + systems.flatMap { system -> [(name: String, value: String)] in
        let code = system.system.code
        let name = FeliCaServiceKind.name(ofSystem: code).map { ", \($0)" } ?? ""
        return [("system", code.bigEndianBytes.hexadecimal + name)]
          + system.services.map { service in
            let kind = FeliCaServiceKind(code: service).description
            return ("service", "\(service.bigEndianBytes.hexadecimal) \(kind)")
          }
      }
  }
}

extension FeliCaCard {
  /// Returns the members that ``DetectedTag/facts(_:_:)`` does not include.
  package func members(_ tag: any FeliCaTag) -> [JSONValue.Member] {
    let codes = [
      ("manufacturerCode", Self.manufacturerCode(tag)), ("icType", Self.icType(tag)),
    ]
    var members = codes.compactMap { code in
      code.1.map { JSONValue.Member(key: code.0, value: .bytes($0)) }
    }
    members.append(
      JSONValue.Member(
        key: "systemCodes",
        value: .array(systems.map { .bytes($0.system.code.bigEndianBytes) })))
    let services = systems.flatMap { system in
      system.services.map { service -> JSONValue in
        .members([
          "system": .bytes(system.system.code.bigEndianBytes),
          "service": .bytes(service.bigEndianBytes),
          "withoutKey": .bool(!FeliCaServiceKind(code: service).needsKey),
        ])
      }
    }
    if !services.isEmpty {
      members.append(JSONValue.Member(key: "services", value: .array(services)))
    }
    return members
  }
}
