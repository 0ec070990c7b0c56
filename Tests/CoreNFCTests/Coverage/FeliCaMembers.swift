import CoreNFC

/// FeliCa.
let feliCaMembers = Area(
  name: "FeliCa",
  types: [Any.Type]([
    (any NFCFeliCaTag).self, NFCFeliCaPollingRequestCode.self, NFCFeliCaPollingTimeSlot.self,
    NFCFeliCaEncryptionId.self, NFCFeliCaPollingResponse.self, NFCFeliCaStatusFlag.self,
    NFCFeliCaRequsetServiceV2Response.self, NFCFeliCaRequestSpecificationVersionResponse.self,
  ]).map { String(reflecting: $0) },
  members: feliCaTag + feliCaEnumerations + feliCaStructures)

private let feliCaTag: [Member] = [
  Member("NFCFeliCaTag.currentSystemCode") { (it: any NFCFeliCaTag) -> Data in it.currentSystemCode
  },
  Member("NFCFeliCaTag.currentIDm") { (it: any NFCFeliCaTag) -> Data in it.currentIDm },
  Member("NFCFeliCaTag.polling(systemCode:requestCode:timeSlot:completionHandler:)") {
    (it: any NFCFeliCaTag, p0: Data, p1: NFCFeliCaPollingRequestCode, p2: NFCFeliCaPollingTimeSlot)
    in
    it.polling(
      systemCode: p0, requestCode: p1, timeSlot: p2,
      completionHandler: { (_: Data, _: Data, _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.polling(systemCode:requestCode:timeSlot:)") {
    (it: any NFCFeliCaTag, p0: Data, p1: NFCFeliCaPollingRequestCode, p2: NFCFeliCaPollingTimeSlot)
      async throws -> (Data, Data) in
    try await it.polling(systemCode: p0, requestCode: p1, timeSlot: p2)
  },
  Member("NFCFeliCaTag.polling(systemCode:requestCode:timeSlot:resultHandler:)") {
    (it: any NFCFeliCaTag, p0: Data, p1: NFCFeliCaPollingRequestCode, p2: NFCFeliCaPollingTimeSlot)
    in
    it.polling(
      systemCode: p0, requestCode: p1, timeSlot: p2,
      resultHandler: { (_: Result<NFCFeliCaPollingResponse, any Error>) in })
  },
  Member("NFCFeliCaTag.requestService(nodeCodeList:completionHandler:)") {
    (it: any NFCFeliCaTag, p0: [Data]) in
    it.requestService(nodeCodeList: p0, completionHandler: { (_: [Data], _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.requestService(nodeCodeList:)") {
    (it: any NFCFeliCaTag, p0: [Data]) async throws -> [Data] in
    try await it.requestService(nodeCodeList: p0)
  },
  Member("NFCFeliCaTag.requestService(nodeCodeList:resultHandler:)") {
    (it: any NFCFeliCaTag, p0: [Data]) in
    it.requestService(nodeCodeList: p0, resultHandler: { (_: Result<[Data], any Error>) in })
  },
  Member("NFCFeliCaTag.requestResponse(completionHandler:)") {
    (it: any NFCFeliCaTag) in
    it.requestResponse(completionHandler: { (_: Int, _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.requestResponse()") {
    (it: any NFCFeliCaTag) async throws -> Int in
    try await it.requestResponse()
  },
  Member("NFCFeliCaTag.requestResponse(resultHandler:)") {
    (it: any NFCFeliCaTag) in
    it.requestResponse(resultHandler: { (_: Result<Int, any Error>) in })
  },
  Member("NFCFeliCaTag.readWithoutEncryption(serviceCodeList:blockList:completionHandler:)") {
    (it: any NFCFeliCaTag, p0: [Data], p1: [Data]) in
    it.readWithoutEncryption(
      serviceCodeList: p0, blockList: p1,
      completionHandler: { (_: Int, _: Int, _: [Data], _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.readWithoutEncryption(serviceCodeList:blockList:)") {
    (it: any NFCFeliCaTag, p0: [Data], p1: [Data]) async throws -> (Int, Int, [Data]) in
    try await it.readWithoutEncryption(serviceCodeList: p0, blockList: p1)
  },
  Member("NFCFeliCaTag.readWithoutEncryption(serviceCodeList:blockList:resultHandler:)") {
    (it: any NFCFeliCaTag, p0: [Data], p1: [Data]) in
    it.readWithoutEncryption(
      serviceCodeList: p0, blockList: p1,
      resultHandler: { (_: Result<(NFCFeliCaStatusFlag, [Data]), any Error>) in })
  },
  Member(
    "NFCFeliCaTag.writeWithoutEncryption(serviceCodeList:blockList:blockData:completionHandler:)"
  ) {
    (it: any NFCFeliCaTag, p0: [Data], p1: [Data], p2: [Data]) in
    it.writeWithoutEncryption(
      serviceCodeList: p0, blockList: p1, blockData: p2,
      completionHandler: { (_: Int, _: Int, _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.writeWithoutEncryption(serviceCodeList:blockList:blockData:)") {
    (it: any NFCFeliCaTag, p0: [Data], p1: [Data], p2: [Data]) async throws -> (Int, Int) in
    try await it.writeWithoutEncryption(serviceCodeList: p0, blockList: p1, blockData: p2)
  },
  Member("NFCFeliCaTag.writeWithoutEncryption(serviceCodeList:blockList:blockData:resultHandler:)")
  {
    (it: any NFCFeliCaTag, p0: [Data], p1: [Data], p2: [Data]) in
    it.writeWithoutEncryption(
      serviceCodeList: p0, blockList: p1, blockData: p2,
      resultHandler: { (_: Result<NFCFeliCaStatusFlag, any Error>) in })
  },
  Member("NFCFeliCaTag.requestSystemCode(completionHandler:)") {
    (it: any NFCFeliCaTag) in
    it.requestSystemCode(completionHandler: { (_: [Data], _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.requestSystemCode()") {
    (it: any NFCFeliCaTag) async throws -> [Data] in
    try await it.requestSystemCode()
  },
  Member("NFCFeliCaTag.requestSystemCode(resultHandler:)") {
    (it: any NFCFeliCaTag) in
    it.requestSystemCode(resultHandler: { (_: Result<[Data], any Error>) in })
  },
  Member("NFCFeliCaTag.requestServiceV2(nodeCodeList:completionHandler:)") {
    (it: any NFCFeliCaTag, p0: [Data]) in
    it.requestServiceV2(
      nodeCodeList: p0,
      completionHandler: {
        (_: Int, _: Int, _: NFCFeliCaEncryptionId, _: [Data], _: [Data], _: (any Error)?) in
      })
  },
  Member("NFCFeliCaTag.requestServiceV2(nodeCodeList:)") {
    (it: any NFCFeliCaTag, p0: [Data]) async throws -> (
      Int, Int, NFCFeliCaEncryptionId, [Data], [Data]
    ) in
    try await it.requestServiceV2(nodeCodeList: p0)
  },
  Member("NFCFeliCaTag.requestServiceV2(nodeCodeList:resultHandler:)") {
    (it: any NFCFeliCaTag, p0: [Data]) in
    it.requestServiceV2(
      nodeCodeList: p0,
      resultHandler: { (_: Result<NFCFeliCaRequsetServiceV2Response, any Error>) in })
  },
  Member("NFCFeliCaTag.requestSpecificationVersion(completionHandler:)") {
    (it: any NFCFeliCaTag) in
    it.requestSpecificationVersion(completionHandler: {
      (_: Int, _: Int, _: Data, _: Data, _: (any Error)?) in
    })
  },
  Member("NFCFeliCaTag.requestSpecificationVersion()") {
    (it: any NFCFeliCaTag) async throws -> (Int, Int, Data, Data) in
    try await it.requestSpecificationVersion()
  },
  Member("NFCFeliCaTag.requestSpecificationVersion(resultHandler:)") {
    (it: any NFCFeliCaTag) in
    it.requestSpecificationVersion(resultHandler: {
      (_: Result<NFCFeliCaRequestSpecificationVersionResponse, any Error>) in
    })
  },
  Member("NFCFeliCaTag.resetMode(completionHandler:)") {
    (it: any NFCFeliCaTag) in
    it.resetMode(completionHandler: { (_: Int, _: Int, _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.resetMode()") {
    (it: any NFCFeliCaTag) async throws -> (Int, Int) in
    try await it.resetMode()
  },
  Member("NFCFeliCaTag.resetMode(resultHandler:)") {
    (it: any NFCFeliCaTag) in
    it.resetMode(resultHandler: { (_: Result<NFCFeliCaStatusFlag, any Error>) in })
  },
  Member("NFCFeliCaTag.sendFeliCaCommand(commandPacket:completionHandler:)") {
    (it: any NFCFeliCaTag, p0: Data) in
    it.sendFeliCaCommand(commandPacket: p0, completionHandler: { (_: Data, _: (any Error)?) in })
  },
  Member("NFCFeliCaTag.sendFeliCaCommand(commandPacket:)") {
    (it: any NFCFeliCaTag, p0: Data) async throws -> Data in
    try await it.sendFeliCaCommand(commandPacket: p0)
  },
  Member("NFCFeliCaTag.sendFeliCaCommand(commandPacket:resultHandler:)") {
    (it: any NFCFeliCaTag, p0: Data) in
    it.sendFeliCaCommand(commandPacket: p0, resultHandler: { (_: Result<Data, any Error>) in })
  },
]

private let feliCaEnumerations: [Member] = [
  Member("NFCFeliCaPollingRequestCode.noRequest", NFCFeliCaPollingRequestCode.noRequest),
  Member("NFCFeliCaPollingRequestCode.systemCode", NFCFeliCaPollingRequestCode.systemCode),
  Member(
    "NFCFeliCaPollingRequestCode.communicationPerformance",
    NFCFeliCaPollingRequestCode.communicationPerformance),
  Member("NFCFeliCaPollingRequestCode.init(rawValue:)") {
    (value: Int) -> NFCFeliCaPollingRequestCode? in NFCFeliCaPollingRequestCode(rawValue: value)
  },
  Member(
    "NFCFeliCaPollingRequestCode.PollingRequestCodeNoRequest",
    PollingRequestCode.PollingRequestCodeNoRequest as NFCFeliCaPollingRequestCode),
  Member(
    "NFCFeliCaPollingRequestCode.PollingRequestCodeSystemCode",
    PollingRequestCode.PollingRequestCodeSystemCode as NFCFeliCaPollingRequestCode),
  Member(
    "NFCFeliCaPollingRequestCode.PollingRequestCodeCommunicationPerformance",
    PollingRequestCode.PollingRequestCodeCommunicationPerformance as NFCFeliCaPollingRequestCode),
  Member("NFCFeliCaPollingTimeSlot.max1", NFCFeliCaPollingTimeSlot.max1),
  Member("NFCFeliCaPollingTimeSlot.max2", NFCFeliCaPollingTimeSlot.max2),
  Member("NFCFeliCaPollingTimeSlot.max4", NFCFeliCaPollingTimeSlot.max4),
  Member("NFCFeliCaPollingTimeSlot.max8", NFCFeliCaPollingTimeSlot.max8),
  Member("NFCFeliCaPollingTimeSlot.max16", NFCFeliCaPollingTimeSlot.max16),
  Member("NFCFeliCaPollingTimeSlot.init(rawValue:)") { (value: Int) -> NFCFeliCaPollingTimeSlot? in
    NFCFeliCaPollingTimeSlot(rawValue: value)
  },
  Member(
    "NFCFeliCaPollingTimeSlot.PollingTimeSlotMax1",
    PollingTimeSlot.PollingTimeSlotMax1 as NFCFeliCaPollingTimeSlot),
  Member(
    "NFCFeliCaPollingTimeSlot.PollingTimeSlotMax2",
    PollingTimeSlot.PollingTimeSlotMax2 as NFCFeliCaPollingTimeSlot),
  Member(
    "NFCFeliCaPollingTimeSlot.PollingTimeSlotMax4",
    PollingTimeSlot.PollingTimeSlotMax4 as NFCFeliCaPollingTimeSlot),
  Member(
    "NFCFeliCaPollingTimeSlot.PollingTimeSlotMax8",
    PollingTimeSlot.PollingTimeSlotMax8 as NFCFeliCaPollingTimeSlot),
  Member(
    "NFCFeliCaPollingTimeSlot.PollingTimeSlotMax16",
    PollingTimeSlot.PollingTimeSlotMax16 as NFCFeliCaPollingTimeSlot),
  Member("NFCFeliCaEncryptionId.AES", NFCFeliCaEncryptionId.AES),
  Member("NFCFeliCaEncryptionId.AES_DES", NFCFeliCaEncryptionId.AES_DES),
  Member("NFCFeliCaEncryptionId.init(rawValue:)") { (value: Int) -> NFCFeliCaEncryptionId? in
    NFCFeliCaEncryptionId(rawValue: value)
  },
  Member("NFCFeliCaEncryptionId.aes", EncryptionId.aes as NFCFeliCaEncryptionId),
  Member("NFCFeliCaEncryptionId.aes_des", EncryptionId.aes_des as NFCFeliCaEncryptionId),
]

private let feliCaStructures: [Member] = [
  Member("NFCFeliCaPollingResponse.init(manufactureParameter:requestData:)") {
    (p0: Data, p1: Data?) -> NFCFeliCaPollingResponse in
    NFCFeliCaPollingResponse(manufactureParameter: p0, requestData: p1)
  },
  Member(
    "NFCFeliCaPollingResponse.manufactureParameter",
    \NFCFeliCaPollingResponse.manufactureParameter
      as WritableKeyPath<NFCFeliCaPollingResponse, Data>),
  Member(
    "NFCFeliCaPollingResponse.requestData",
    \NFCFeliCaPollingResponse.requestData as WritableKeyPath<NFCFeliCaPollingResponse, Data?>),
  Member("NFCFeliCaStatusFlag.init(statusFlag1:statusFlag2:)") {
    (p0: Int, p1: Int) -> NFCFeliCaStatusFlag in
    NFCFeliCaStatusFlag(statusFlag1: p0, statusFlag2: p1)
  },
  Member(
    "NFCFeliCaStatusFlag.statusFlag1",
    \NFCFeliCaStatusFlag.statusFlag1 as WritableKeyPath<NFCFeliCaStatusFlag, Int>),
  Member(
    "NFCFeliCaStatusFlag.statusFlag2",
    \NFCFeliCaStatusFlag.statusFlag2 as WritableKeyPath<NFCFeliCaStatusFlag, Int>),
  Member(
    "NFCFeliCaRequsetServiceV2Response.init(statusFlag1:statusFlag2:encryptionIdentifier:nodeKeyVersionListAES:nodeKeyVersionListDES:)"
  ) {
    (p0: Int, p1: Int, p2: NFCFeliCaEncryptionId, p3: [Data]?, p4: [Data]?)
      -> NFCFeliCaRequsetServiceV2Response in
    NFCFeliCaRequsetServiceV2Response(
      statusFlag1: p0, statusFlag2: p1, encryptionIdentifier: p2, nodeKeyVersionListAES: p3,
      nodeKeyVersionListDES: p4)
  },
  Member(
    "NFCFeliCaRequsetServiceV2Response.statusFlag1",
    \NFCFeliCaRequsetServiceV2Response.statusFlag1
      as WritableKeyPath<NFCFeliCaRequsetServiceV2Response, Int>),
  Member(
    "NFCFeliCaRequsetServiceV2Response.statusFlag2",
    \NFCFeliCaRequsetServiceV2Response.statusFlag2
      as WritableKeyPath<NFCFeliCaRequsetServiceV2Response, Int>),
  Member(
    "NFCFeliCaRequsetServiceV2Response.encryptionIdentifier",
    \NFCFeliCaRequsetServiceV2Response.encryptionIdentifier
      as WritableKeyPath<NFCFeliCaRequsetServiceV2Response, NFCFeliCaEncryptionId>),
  Member(
    "NFCFeliCaRequsetServiceV2Response.nodeKeyVersionListAES",
    \NFCFeliCaRequsetServiceV2Response.nodeKeyVersionListAES
      as WritableKeyPath<NFCFeliCaRequsetServiceV2Response, [Data]?>),
  Member(
    "NFCFeliCaRequsetServiceV2Response.nodeKeyVersionListDES",
    \NFCFeliCaRequsetServiceV2Response.nodeKeyVersionListDES
      as WritableKeyPath<NFCFeliCaRequsetServiceV2Response, [Data]?>),
  Member(
    "NFCFeliCaRequestSpecificationVersionResponse.init(statusFlag1:statusFlag2:basicVersion:optionVersion:)"
  ) {
    (p0: Int, p1: Int, p2: Data?, p3: Data?) -> NFCFeliCaRequestSpecificationVersionResponse in
    NFCFeliCaRequestSpecificationVersionResponse(
      statusFlag1: p0, statusFlag2: p1, basicVersion: p2, optionVersion: p3)
  },
  Member(
    "NFCFeliCaRequestSpecificationVersionResponse.statusFlag1",
    \NFCFeliCaRequestSpecificationVersionResponse.statusFlag1
      as WritableKeyPath<NFCFeliCaRequestSpecificationVersionResponse, Int>),
  Member(
    "NFCFeliCaRequestSpecificationVersionResponse.statusFlag2",
    \NFCFeliCaRequestSpecificationVersionResponse.statusFlag2
      as WritableKeyPath<NFCFeliCaRequestSpecificationVersionResponse, Int>),
  Member(
    "NFCFeliCaRequestSpecificationVersionResponse.basicVersion",
    \NFCFeliCaRequestSpecificationVersionResponse.basicVersion
      as WritableKeyPath<NFCFeliCaRequestSpecificationVersionResponse, Data?>),
  Member(
    "NFCFeliCaRequestSpecificationVersionResponse.optionVersion",
    \NFCFeliCaRequestSpecificationVersionResponse.optionVersion
      as WritableKeyPath<NFCFeliCaRequestSpecificationVersionResponse, Data?>),
]
