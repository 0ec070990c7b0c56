import CoreNFC

/// Area 4: ISO 7816 and MIFARE.
enum Area4 {
  static let types: [Any.Type] = [
    (any NFCISO7816Tag).self, NFCISO7816APDU.self, NFCISO7816ResponseAPDU.self,
    (any NFCMiFareTag).self, NFCMiFareFamily.self,
  ]

  static let smartCards: [Member] = [
    Member("NFCISO7816Tag.initialSelectedAID") { (it: any NFCISO7816Tag) -> String in
      it.initialSelectedAID
    },
    Member("NFCISO7816Tag.identifier") { (it: any NFCISO7816Tag) -> Data in it.identifier },
    Member("NFCISO7816Tag.historicalBytes") { (it: any NFCISO7816Tag) -> Data? in
      it.historicalBytes
    },
    Member("NFCISO7816Tag.applicationData") { (it: any NFCISO7816Tag) -> Data? in
      it.applicationData
    },
    Member("NFCISO7816Tag.proprietaryApplicationDataCoding") { (it: any NFCISO7816Tag) -> Bool in
      it.proprietaryApplicationDataCoding
    },
    Member("NFCISO7816Tag.sendCommand(apdu:completionHandler:)") {
      (it: any NFCISO7816Tag, apdu: NFCISO7816APDU) in
      it.sendCommand(apdu: apdu) { (_: Data, _: UInt8, _: UInt8, _: (any Error)?) in }
    },
    Member("NFCISO7816Tag.sendCommand(apdu:), tuple") {
      (it: any NFCISO7816Tag, apdu: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) in
      let (data, sw1, sw2) = try await it.sendCommand(apdu: apdu)
      return (data, sw1, sw2)
    },
    Member("NFCISO7816Tag.sendCommand(apdu:), structure") {
      (it: any NFCISO7816Tag, apdu: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU in
      try await it.sendCommand(apdu: apdu)
    },
    Member("NFCISO7816Tag.sendCommand(apdu:resultHandler:)") {
      (it: any NFCISO7816Tag, apdu: NFCISO7816APDU) in
      it.sendCommand(apdu: apdu) { (_: Result<NFCISO7816ResponseAPDU, any Error>) in }
    },
    Member("NFCISO7816APDU.init(instructionClass:…)") { (data: Data) in
      NFCISO7816APDU(
        instructionClass: 0, instructionCode: 0, p1Parameter: 0, p2Parameter: 0, data: data,
        expectedResponseLength: -1)
    },
    Member("NFCISO7816APDU.init(data:)") { (data: Data) -> NFCISO7816APDU? in
      NFCISO7816APDU(data: data)
    },
    Member("NFCISO7816APDU.instructionClass") { (it: NFCISO7816APDU) -> UInt8 in
      it.instructionClass
    },
    Member("NFCISO7816APDU.instructionCode") { (it: NFCISO7816APDU) -> UInt8 in it.instructionCode
    },
    Member("NFCISO7816APDU.p1Parameter") { (it: NFCISO7816APDU) -> UInt8 in it.p1Parameter },
    Member("NFCISO7816APDU.p2Parameter") { (it: NFCISO7816APDU) -> UInt8 in it.p2Parameter },
    Member("NFCISO7816APDU.data") { (it: NFCISO7816APDU) -> Data? in it.data },
    Member("NFCISO7816APDU.expectedResponseLength") { (it: NFCISO7816APDU) -> Int in
      it.expectedResponseLength
    },
    Member("NFCISO7816ResponseAPDU.init(statusWord1:statusWord2:paylaod:)") { (data: Data?) in
      NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0x00, paylaod: data)
    },
    Member("NFCISO7816ResponseAPDU.statusWord1") { (it: inout NFCISO7816ResponseAPDU) in
      it.statusWord1 = 0
    },
    Member("NFCISO7816ResponseAPDU.statusWord2") { (it: inout NFCISO7816ResponseAPDU) in
      it.statusWord2 = 0
    },
    Member("NFCISO7816ResponseAPDU.payload") { (it: inout NFCISO7816ResponseAPDU) in
      it.payload = nil as Data?
    },
  ]

  static let miFare: [Member] = [
    Member("NFCMiFareTag.mifareFamily") { (it: any NFCMiFareTag) -> NFCMiFareFamily in
      it.mifareFamily
    },
    Member("NFCMiFareTag.identifier") { (it: any NFCMiFareTag) -> Data in it.identifier },
    Member("NFCMiFareTag.historicalBytes") { (it: any NFCMiFareTag) -> Data? in it.historicalBytes
    },
    Member("NFCMiFareTag.sendMiFareCommand(commandPacket:completionHandler:)") {
      (it: any NFCMiFareTag, command: Data) in
      it.sendMiFareCommand(commandPacket: command) { (_: Data, _: (any Error)?) in }
    },
    Member("NFCMiFareTag.sendMiFareCommand(commandPacket:)") {
      (it: any NFCMiFareTag, command: Data) async throws -> Data in
      try await it.sendMiFareCommand(commandPacket: command)
    },
    Member("NFCMiFareTag.sendMiFareCommand(commandPacket:resultHandler:)") {
      (it: any NFCMiFareTag, command: Data) in
      it.sendMiFareCommand(commandPacket: command) { (_: Result<Data, any Error>) in }
    },
    Member("NFCMiFareTag.sendMiFareISO7816Command(_:completionHandler:)") {
      (it: any NFCMiFareTag, apdu: NFCISO7816APDU) in
      it.sendMiFareISO7816Command(apdu) { (_: Data, _: UInt8, _: UInt8, _: (any Error)?) in }
    },
    Member("NFCMiFareTag.sendMiFareISO7816Command(_:), tuple") {
      (it: any NFCMiFareTag, apdu: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) in
      let (data, sw1, sw2) = try await it.sendMiFareISO7816Command(apdu)
      return (data, sw1, sw2)
    },
    Member("NFCMiFareTag.sendMiFareISO7816Command(_:), structure") {
      (it: any NFCMiFareTag, apdu: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU in
      try await it.sendMiFareISO7816Command(apdu)
    },
    Member("NFCMiFareTag.sendMiFareISO7816Command(_:resultHandler:)") {
      (it: any NFCMiFareTag, apdu: NFCISO7816APDU) in
      it.sendMiFareISO7816Command(apdu) { (_: Result<NFCISO7816ResponseAPDU, any Error>) in }
    },
    Member("NFCMiFareFamily.unknown", NFCMiFareFamily.unknown),
    Member("NFCMiFareFamily.ultralight", NFCMiFareFamily.ultralight),
    Member("NFCMiFareFamily.plus", NFCMiFareFamily.plus),
    Member("NFCMiFareFamily.desfire", NFCMiFareFamily.desfire),
    Member("NFCMiFareFamily.init(rawValue:)") { (value: UInt) in NFCMiFareFamily(rawValue: value) },
  ]

  static let area = Area(
    name: "ISO 7816 and MIFARE", types: types.map { "\($0)" }, members: smartCards + miFare)
}
