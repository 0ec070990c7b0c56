import CoreNFC

/// ISO 7816 and MIFARE.
let iso7816AndMiFareMembers = Area(
  name: "ISO 7816 and MIFARE",
  types: [Any.Type]([
    (any NFCISO7816Tag).self, NFCISO7816APDU.self, NFCISO7816ResponseAPDU.self,
    (any NFCMiFareTag).self, NFCMiFareFamily.self,
  ]).map { String(reflecting: $0) },
  members: iso7816Tag + iso7816Commands + miFareTag)

private let iso7816Tag: [Member] = [
  Member("NFCISO7816Tag.initialSelectedAID") { (it: any NFCISO7816Tag) -> String in
    it.initialSelectedAID
  },
  Member("NFCISO7816Tag.identifier") { (it: any NFCISO7816Tag) -> Data in it.identifier },
  Member("NFCISO7816Tag.historicalBytes") { (it: any NFCISO7816Tag) -> Data? in it.historicalBytes
  },
  Member("NFCISO7816Tag.applicationData") { (it: any NFCISO7816Tag) -> Data? in it.applicationData
  },
  Member("NFCISO7816Tag.proprietaryApplicationDataCoding") { (it: any NFCISO7816Tag) -> Bool in
    it.proprietaryApplicationDataCoding
  },
  Member("NFCISO7816Tag.sendCommand(apdu:completionHandler:)") {
    (it: any NFCISO7816Tag, p0: NFCISO7816APDU) in
    it.sendCommand(
      apdu: p0, completionHandler: { (_: Data, _: UInt8, _: UInt8, _: (any Error)?) in })
  },
  Member("NFCISO7816Tag.sendCommand(apdu:)") {
    (it: any NFCISO7816Tag, p0: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) in
    try await it.sendCommand(apdu: p0)
  },
  Member("NFCISO7816Tag.sendCommand(apdu:) -> NFCISO7816ResponseAPDU") {
    (it: any NFCISO7816Tag, p0: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU in
    try await it.sendCommand(apdu: p0)
  },
  Member("NFCISO7816Tag.sendCommand(apdu:resultHandler:)") {
    (it: any NFCISO7816Tag, p0: NFCISO7816APDU) in
    it.sendCommand(apdu: p0, resultHandler: { (_: Result<NFCISO7816ResponseAPDU, any Error>) in })
  },
]

private let iso7816Commands: [Member] = [
  Member(
    "NFCISO7816APDU.init(instructionClass:instructionCode:p1Parameter:p2Parameter:data:expectedResponseLength:)"
  ) {
    (data: Data, length: Int) -> NFCISO7816APDU in
    NFCISO7816APDU(
      instructionClass: 0, instructionCode: 0, p1Parameter: 0, p2Parameter: 0, data: data,
      expectedResponseLength: length)
  },
  Member("NFCISO7816APDU.init(data:)") { (data: Data) -> NFCISO7816APDU? in
    NFCISO7816APDU(data: data)
  },
  Member("NFCISO7816APDU.instructionClass") { (it: NFCISO7816APDU) -> UInt8 in it.instructionClass
  },
  Member("NFCISO7816APDU.instructionCode") { (it: NFCISO7816APDU) -> UInt8 in it.instructionCode },
  Member("NFCISO7816APDU.p1Parameter") { (it: NFCISO7816APDU) -> UInt8 in it.p1Parameter },
  Member("NFCISO7816APDU.p2Parameter") { (it: NFCISO7816APDU) -> UInt8 in it.p2Parameter },
  Member("NFCISO7816APDU.data") { (it: NFCISO7816APDU) -> Data? in it.data },
  Member("NFCISO7816APDU.expectedResponseLength") { (it: NFCISO7816APDU) -> Int in
    it.expectedResponseLength
  },
  Member("NFCISO7816ResponseAPDU.init(statusWord1:statusWord2:paylaod:)") {
    (payload: Data?) -> (NFCISO7816ResponseAPDU, NFCISO7816ResponseAPDU) in
    (
      NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, paylaod: payload),
      NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, payload: payload)
    )
  },
  Member(
    "NFCISO7816ResponseAPDU.statusWord1",
    \NFCISO7816ResponseAPDU.statusWord1 as WritableKeyPath<NFCISO7816ResponseAPDU, UInt8>),
  Member(
    "NFCISO7816ResponseAPDU.statusWord2",
    \NFCISO7816ResponseAPDU.statusWord2 as WritableKeyPath<NFCISO7816ResponseAPDU, UInt8>),
  Member(
    "NFCISO7816ResponseAPDU.payload",
    \NFCISO7816ResponseAPDU.payload as WritableKeyPath<NFCISO7816ResponseAPDU, Data?>),
]

private let miFareTag: [Member] = [
  Member("NFCMiFareTag.mifareFamily") { (it: any NFCMiFareTag) -> NFCMiFareFamily in it.mifareFamily
  },
  Member("NFCMiFareTag.identifier") { (it: any NFCMiFareTag) -> Data in it.identifier },
  Member("NFCMiFareTag.historicalBytes") { (it: any NFCMiFareTag) -> Data? in it.historicalBytes },
  Member("NFCMiFareTag.sendMiFareCommand(commandPacket:completionHandler:)") {
    (it: any NFCMiFareTag, p0: Data) in
    it.sendMiFareCommand(commandPacket: p0, completionHandler: { (_: Data, _: (any Error)?) in })
  },
  Member("NFCMiFareTag.sendMiFareCommand(commandPacket:)") {
    (it: any NFCMiFareTag, p0: Data) async throws -> Data in
    try await it.sendMiFareCommand(commandPacket: p0)
  },
  Member("NFCMiFareTag.sendMiFareCommand(commandPacket:resultHandler:)") {
    (it: any NFCMiFareTag, p0: Data) in
    it.sendMiFareCommand(commandPacket: p0, resultHandler: { (_: Result<Data, any Error>) in })
  },
  Member("NFCMiFareTag.sendMiFareISO7816Command(_:completionHandler:)") {
    (it: any NFCMiFareTag, p0: NFCISO7816APDU) in
    it.sendMiFareISO7816Command(
      p0, completionHandler: { (_: Data, _: UInt8, _: UInt8, _: (any Error)?) in })
  },
  Member("NFCMiFareTag.sendMiFareISO7816Command(_:)") {
    (it: any NFCMiFareTag, p0: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) in
    try await it.sendMiFareISO7816Command(p0)
  },
  Member("NFCMiFareTag.sendMiFareISO7816Command(_:) -> NFCISO7816ResponseAPDU") {
    (it: any NFCMiFareTag, p0: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU in
    try await it.sendMiFareISO7816Command(p0)
  },
  Member("NFCMiFareTag.sendMiFareISO7816Command(_:resultHandler:)") {
    (it: any NFCMiFareTag, p0: NFCISO7816APDU) in
    it.sendMiFareISO7816Command(
      p0, resultHandler: { (_: Result<NFCISO7816ResponseAPDU, any Error>) in })
  },
  Member("NFCMiFareFamily.unknown", NFCMiFareFamily.unknown),
  Member("NFCMiFareFamily.ultralight", NFCMiFareFamily.ultralight),
  Member("NFCMiFareFamily.plus", NFCMiFareFamily.plus),
  Member("NFCMiFareFamily.desfire", NFCMiFareFamily.desfire),
  Member("NFCMiFareFamily.init(rawValue:)") { (value: UInt) -> NFCMiFareFamily? in
    NFCMiFareFamily(rawValue: value)
  },
]
