import SwiftNFCJSONText
import SwiftNFCCore

// An error in the form of a line of a recording.
extension NFCError {
  private static let codes: [Code] = [
    .readerNotFound, .readerUnavailable, .readerLost, .unsupported, .invalidParameter,
    .commandTooLong, .noTag, .wrongTag, .tagNotConnected, .tagConnectionLost, .tagResponseError,
    .tagRefused, .authenticationFailed, .notAuthenticated, .notNDEF, .malformedContent,
    .capacityExceeded, .readOnly,
  ]

  var recorded: JSONValue {
    .members([
      "code": .string("\(code)"), "reason": .string(reason), "cause": cause?.recorded,
      "place": place?.recorded,
    ])
  }

  init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    let name = try fields.text("code")
    guard let code = Self.codes.first(where: { "\($0)" == name }) else {
      throw RecordedField.Problem("there is no error \"\(name)\"")
    }
    self.init(
      code, try fields.text("reason"),
      cause: fields.has("cause") ? try Cause(recorded: try fields.object("cause")) : nil,
      place: fields.has("place") ? try Place(recorded: try fields.object("place")) : nil)
  }
}

extension NFCError.Cause {
  fileprivate var recorded: JSONValue {
    switch self {
    case .driver(let failure):
      .members([
        "kind": .string("driver"), "domain": .string(failure.domain),
        "code": .integer(failure.code), "text": .string(failure.text),
        "meaning": failure.meaning.map { .string($0.rawValue) },
      ])
    case .system(let code, let text): Self.of("system", code, text)
    case .signal(let number, let text): Self.of("signal", number, text)
    case .negativeAcknowledge(let code): Self.of("negativeAcknowledge", code)
    case .statusWord(let word): Self.of("statusWord", word)
    case .statusFlags(let first, let second):
      Self.of("statusFlags", UInt16(first) << 8 | UInt16(second))
    case .desfireStatus(let status): Self.of("desfireStatus", status)
    case .iso15693(let code): Self.of("iso15693", code)
    case .chip(let code, let text): Self.of("chip", code, text)
    case .unsupportedByReader: .members(["kind": .string("unsupportedByReader")])
    case .noAnswer: .members(["kind": .string("noAnswer")])
    case .checksum: .members(["kind": .string("checksum")])
    case .foreignContent: .members(["kind": .string("foreignContent")])
    }
  }

  private static func of(
    _ kind: String, _ code: some BinaryInteger, _ text: String? = nil
  ) -> JSONValue {
    .members([
      "kind": .string(kind), "code": .integer(code), "text": text.map { .string($0) },
    ])
  }

  fileprivate init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    func byte() throws(RecordedField.Problem) -> UInt8 {
      UInt8(try fields.integer("code", in: 0...255))
    }
    func word() throws(RecordedField.Problem) -> UInt16 {
      UInt16(try fields.integer("code", in: 0...0xFFFF))
    }
    func number() throws(RecordedField.Problem) -> Int32 {
      Int32(try fields.integer("code", in: Int(Int32.min)...Int(Int32.max)))
    }
    switch try fields.text("kind") {
    case "driver": self = .driver(try NFCError.DriverFailure(recorded: fields))
    case "libnfc": self = .driver(try .former("libnfc", fields, meaning: .readerFailure))
    case "pcsc": self = .driver(try .former("pcsc", fields))
    case "system": self = .system(errno: try number(), text: try fields.text("text"))
    case "signal": self = .signal(number: try number(), text: try fields.text("text"))
    case "negativeAcknowledge": self = .negativeAcknowledge(try byte())
    case "statusWord": self = .statusWord(try word())
    case "statusFlags":
      let flags = try word()
      self = .statusFlags(flag1: UInt8(flags >> 8), flag2: UInt8(flags & 0xFF))
    case "desfireStatus": self = .desfireStatus(try byte())
    case "iso15693": self = .iso15693(try byte())
    case "chip": self = .chip(code: try byte(), text: try fields.text("text"))
    case "unsupportedByReader", "notCarried": self = .unsupportedByReader
    case "noAnswer": self = .noAnswer
    case "checksum": self = .checksum
    case "foreignContent": self = .foreignContent
    default: throw RecordedField.Problem("there is no cause \"\(try fields.text("kind"))\"")
    }
  }
}

extension NFCError.DriverFailure {
  fileprivate init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    var meaning: Meaning?
    if fields.has("meaning") {
      let name = try fields.text("meaning")
      guard let named = Meaning(rawValue: name) else {
        throw RecordedField.Problem("there is no meaning \"\(name)\"")
      }
      meaning = named
    }
    self.init(
      domain: try fields.text("domain"), code: try fields.integer("code", in: Int.min...Int.max),
      text: try fields.text("text"), meaning: meaning)
  }

  /// Reads a failure of an earlier recording, which names its domain as its kind and has no meaning.
  fileprivate static func former(
    _ domain: String, _ fields: RecordedField, meaning: Meaning? = nil
  ) throws(RecordedField.Problem) -> Self {
    let code = try fields.integer("code", in: Int.min...Int.max)
    let isSharingViolation = domain == "pcsc" && code == SmartCardFailure.sharingViolation.code
    return Self(
      domain: domain, code: code, text: try fields.text("text"),
      meaning: isSharingViolation ? .cardInUse : meaning)
  }
}

extension NFCError.Place {
  fileprivate var recorded: JSONValue {
    let (kind, number) =
      switch self {
      case .page(let number): ("page", number)
      case .block(let number): ("block", number)
      case .sector(let number): ("sector", number)
      case .file(let number): ("file", Int(number))
      case .offset(let number): ("offset", number)
      case .key(let number): ("key", number)
      }
    return .members(["kind": .string(kind), "number": .integer(number)])
  }

  fileprivate init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    let number = try fields.integer("number")
    switch try fields.text("kind") {
    case "page": self = .page(number)
    case "block": self = .block(number)
    case "sector": self = .sector(number)
    case "file": self = .file(UInt16(clamping: number))
    case "offset": self = .offset(number)
    case "key": self = .key(number)
    default: throw RecordedField.Problem("there is no place \"\(try fields.text("kind"))\"")
    }
  }
}
