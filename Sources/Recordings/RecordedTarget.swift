import SwiftNFCJSONText
import SwiftNFCCore

// The activation data of a tag in the form of a line of a recording.
extension Target {
  var recorded: JSONValue {
    let technology = JSONValue.string(technology.rawValue)
    switch self {
    case .iso14443a(let target):
      // Readers that do not report the answer to select report only its historical bytes, of which there may be none.
      let plain = ISO14443ATarget(
        uid: target.uid, atqa: target.atqa, sak: target.sak, ats: target.ats)
      let isPartial = plain != target
      return .members([
        "technology": technology, "uid": .bytes(target.uid), "atqa": .bytes(target.atqa),
        "sak": .integer(target.sak), "ats": .bytes(target.ats),
        "historicalBytes": isPartial ? .bytes(target.historicalBytes) : nil,
      ])
    case .iso14443b(let target):
      return .members([
        "technology": technology, "pupi": .bytes(target.pupi),
        "applicationData": .bytes(target.applicationData),
        "protocolInfo": .bytes(target.protocolInfo),
      ])
    case .feliCa(let target):
      return .members([
        "technology": technology, "idm": .bytes(target.idm), "pmm": .bytes(target.pmm),
        "systemCode": .bytes(target.systemCode), "bitRate": .integer(target.bitRate),
      ])
    case .iso15693(let target):
      return .members([
        "technology": technology, "uid": .bytes(target.uid),
        "dsfid": target.dsfid.map { .integer($0) },
      ])
    case .jewel(let sensRes, let uid):
      return .members([
        "technology": technology, "sensRes": .bytes(sensRes), "uid": .bytes(uid),
      ])
    case .iso14443bPrime(let div, let version, let configuration, let atr):
      return .members([
        "technology": technology, "div": .bytes(div), "version": .integer(version),
        "configuration": configuration.map { .integer($0) }, "atr": .bytes(atr),
      ])
    case .iso14443b2sr(let uid):
      return .members(["technology": technology, "uid": .bytes(uid)])
    case .iso14443b2ct(let uid, let productCode, let fabricationCode):
      return .members([
        "technology": technology, "uid": .bytes(uid), "productCode": .integer(productCode),
        "fabricationCode": .integer(fabricationCode),
      ])
    case .barcode(let data): return .members(["technology": technology, "data": .bytes(data)])
    case .iClass(let serialNumber):
      return .members(["technology": technology, "serialNumber": .bytes(serialNumber)])
    }
  }

  init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    switch try fields.technology("technology") {
    case .iso14443a: self = .iso14443a(try ISO14443ATarget(recorded: fields))
    case .iso14443b:
      self = .iso14443b(
        ISO14443BTarget(
          pupi: try fields.bytes("pupi"), applicationData: try fields.bytes("applicationData"),
          protocolInfo: try fields.bytes("protocolInfo")))
    case .feliCa:
      self = .feliCa(
        FeliCaTarget(
          idm: try fields.bytes("idm", 8), pmm: try fields.bytes("pmm"),
          systemCode: try fields.bytes("systemCode"), bitRate: try fields.integer("bitRate")))
    case .iso15693:
      self = .iso15693(
        ISO15693Target(uid: try fields.bytes("uid", 8), dsfid: try fields.optionalByte("dsfid")))
    case .jewel:
      self = .jewel(sensRes: try fields.bytes("sensRes"), uid: try fields.bytes("uid"))
    case .iso14443bPrime:
      self = .iso14443bPrime(
        div: try fields.bytes("div"), version: try fields.byte("version"),
        configuration: try fields.optionalByte("configuration"), atr: try fields.bytes("atr"))
    case .iso14443b2sr: self = .iso14443b2sr(uid: try fields.bytes("uid"))
    case .iso14443b2ct:
      self = .iso14443b2ct(
        uid: try fields.bytes("uid"), productCode: try fields.byte("productCode"),
        fabricationCode: try fields.byte("fabricationCode"))
    case .barcode: self = .barcode(data: try fields.bytes("data"))
    case .iClass: self = .iClass(serialNumber: try fields.bytes("serialNumber"))
    }
  }
}

extension ISO14443ATarget {
  fileprivate init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    let uid = try fields.bytes("uid")
    // A PC/SC reader may not report the UID.
    guard [0, 4, 7, 10].contains(uid.count) else {
      throw RecordedField.Problem("a UID has 4, 7 or 10 bytes, not \(uid.count)")
    }
    let (atqa, sak) = (try fields.bytes("atqa"), try fields.byte("sak"))
    let ats = try fields.bytes("ats")
    guard ats.isEmpty, fields.has("historicalBytes") else {
      self.init(uid: uid, atqa: atqa, sak: sak, ats: ats)
      return
    }
    self.init(uid: uid, historicalBytes: try fields.bytes("historicalBytes"))
    (self.atqa, self.sak) = (atqa, sak)
  }
}

extension RecordedField {
  fileprivate func byte(_ key: String) throws(Problem) -> UInt8 {
    UInt8(try integer(key, in: 0...255))
  }

  fileprivate func optionalByte(_ key: String) throws(Problem) -> UInt8? {
    has(key) ? try byte(key) : nil
  }

  /// Reads bytes whose number is fixed.
  fileprivate func bytes(_ key: String, _ count: Int) throws(Problem) -> [UInt8] {
    let bytes = try bytes(key)
    guard bytes.count == count else { throw Problem("\"\(key)\" has \(count) bytes") }
    return bytes
  }
}
