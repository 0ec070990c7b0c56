import CoreNFC

/// The services that Apple alone has.
let appleServiceMembers = Area(
  name: "VAS, card emulation, scene events",
  types: [Any.Type]([
    NFCVASReaderSession.self, (any NFCVASReaderSessionDelegate).self,
    NFCVASCommandConfiguration.self, NFCVASCommandConfiguration.Mode.self, NFCVASResponse.self,
    NFCVASResponse.ErrorCode.self, CardSession.self, CardSession.EventStream.self,
    CardSession.EventStream.Iterator.self, CardSession.Event.self, CardSession.APDU.self,
    CardSession.EmulationUIStatus.self, CardSession.Error.self, NFCPresentmentIntentAssertion.self,
    NFCPresentmentIntentAssertion.Error.self, (any NFCWindowSceneDelegate).self,
    NFCWindowSceneEvent.self,
  ]).map { String(reflecting: $0) },
  members: passes + cardEmulation + sceneEvents)

private let passes: [Member] = [
  Member("NFCVASReaderSession.init(vasCommandConfigurations:delegate:queue:)") {
    (delegate: any NFCVASReaderSessionDelegate, queue: DispatchQueue?) -> NFCVASReaderSession in
    NFCVASReaderSession(
      vasCommandConfigurations: [NFCVASCommandConfiguration](), delegate: delegate, queue: queue)
  },
  Member("NFCVASReaderSessionDelegate.readerSessionDidBecomeActive(_:)") {
    (it: any NFCVASReaderSessionDelegate, session: NFCVASReaderSession) in
    it.readerSessionDidBecomeActive(session)
  },
  Member("NFCVASReaderSessionDelegate.readerSession(_:didInvalidateWithError:)") {
    (it: any NFCVASReaderSessionDelegate, session: NFCVASReaderSession, error: any Error) in
    it.readerSession(session, didInvalidateWithError: error)
  },
  Member("NFCVASReaderSessionDelegate.readerSession(_:didReceive:)") {
    (it: any NFCVASReaderSessionDelegate, session: NFCVASReaderSession) in
    it.readerSession(session, didReceive: [NFCVASResponse]())
  },
  Member("NFCVASCommandConfiguration.init(vasMode:passTypeIdentifier:url:)") {
    (mode: NFCVASCommandConfiguration.Mode, url: URL?) -> NFCVASCommandConfiguration in
    NFCVASCommandConfiguration(vasMode: mode, passTypeIdentifier: "", url: url)
  },
  Member(
    "NFCVASCommandConfiguration.mode",
    \NFCVASCommandConfiguration.mode
      as WritableKeyPath<NFCVASCommandConfiguration, NFCVASCommandConfiguration.Mode>),
  Member(
    "NFCVASCommandConfiguration.passTypeIdentifier",
    \NFCVASCommandConfiguration.passTypeIdentifier
      as WritableKeyPath<NFCVASCommandConfiguration, String>),
  Member(
    "NFCVASCommandConfiguration.url",
    \NFCVASCommandConfiguration.url as WritableKeyPath<NFCVASCommandConfiguration, URL?>),
  Member("NFCVASCommandConfiguration.Mode.urlOnly", NFCVASCommandConfiguration.Mode.urlOnly),
  Member("NFCVASCommandConfiguration.Mode.normal", NFCVASCommandConfiguration.Mode.normal),
  Member("NFCVASCommandConfiguration.Mode.init(rawValue:)") {
    (value: Int) -> NFCVASCommandConfiguration.Mode? in
    NFCVASCommandConfiguration.Mode(rawValue: value)
  },
  Member(
    "NFCVASCommandConfiguration.Mode.VASModeURLOnly",
    VASMode.VASModeURLOnly as NFCVASCommandConfiguration.Mode),
  Member(
    "NFCVASCommandConfiguration.Mode.VASModeNormal",
    VASMode.VASModeNormal as NFCVASCommandConfiguration.Mode),
  Member("NFCVASResponse.status") { (it: NFCVASResponse) -> NFCVASResponse.ErrorCode in it.status },
  Member("NFCVASResponse.vasData") { (it: NFCVASResponse) -> Data in it.vasData },
  Member("NFCVASResponse.mobileToken") { (it: NFCVASResponse) -> Data in it.mobileToken },
  Member("NFCVASResponse.ErrorCode.success", NFCVASResponse.ErrorCode.success),
  Member("NFCVASResponse.ErrorCode.dataNotFound", NFCVASResponse.ErrorCode.dataNotFound),
  Member("NFCVASResponse.ErrorCode.dataNotActivated", NFCVASResponse.ErrorCode.dataNotActivated),
  Member("NFCVASResponse.ErrorCode.wrongParameters", NFCVASResponse.ErrorCode.wrongParameters),
  Member("NFCVASResponse.ErrorCode.wrongLCField", NFCVASResponse.ErrorCode.wrongLCField),
  Member("NFCVASResponse.ErrorCode.userIntervention", NFCVASResponse.ErrorCode.userIntervention),
  Member("NFCVASResponse.ErrorCode.incorrectData", NFCVASResponse.ErrorCode.incorrectData),
  Member(
    "NFCVASResponse.ErrorCode.unsupportedApplicationVersion",
    NFCVASResponse.ErrorCode.unsupportedApplicationVersion),
  Member("NFCVASResponse.ErrorCode.init(rawValue:)") { (value: Int) -> NFCVASResponse.ErrorCode? in
    NFCVASResponse.ErrorCode(rawValue: value)
  },
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeSuccess",
    VASErrorCode.VASErrorCodeSuccess as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeDataNotFound",
    VASErrorCode.VASErrorCodeDataNotFound as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeDataNotActivated",
    VASErrorCode.VASErrorCodeDataNotActivated as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeWrongParameters",
    VASErrorCode.VASErrorCodeWrongParameters as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeWrongLCField",
    VASErrorCode.VASErrorCodeWrongLCField as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeUserIntervention",
    VASErrorCode.VASErrorCodeUserIntervention as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeIncorrectData",
    VASErrorCode.VASErrorCodeIncorrectData as NFCVASResponse.ErrorCode),
  Member(
    "NFCVASResponse.ErrorCode.VASErrorCodeUnsupportedApplicationVersion",
    VASErrorCode.VASErrorCodeUnsupportedApplicationVersion as NFCVASResponse.ErrorCode),
]

