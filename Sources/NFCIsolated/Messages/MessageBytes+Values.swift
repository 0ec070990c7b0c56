import SwiftNFCCore

// The encoding of NFCCore's values in a message. Their order here is part of the protocol's
// version.

extension MessageWriter {
  mutating func technology(_ value: TagTechnology) { text(value.rawValue) }

  mutating func framing(_ value: Framing) {
    switch value {
    case .tagProtocol: byte(0)
    case .checked: byte(1)
    case .bare: byte(2)
    }
  }

  mutating func duration(_ value: Duration) {
    number(value.components.seconds)
    number(value.components.attoseconds)
  }

  mutating func capabilities(_ value: ReaderCapabilities) {
    list(TagTechnology.allCases.filter(value.technologies.contains)) { $0.technology($1) }
    list(TagTechnology.allCases.filter { value.bitRates[$0] != nil }) { writer, technology in
      writer.technology(technology)
      writer.list(value.bitRates[technology] ?? []) { $0.number(Int32(clamping: $1)) }
    }
    number(Int32(clamping: value.maximumCommandLength))
    number(Int32(clamping: value.maximumResponseLength))
    flag(value.supportsOnlyAPDUs)
    optional(value.emulation) { $0.emulation($1) }
    list(TagTechnology.allCases.filter(value.pollingFrames.contains)) { $0.technology($1) }
  }

  mutating func target(_ value: Target) {
    technology(value.technology)
    switch value {
    case .iso14443a(let tag):
      block(tag.uid)
      block(tag.atqa)
      byte(tag.sak)
      block(tag.ats)
    case .iso14443b(let tag):
      block(tag.pupi)
      block(tag.applicationData)
      block(tag.protocolInfo)
    case .feliCa(let tag):
      block(tag.idm)
      block(tag.pmm)
      block(tag.systemCode)
      number(Int32(clamping: tag.bitRate))
    case .iso15693(let tag):
      block(tag.uid)
      optional(tag.dsfid) { $0.byte($1) }
    case .jewel(let sensRes, let uid):
      block(sensRes)
      block(uid)
    case .iso14443bPrime(let div, let version, let configuration, let atr):
      block(div)
      byte(version)
      optional(configuration) { $0.byte($1) }
      block(atr)
    case .iso14443b2sr(let uid): block(uid)
    case .iso14443b2ct(let uid, let productCode, let fabricationCode):
      block(uid)
      byte(productCode)
      byte(fabricationCode)
    case .barcode(let data): block(data)
    case .iClass(let serialNumber): block(serialNumber)
    }
  }

  mutating func error(_ value: NFCError) {
    text(value.code.description)
    text(value.reason)
    optional(value.cause) { $0.cause($1) }
    optional(value.place) { $0.place($1) }
  }

  private mutating func cause(_ value: NFCError.Cause) {
    switch value {
    case .driver(let failure):
      byte(1)
      text(failure.domain)
      number(failure.code)
      text(failure.text)
      optional(failure.meaning) { $0.text($1.rawValue) }
    case .system(let code, let reason):
      byte(3)
      number(code)
      text(reason)
    case .negativeAcknowledge(let code):
      byte(4)
      byte(code)
    case .statusWord(let word):
      byte(5)
      number(word)
    case .statusFlags(let first, let second):
      byte(6)
      byte(first)
      byte(second)
    case .desfireStatus(let status):
      byte(7)
      byte(status)
    case .iso15693(let code):
      byte(8)
      byte(code)
    case .chip(let code, let reason):
      byte(9)
      byte(code)
      text(reason)
    case .unsupportedByReader: byte(10)
    case .noAnswer: byte(11)
    case .checksum: byte(12)
    case .signal(let number, let reason):
      byte(13)
      self.number(number)
      text(reason)
    case .foreignContent: byte(14)
    }
  }

  private mutating func place(_ value: NFCError.Place) {
    switch value {
    case .page(let position):
      byte(1)
      number(Int64(position))
    case .block(let position):
      byte(2)
      number(Int64(position))
    case .sector(let position):
      byte(3)
      number(Int64(position))
    case .file(let identifier):
      byte(4)
      number(identifier)
    case .offset(let position):
      byte(5)
      number(Int64(position))
    case .key(let position):
      byte(6)
      number(Int64(position))
    }
  }
}

extension MessageReader {
  mutating func technology() throws(MalformedMessage) -> TagTechnology {
    guard let value = TagTechnology(rawValue: try text()) else { throw MalformedMessage() }
    return value
  }

  mutating func framing() throws(MalformedMessage) -> Framing {
    switch try byte() {
    case 0: .tagProtocol
    case 1: .checked
    case 2: .bare
    default: throw MalformedMessage()
    }
  }

  mutating func duration() throws(MalformedMessage) -> Duration {
    let seconds = try number(Int64.self)
    return Duration(secondsComponent: seconds, attosecondsComponent: try number(Int64.self))
  }

