import CoreNFC

/// What area 1 has of NDEF messages.
let ndefMembers: [Member] = [
  Member(
    "NFCTagCommandConfiguration.maximumRetries",
    \NFCTagCommandConfiguration.maximumRetries
      as ReferenceWritableKeyPath<NFCTagCommandConfiguration, Int>),
  Member(
    "NFCTagCommandConfiguration.retryInterval",
    \NFCTagCommandConfiguration.retryInterval
      as ReferenceWritableKeyPath<NFCTagCommandConfiguration, TimeInterval>),
  Member("NFCNDEFMessage.init(records:)") { (records: [NFCNDEFPayload]) in
    NFCNDEFMessage(records: records)
  },
  Member("NFCNDEFMessage.init(data:)") { (data: Data) -> NFCNDEFMessage? in
    NFCNDEFMessage(data: data)
  },
  Member(
    "NFCNDEFMessage.records",
    \NFCNDEFMessage.records as ReferenceWritableKeyPath<NFCNDEFMessage, [NFCNDEFPayload]>),
  Member("NFCNDEFMessage.length", \NFCNDEFMessage.length as KeyPath<NFCNDEFMessage, Int>),
  Member("NFCNDEFPayload.init(format:type:identifier:payload:)") {
    (format: NFCTypeNameFormat, data: Data) in
    NFCNDEFPayload(format: format, type: data, identifier: data, payload: data)
  },
  Member("NFCNDEFPayload.init(format:type:identifier:payload:chunkSize:)") {
    (format: NFCTypeNameFormat, data: Data, size: Int) in
    NFCNDEFPayload(
      format: format, type: data, identifier: data, payload: data, chunkSize: size)
  },
  Member(
    "NFCNDEFPayload.typeNameFormat",
    \NFCNDEFPayload.typeNameFormat as ReferenceWritableKeyPath<NFCNDEFPayload, NFCTypeNameFormat>),
  Member(
    "NFCNDEFPayload.type", \NFCNDEFPayload.type as ReferenceWritableKeyPath<NFCNDEFPayload, Data>),
  Member(
    "NFCNDEFPayload.identifier",
    \NFCNDEFPayload.identifier as ReferenceWritableKeyPath<NFCNDEFPayload, Data>),
  Member(
    "NFCNDEFPayload.payload",
    \NFCNDEFPayload.payload as ReferenceWritableKeyPath<NFCNDEFPayload, Data>),
  Member("NFCNDEFPayload.wellKnownTypeURIPayload(string:)") {
    (text: String) -> NFCNDEFPayload? in NFCNDEFPayload.wellKnownTypeURIPayload(string: text)
  },
  Member("NFCNDEFPayload.wellKnownTypeURIPayload(url:)") { (url: URL) -> NFCNDEFPayload? in
    NFCNDEFPayload.wellKnownTypeURIPayload(url: url)
  },
  Member("NFCNDEFPayload.wellKnownTypeTextPayload(string:locale:)") {
    (text: String, locale: Locale) -> NFCNDEFPayload? in
    NFCNDEFPayload.wellKnownTypeTextPayload(string: text, locale: locale)
  },
  Member("NFCNDEFPayload.wellKnowTypeTextPayload(string:locale:)") {
    (text: String, locale: Locale) -> NFCNDEFPayload? in
    NFCNDEFPayload.wellKnowTypeTextPayload(string: text, locale: locale)
  },
  Member("NFCNDEFPayload.wellKnownTypeURIPayload()") { (it: NFCNDEFPayload) -> URL? in
    it.wellKnownTypeURIPayload()
  },
  Member("NFCNDEFPayload.wellKnownTypeTextPayload()") {
    (it: NFCNDEFPayload) -> (String?, Locale?) in it.wellKnownTypeTextPayload()
  },
  Member("NFCTypeNameFormat.empty", NFCTypeNameFormat.empty as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.nfcWellKnown", NFCTypeNameFormat.nfcWellKnown as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.media", NFCTypeNameFormat.media as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.absoluteURI", NFCTypeNameFormat.absoluteURI as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.nfcExternal", NFCTypeNameFormat.nfcExternal as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.unknown", NFCTypeNameFormat.unknown as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.unchanged", NFCTypeNameFormat.unchanged as NFCTypeNameFormat),
  Member("NFCTypeNameFormat.init(rawValue:)") { (value: UInt8) -> NFCTypeNameFormat? in
    NFCTypeNameFormat(rawValue: value)
  },
  Member("NSUserActivity.ndefMessagePayload") { (it: NSUserActivity) -> NFCNDEFMessage in
    it.ndefMessagePayload
  },
]