private let cardEmulation: [Member] = [
  Member("CardSession.init()") { () async throws -> CardSession in try await CardSession() },
  Member("CardSession.isSupported", CardSession.isSupported as Bool),
  Member("CardSession.isEligible") { () async -> Bool in await CardSession.isEligible },
  Member("CardSession.startEmulation()") { (it: CardSession) async throws in
    try await it.startEmulation()
  },
  Member("CardSession.stopEmulation(status:)") {
    (it: CardSession, status: CardSession.EmulationUIStatus) async in
    await it.stopEmulation(status: status)
  },
  Member("CardSession.isEmulationInProgress") { (it: CardSession) async -> Bool in
    await it.isEmulationInProgress
  },
  Member("CardSession.eventStream") { (it: CardSession) -> CardSession.EventStream in it.eventStream
  },
  Member(
    "CardSession.alertMessage", \CardSession.alertMessage as WritableKeyPath<CardSession, String>),
  Member("CardSession.invalidate()") { (it: CardSession) in it.invalidate() },
  Member("CardSession.EventStream.makeAsyncIterator()") {
    (it: CardSession.EventStream) -> CardSession.EventStream.AsyncIterator in it.makeAsyncIterator()
  },
  Member("CardSession.EventStream.Iterator.next()") {
    (it: CardSession.EventStream.Iterator) async throws -> CardSession.EventStream.Iterator.Element?
    in
    try await it.next()
  },
  Member("CardSession.Event.sessionStarted", CardSession.Event.sessionStarted),
  Member("CardSession.Event.readerDetected", CardSession.Event.readerDetected),
  Member("CardSession.Event.received") {
    (it: CardSession.APDU) -> CardSession.EventStream.Element in CardSession.Event.received(it)
  },
  Member("CardSession.Event.readerDeselected", CardSession.Event.readerDeselected),
  Member("CardSession.Event.sessionInvalidated") { (it: CardSession.Error) -> CardSession.Event in
    CardSession.Event.sessionInvalidated(reason: it)
  },
  Member("CardSession.APDU.payload") { (it: CardSession.APDU) -> Data in it.payload },
  Member("CardSession.APDU.respond(response:)") {
    (it: CardSession.APDU, response: Data) async throws in try await it.respond(response: response)
  },
  Member("CardSession.APDU.debugDescription") { (it: CardSession.APDU) -> String in
    it.debugDescription
  },
  Member("CardSession.APDU.==") { (a: CardSession.APDU, b: CardSession.APDU) -> Bool in a == b },
  Member("CardSession.EmulationUIStatus.success", CardSession.EmulationUIStatus.success),
  Member("CardSession.EmulationUIStatus.failure", CardSession.EmulationUIStatus.failure),
  Member("CardSession.Error.invalidated", CardSession.Error.invalidated),
  Member("CardSession.Error.userInvalidated", CardSession.Error.userInvalidated),
  Member(
    "CardSession.Error.maxSessionDurationReached", CardSession.Error.maxSessionDurationReached),
  Member("CardSession.Error.transmissionError", CardSession.Error.transmissionError),
  Member("CardSession.Error.systemNotAvailable", CardSession.Error.systemNotAvailable),
  Member("CardSession.Error.accessNotAccepted", CardSession.Error.accessNotAccepted),
  Member("CardSession.Error.systemEligibilityFailed", CardSession.Error.systemEligibilityFailed),
  Member("CardSession.Error.emulationStopped", CardSession.Error.emulationStopped),
  Member("CardSession.Error.radioDisabled", CardSession.Error.radioDisabled),
]

private let sceneEvents: [Member] = [
  Member("NFCPresentmentIntentAssertion.acquire()") {
    () async throws -> NFCPresentmentIntentAssertion in
    try await NFCPresentmentIntentAssertion.acquire()
  },
  Member("NFCPresentmentIntentAssertion.isValid") { (it: NFCPresentmentIntentAssertion) -> Bool in
    it.isValid
  },
  Member(
    "NFCPresentmentIntentAssertion.Error.systemEligibilityFailed",
    NFCPresentmentIntentAssertion.Error.systemEligibilityFailed),
  Member(
    "NFCPresentmentIntentAssertion.Error.systemNotAvailable",
    NFCPresentmentIntentAssertion.Error.systemNotAvailable),
  Member("NFCWindowSceneDelegate.windowScene(_:didReceiveNFCWindowSceneEvent:)") {
    (it: any NFCWindowSceneDelegate, scene: UIWindowScene, event: NFCWindowSceneEvent) in
    it.windowScene(scene, didReceiveNFCWindowSceneEvent: event)
  },
  Member("NFCWindowSceneEvent.readerDetected", NFCWindowSceneEvent.readerDetected),
  Member("NFCWindowSceneEvent.presentation", NFCWindowSceneEvent.presentation),
  Member("UIScene.ConnectionOptions.nfcEvent") {
    (it: UIScene.ConnectionOptions) -> NFCWindowSceneEvent? in it.nfcEvent
  },
]
