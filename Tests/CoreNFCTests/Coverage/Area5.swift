import CoreNFC

/// Area 5: the services that Apple alone has. Declared, and answering as on a device without them.
enum Area5 {
  static let types: [Any.Type] = [
    NFCVASReaderSession.self, (any NFCVASReaderSessionDelegate).self,
    NFCVASCommandConfiguration.self, NFCVASCommandConfiguration.Mode.self, NFCVASResponse.self,
    NFCVASResponse.ErrorCode.self, CardSession.self, CardSession.EventStream.self,
    CardSession.EventStream.Iterator.self, CardSession.Event.self, CardSession.APDU.self,
    CardSession.EmulationUIStatus.self, CardSession.Error.self, NFCPresentmentIntentAssertion.self,
    NFCPresentmentIntentAssertion.Error.self, (any NFCWindowSceneDelegate).self,
    NFCWindowSceneEvent.self,
  ]

  static let passes: [Member] = [
    Member("NFCVASReaderSession.init(vasCommandConfigurations:delegate:queue:)") {
      (delegate: any NFCVASReaderSessionDelegate, queue: DispatchQueue?) in
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
      (mode: NFCVASCommandConfiguration.Mode, url: URL?) in
      NFCVASCommandConfiguration(vasMode: mode, passTypeIdentifier: "", url: url)
    },
    Member("NFCVASCommandConfiguration.mode") { (it: NFCVASCommandConfiguration) in
      it.mode = NFCVASCommandConfiguration.Mode.normal
    },
    Member("NFCVASCommandConfiguration.passTypeIdentifier") { (it: NFCVASCommandConfiguration) in
      it.passTypeIdentifier = ""
    },
    Member("NFCVASCommandConfiguration.url") { (it: NFCVASCommandConfiguration) in
      it.url = nil as URL?
    },
    Member(
      "NFCVASCommandConfiguration.Mode.urlOnly", NFCVASCommandConfiguration.Mode.urlOnly),
    Member("NFCVASCommandConfiguration.Mode.normal", NFCVASCommandConfiguration.Mode.normal),
    Member("NFCVASCommandConfiguration.Mode.init(rawValue:)") { (value: Int) in
      NFCVASCommandConfiguration.Mode(rawValue: value)
    },
    Member(
      "NFCVASCommandConfiguration.Mode.VASModeURLOnly",
      NFCVASCommandConfiguration.Mode.VASModeURLOnly),
    Member(
      "NFCVASCommandConfiguration.Mode.VASModeNormal",
      NFCVASCommandConfiguration.Mode.VASModeNormal),
    Member("VASMode", VASMode.self),
    Member("NFCVASResponse.status") { (it: NFCVASResponse) -> NFCVASResponse.ErrorCode in it.status
    },
    Member("NFCVASResponse.vasData") { (it: NFCVASResponse) -> Data in it.vasData },
    Member("NFCVASResponse.mobileToken") { (it: NFCVASResponse) -> Data in it.mobileToken },
    Member("NFCVASResponse.ErrorCode.init(rawValue:)") { (value: Int) in
      NFCVASResponse.ErrorCode(rawValue: value)
    },
    Member("VASErrorCode", VASErrorCode.self),
  ]

  static let passCodes: [Member] = [
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
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeSuccess",
      NFCVASResponse.ErrorCode.VASErrorCodeSuccess),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeDataNotFound",
      NFCVASResponse.ErrorCode.VASErrorCodeDataNotFound),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeDataNotActivated",
      NFCVASResponse.ErrorCode.VASErrorCodeDataNotActivated),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeWrongParameters",
      NFCVASResponse.ErrorCode.VASErrorCodeWrongParameters),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeWrongLCField",
      NFCVASResponse.ErrorCode.VASErrorCodeWrongLCField),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeUserIntervention",
      NFCVASResponse.ErrorCode.VASErrorCodeUserIntervention),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeIncorrectData",
      NFCVASResponse.ErrorCode.VASErrorCodeIncorrectData),
    Member(
      "NFCVASResponse.ErrorCode.VASErrorCodeUnsupportedApplicationVersion",
      NFCVASResponse.ErrorCode.VASErrorCodeUnsupportedApplicationVersion),
  ]

  static let emulation: [Member] = [
    Member("CardSession.init()") { () async throws -> CardSession in try await CardSession() },
    Member("CardSession.isSupported") { () -> Bool in CardSession.isSupported },
    Member("CardSession.isEligible") { () async -> Bool in await CardSession.isEligible },
    Member("CardSession.startEmulation()") { (it: CardSession) async throws in
      try await it.startEmulation()
    },
    Member("CardSession.stopEmulation(status:)") { (it: CardSession) async in
      await it.stopEmulation(status: CardSession.EmulationUIStatus.success)
    },
    Member("CardSession.isEmulationInProgress") { (it: CardSession) async -> Bool in
      await it.isEmulationInProgress
    },
    Member("CardSession.eventStream") { (it: CardSession) -> CardSession.EventStream in
      it.eventStream
    },
    Member("CardSession.alertMessage") { (it: CardSession) in it.alertMessage = "" },
    Member("CardSession.invalidate()") { (it: CardSession) in it.invalidate() },
    Member("CardSession.EventStream.Element", CardSession.EventStream.Element.self),
    Member("CardSession.EventStream.AsyncIterator", CardSession.EventStream.AsyncIterator.self),
    Member("CardSession.EventStream.makeAsyncIterator()") { (it: CardSession.EventStream) in
      it.makeAsyncIterator() as CardSession.EventStream.Iterator
    },
    Member(
      "CardSession.EventStream.Iterator.Element", CardSession.EventStream.Iterator.Element.self),
    Member("CardSession.EventStream.Iterator.next()") {
      (it: CardSession.EventStream.Iterator) async throws -> CardSession.Event? in
      try await it.next()
    },
    Member("CardSession.Event.sessionStarted", CardSession.Event.sessionStarted),
    Member("CardSession.Event.readerDetected", CardSession.Event.readerDetected),
    Member("CardSession.Event.received") { (it: CardSession.APDU) in CardSession.Event.received(it)
    },
    Member("CardSession.Event.readerDeselected", CardSession.Event.readerDeselected),
    Member("CardSession.Event.sessionInvalidated") { (it: CardSession.Error) in
      CardSession.Event.sessionInvalidated(reason: it)
    },
    Member("CardSession.APDU.payload") { (it: CardSession.APDU) -> Data in it.payload },
    Member("CardSession.APDU.respond(response:)") { (it: CardSession.APDU) async throws in
      try await it.respond(response: Data())
    },
    Member("CardSession.APDU.debugDescription") { (it: CardSession.APDU) -> String in
      it.debugDescription
    },
    Member("CardSession.APDU.==(_:_:)") { (it: CardSession.APDU) -> Bool in it == it },
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

  static let others: [Member] = [
    Member("NFCPresentmentIntentAssertion.acquire()") {
      () async throws -> NFCPresentmentIntentAssertion in
      try await NFCPresentmentIntentAssertion.acquire()
    },
    Member("NFCPresentmentIntentAssertion.isValid") {
      (it: NFCPresentmentIntentAssertion) -> Bool in it.isValid
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

  static let area = Area(
    name: "Wallet passes, card emulation, scene events", types: types.map { "\($0)" },
    members: passes + passCodes + emulation + others)
}