  mutating func capabilities() throws(MalformedMessage) -> ReaderCapabilities {
    let technologies = try list { reader throws(MalformedMessage) in try reader.technology() }
    let rates = try list { reader throws(MalformedMessage) in
      let technology = try reader.technology()
      let values = try reader.list { reader throws(MalformedMessage) in
        Int(try reader.number(Int32.self))
      }
      return (technology, values)
    }
    let command = Int(try number(Int32.self))
    let response = Int(try number(Int32.self))
    let supportsOnlyAPDUs = try flag()
    let emulation = try optional { reader throws(MalformedMessage) in try reader.emulation() }
    let frames = try list { reader throws(MalformedMessage) in try reader.technology() }
    return ReaderCapabilities(
      technologies: Set(technologies), bitRates: Dictionary(rates) { $1 },
      maximumCommandLength: command, maximumResponseLength: response,
      supportsOnlyAPDUs: supportsOnlyAPDUs, emulation: emulation, pollingFrames: Set(frames))
  }

  mutating func target() throws(MalformedMessage) -> Target {
    switch try technology() {
    case .iso14443a:
      let (uid, atqa) = (try block(), try block())
      let sak = try byte()
      return .iso14443a(ISO14443ATarget(uid: uid, atqa: atqa, sak: sak, ats: try block()))
    case .iso14443b:
      let (pupi, applicationData) = (try block(), try block())
      return .iso14443b(
        ISO14443BTarget(
          pupi: pupi, applicationData: applicationData, protocolInfo: try block()))
    case .feliCa:
      let (idm, pmm, systemCode) = (try block(), try block(), try block())
      return .feliCa(
        FeliCaTarget(
          idm: idm, pmm: pmm, systemCode: systemCode, bitRate: Int(try number(Int32.self))))
    case .iso15693:
      let uid = try block()
      return .iso15693(ISO15693Target(uid: uid, dsfid: try optionalByte()))
    case .jewel:
      let sensRes = try block()
      return .jewel(sensRes: sensRes, uid: try block())
    case .iso14443bPrime:
      let div = try block()
      let version = try byte()
      let configuration = try optionalByte()
      return .iso14443bPrime(
        div: div, version: version, configuration: configuration, atr: try block())
    case .iso14443b2sr: return .iso14443b2sr(uid: try block())
    case .iso14443b2ct:
      let uid = try block()
      let productCode = try byte()
      return .iso14443b2ct(uid: uid, productCode: productCode, fabricationCode: try byte())
    case .barcode: return .barcode(data: try block())
    case .iClass: return .iClass(serialNumber: try block())
    }
  }

  private mutating func optionalByte() throws(MalformedMessage) -> UInt8? {
    try optional { reader throws(MalformedMessage) in try reader.byte() }
  }

  mutating func error() throws(MalformedMessage) -> NFCError {
    guard let code = NFCError.Code(try text()) else { throw MalformedMessage() }
    let reason = try text()
    let cause = try optional { reader throws(MalformedMessage) in try reader.cause() }
    let place = try optional { reader throws(MalformedMessage) in try reader.place() }
    return NFCError(code, reason, cause: cause, place: place)
  }

  private mutating func cause() throws(MalformedMessage) -> NFCError.Cause {
    switch try byte() {
    case 1: return .driver(try driverFailure())
    case 3: return .system(errno: try number(), text: try text())
    case 4: return .negativeAcknowledge(try byte())
    case 5: return .statusWord(try number())
    case 6: return .statusFlags(flag1: try byte(), flag2: try byte())
    case 7: return .desfireStatus(try byte())
    case 8: return .iso15693(try byte())
    case 9: return .chip(code: try byte(), text: try text())
    case 10: return .unsupportedByReader
    case 11: return .noAnswer
    case 12: return .checksum
    case 13: return .signal(number: try number(), text: try text())
    case 14: return .foreignContent
    default: throw MalformedMessage()
    }
  }

  private mutating func driverFailure() throws(MalformedMessage) -> NFCError.DriverFailure {
    let domain = try text()
    let code: Int64 = try number()
    let reason = try text()
    let meaning = try optional { reader throws(MalformedMessage) in
      guard let meaning = NFCError.DriverFailure.Meaning(rawValue: try reader.text()) else {
        throw MalformedMessage()
      }
      return meaning
    }
    return NFCError.DriverFailure(domain: domain, code: code, text: reason, meaning: meaning)
  }

  private mutating func place() throws(MalformedMessage) -> NFCError.Place {
    switch try byte() {
    case 1: return .page(try position())
    case 2: return .block(try position())
    case 3: return .sector(try position())
    case 4: return .file(try number())
    case 5: return .offset(try position())
    case 6: return .key(try position())
    default: throw MalformedMessage()
    }
  }

  private mutating func position() throws(MalformedMessage) -> Int { Int(try number(Int64.self)) }
}
