import CoreNFC

/// Errors, sessions, tags and their NDEF methods. The messages themselves are in `ndefMembers`.
enum SessionMembers {
  static let types: [Any.Type] = [
    NFCReaderError.self, NFCReaderError.Code.self, (any NFCReaderSessionProtocol).self,
    NFCReaderSession.self, NFCNDEFReaderSession.self, (any NFCNDEFReaderSessionDelegate).self,
    NFCTagReaderSession.self, NFCTagReaderSession.PollingOption.self,
    (any NFCTagReaderSessionDelegate).self, NFCTag.self, (any NFCNDEFTag).self, NFCNDEFStatus.self,
    NFCTagCommandConfiguration.self, NFCNDEFMessage.self, NFCNDEFPayload.self,
    NFCTypeNameFormat.self,
    (any __NFCTag).self, __NFCTagType.self,
  ]

  static let errors: [Member] = [
    Member("NFCErrorDomain", NFCErrorDomain as String),
    Member("NFCISO15693TagResponseErrorKey", NFCISO15693TagResponseErrorKey as String),
    Member(
      "NFCTagResponseUnexpectedLengthErrorKey", NFCTagResponseUnexpectedLengthErrorKey as String),
    Member("NFCReaderError.init(_:userInfo:)") { (code: NFCReaderError.Code) in
      NFCReaderError(code, userInfo: [:])
    },
    Member("NFCReaderError.init(_nsError:)") { (error: NSError) in NFCReaderError(_nsError: error)
    },
    Member(
      "NFCReaderError.code", \NFCReaderError.code as KeyPath<NFCReaderError, NFCReaderError.Code>),
    Member(
      "NFCReaderError.userInfo", \NFCReaderError.userInfo as KeyPath<NFCReaderError, [String: Any]>),
    Member("NFCReaderError.errorCode", \NFCReaderError.errorCode as KeyPath<NFCReaderError, Int>),
    Member(
      "NFCReaderError.errorUserInfo",
      \NFCReaderError.errorUserInfo as KeyPath<NFCReaderError, [String: Any]>),
    Member(
      "NFCReaderError.localizedDescription",
      \NFCReaderError.localizedDescription as KeyPath<NFCReaderError, String>),
    Member("NFCReaderError.errorDomain", NFCReaderError.errorDomain as String),
    Member("NFCReaderError.Code.init(rawValue:)") { (value: Int) in
      NFCReaderError.Code(rawValue: value)
    },
  ]

  static let codes: [Member] = [
    Member(
      "NFCReaderError.Code.readerErrorUnsupportedFeature",
      NFCReaderError.Code.readerErrorUnsupportedFeature),
    Member(
      "NFCReaderError.Code.readerErrorSecurityViolation",
      NFCReaderError.Code.readerErrorSecurityViolation),
    Member(
      "NFCReaderError.Code.readerErrorInvalidParameter",
      NFCReaderError.Code.readerErrorInvalidParameter),
    Member(
      "NFCReaderError.Code.readerErrorInvalidParameterLength",
      NFCReaderError.Code.readerErrorInvalidParameterLength),
    Member(
      "NFCReaderError.Code.readerErrorParameterOutOfBound",
      NFCReaderError.Code.readerErrorParameterOutOfBound),
    Member(
      "NFCReaderError.Code.readerErrorRadioDisabled", NFCReaderError.Code.readerErrorRadioDisabled),
    Member(
      "NFCReaderError.Code.readerTransceiveErrorTagConnectionLost",
      NFCReaderError.Code.readerTransceiveErrorTagConnectionLost),
    Member(
      "NFCReaderError.Code.readerTransceiveErrorRetryExceeded",
      NFCReaderError.Code.readerTransceiveErrorRetryExceeded),
    Member(
      "NFCReaderError.Code.readerTransceiveErrorTagResponseError",
      NFCReaderError.Code.readerTransceiveErrorTagResponseError),
    Member(
      "NFCReaderError.Code.readerTransceiveErrorSessionInvalidated",
      NFCReaderError.Code.readerTransceiveErrorSessionInvalidated),
    Member(
      "NFCReaderError.Code.readerTransceiveErrorTagNotConnected",
      NFCReaderError.Code.readerTransceiveErrorTagNotConnected),
    Member(
      "NFCReaderError.Code.readerTransceiveErrorPacketTooLong",
      NFCReaderError.Code.readerTransceiveErrorPacketTooLong),
    Member(
      "NFCReaderError.Code.readerSessionInvalidationErrorUserCanceled",
      NFCReaderError.Code.readerSessionInvalidationErrorUserCanceled),
    Member(
      "NFCReaderError.Code.readerSessionInvalidationErrorSessionTimeout",
      NFCReaderError.Code.readerSessionInvalidationErrorSessionTimeout),
    Member(
      "NFCReaderError.Code.readerSessionInvalidationErrorSessionTerminatedUnexpectedly",
      NFCReaderError.Code.readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
    Member(
      "NFCReaderError.Code.readerSessionInvalidationErrorSystemIsBusy",
      NFCReaderError.Code.readerSessionInvalidationErrorSystemIsBusy),
    Member(
      "NFCReaderError.Code.readerSessionInvalidationErrorFirstNDEFTagRead",
      NFCReaderError.Code.readerSessionInvalidationErrorFirstNDEFTagRead),
    Member(
      "NFCReaderError.Code.tagCommandConfigurationErrorInvalidParameters",
      NFCReaderError.Code.tagCommandConfigurationErrorInvalidParameters),
    Member(
      "NFCReaderError.Code.ndefReaderSessionErrorTagNotWritable",
      NFCReaderError.Code.ndefReaderSessionErrorTagNotWritable),
    Member(
      "NFCReaderError.Code.ndefReaderSessionErrorTagUpdateFailure",
      NFCReaderError.Code.ndefReaderSessionErrorTagUpdateFailure),
    Member(
      "NFCReaderError.Code.ndefReaderSessionErrorTagSizeTooSmall",
      NFCReaderError.Code.ndefReaderSessionErrorTagSizeTooSmall),
    Member(
      "NFCReaderError.Code.ndefReaderSessionErrorZeroLengthMessage",
      NFCReaderError.Code.ndefReaderSessionErrorZeroLengthMessage),
  ]

  static let errorStatics: [Member] = [
    Member(
      "NFCReaderError.readerErrorUnsupportedFeature",
      NFCReaderError.readerErrorUnsupportedFeature as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerErrorSecurityViolation",
      NFCReaderError.readerErrorSecurityViolation as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerErrorInvalidParameter",
      NFCReaderError.readerErrorInvalidParameter as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerErrorInvalidParameterLength",
      NFCReaderError.readerErrorInvalidParameterLength as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerErrorParameterOutOfBound",
      NFCReaderError.readerErrorParameterOutOfBound as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerErrorRadioDisabled",
      NFCReaderError.readerErrorRadioDisabled as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerTransceiveErrorTagConnectionLost",
      NFCReaderError.readerTransceiveErrorTagConnectionLost as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerTransceiveErrorRetryExceeded",
      NFCReaderError.readerTransceiveErrorRetryExceeded as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerTransceiveErrorTagResponseError",
      NFCReaderError.readerTransceiveErrorTagResponseError as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerTransceiveErrorSessionInvalidated",
      NFCReaderError.readerTransceiveErrorSessionInvalidated as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerTransceiveErrorTagNotConnected",
      NFCReaderError.readerTransceiveErrorTagNotConnected as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerTransceiveErrorPacketTooLong",
      NFCReaderError.readerTransceiveErrorPacketTooLong as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerSessionInvalidationErrorUserCanceled",
      NFCReaderError.readerSessionInvalidationErrorUserCanceled as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerSessionInvalidationErrorSessionTimeout",
      NFCReaderError.readerSessionInvalidationErrorSessionTimeout as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerSessionInvalidationErrorSessionTerminatedUnexpectedly",
      NFCReaderError.readerSessionInvalidationErrorSessionTerminatedUnexpectedly
        as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerSessionInvalidationErrorSystemIsBusy",
      NFCReaderError.readerSessionInvalidationErrorSystemIsBusy as NFCReaderError.Code),
    Member(
      "NFCReaderError.readerSessionInvalidationErrorFirstNDEFTagRead",
      NFCReaderError.readerSessionInvalidationErrorFirstNDEFTagRead as NFCReaderError.Code),
    Member(
      "NFCReaderError.tagCommandConfigurationErrorInvalidParameters",
      NFCReaderError.tagCommandConfigurationErrorInvalidParameters as NFCReaderError.Code),
    Member(
      "NFCReaderError.ndefReaderSessionErrorTagNotWritable",
      NFCReaderError.ndefReaderSessionErrorTagNotWritable as NFCReaderError.Code),
    Member(
      "NFCReaderError.ndefReaderSessionErrorTagUpdateFailure",
      NFCReaderError.ndefReaderSessionErrorTagUpdateFailure as NFCReaderError.Code),
    Member(
      "NFCReaderError.ndefReaderSessionErrorTagSizeTooSmall",
      NFCReaderError.ndefReaderSessionErrorTagSizeTooSmall as NFCReaderError.Code),
    Member(
      "NFCReaderError.ndefReaderSessionErrorZeroLengthMessage",
      NFCReaderError.ndefReaderSessionErrorZeroLengthMessage as NFCReaderError.Code),
  ]

  static let sessions: [Member] = [
    Member("NFCReaderSessionProtocol.isReady") { (it: any NFCReaderSessionProtocol) -> Bool in
      it.isReady
    },
    Member("NFCReaderSessionProtocol.alertMessage") { (it: any NFCReaderSessionProtocol) in
      it.alertMessage = ""
    },
    Member("NFCReaderSessionProtocol.begin()") { (it: any NFCReaderSessionProtocol) in it.begin() },
    Member("NFCReaderSessionProtocol.invalidate()") { (it: any NFCReaderSessionProtocol) in
      it.invalidate()
    },
    Member("NFCReaderSessionProtocol.invalidate(errorMessage:)") {
      (it: any NFCReaderSessionProtocol) in
      it.invalidate(errorMessage: "")
    },
    Member("NFCReaderSession.delegate") { (it: NFCReaderSession) -> AnyObject? in it.delegate },
    Member("NFCReaderSession.sessionQueue") { (it: NFCReaderSession) -> DispatchQueue in
      it.sessionQueue
    },
    Member("NFCReaderSession.readingAvailable") { () -> Bool in NFCReaderSession.readingAvailable },
    Member("NFCNDEFReaderSession.init(delegate:queue:invalidateAfterFirstRead:)") {
      (it: any NFCNDEFReaderSessionDelegate, queue: DispatchQueue?) in
      NFCNDEFReaderSession(delegate: it, queue: queue, invalidateAfterFirstRead: false)
    },
    Member("NFCNDEFReaderSession.restartPolling()") { (it: NFCNDEFReaderSession) in
      it.restartPolling()
    },
    Member("NFCNDEFReaderSession.connect(to:completionHandler:)") {
      (it: NFCNDEFReaderSession, tag: any NFCNDEFTag) in
      it.connect(to: tag) { (_: (any Error)?) in }
    },
    Member("NFCNDEFReaderSession.connect(to:)") {
      (it: NFCNDEFReaderSession, tag: any NFCNDEFTag) async throws in
      try await it.connect(to: tag)
    },
    Member("NFCNDEFReaderSessionDelegate.readerSession(_:didInvalidateWithError:)") {
      (it: any NFCNDEFReaderSessionDelegate, session: NFCNDEFReaderSession, error: any Error) in
      it.readerSession(session, didInvalidateWithError: error)
    },
    Member("NFCNDEFReaderSessionDelegate.readerSession(_:didDetectNDEFs:)") {
      (it: any NFCNDEFReaderSessionDelegate, session: NFCNDEFReaderSession) in
      it.readerSession(session, didDetectNDEFs: [NFCNDEFMessage]())
    },
    Member("NFCNDEFReaderSessionDelegate.readerSession(_:didDetect:)") {
      (it: any NFCNDEFReaderSessionDelegate, session: NFCNDEFReaderSession) in
      it.readerSession(session, didDetect: [any NFCNDEFTag]())
    },
    Member("NFCNDEFReaderSessionDelegate.readerSessionDidBecomeActive(_:)") {
      (it: any NFCNDEFReaderSessionDelegate, session: NFCNDEFReaderSession) in
      it.readerSessionDidBecomeActive(session)
    },
    Member("NFCTagReaderSession.init(pollingOption:delegate:queue:)") {
      (it: any NFCTagReaderSessionDelegate) -> NFCTagReaderSession? in
      NFCTagReaderSession(pollingOption: .iso14443, delegate: it)
    },
    Member("NFCTagReaderSession.connectedTag") { (it: NFCTagReaderSession) -> NFCTag? in
      it.connectedTag
    },
    Member("NFCTagReaderSession.connect(to:completionHandler:)") {
      (it: NFCTagReaderSession, tag: NFCTag) in
      it.connect(to: tag) { (_: (any Error)?) in }
    },
    Member("NFCTagReaderSession.connect(to:)") {
      (it: NFCTagReaderSession, tag: NFCTag) async throws in
      try await it.connect(to: tag)
    },
    Member("NFCTagReaderSession.restartPolling()") { (it: NFCTagReaderSession) in
      it.restartPolling()
    },
    Member("NFCTagReaderSession.PollingOption.init(rawValue:)") { (value: Int) in
      NFCTagReaderSession.PollingOption(rawValue: value)
    },
    Member(
      "NFCTagReaderSession.PollingOption.iso14443", NFCTagReaderSession.PollingOption.iso14443),
    Member(
      "NFCTagReaderSession.PollingOption.iso15693", NFCTagReaderSession.PollingOption.iso15693),
    Member(
      "NFCTagReaderSession.PollingOption.iso18092", NFCTagReaderSession.PollingOption.iso18092),
    Member("NFCTagReaderSession.PollingOption.pace", NFCTagReaderSession.PollingOption.pace),
    Member("NFCTagReaderSessionDelegate.tagReaderSessionDidBecomeActive(_:)") {
      (it: any NFCTagReaderSessionDelegate, session: NFCTagReaderSession) in
      it.tagReaderSessionDidBecomeActive(session)
    },
    Member("NFCTagReaderSessionDelegate.tagReaderSession(_:didInvalidateWithError:)") {
      (it: any NFCTagReaderSessionDelegate, session: NFCTagReaderSession, error: any Error) in
      it.tagReaderSession(session, didInvalidateWithError: error)
    },
    Member("NFCTagReaderSessionDelegate.tagReaderSession(_:didDetect:)") {
      (it: any NFCTagReaderSessionDelegate, session: NFCTagReaderSession) in
      it.tagReaderSession(session, didDetect: [NFCTag]())
    },
  ]

  static let tags: [Member] = [
    Member("NFCTag.feliCa") { (it: any NFCFeliCaTag) in NFCTag.feliCa(it) },
    Member("NFCTag.iso7816") { (it: any NFCISO7816Tag) in NFCTag.iso7816(it) },
    Member("NFCTag.iso15693") { (it: any NFCISO15693Tag) in NFCTag.iso15693(it) },
    Member("NFCTag.miFare") { (it: any NFCMiFareTag) in NFCTag.miFare(it) },
    Member("NFCTag.isAvailable") { (it: NFCTag) -> Bool in it.isAvailable },
    Member("NFCNDEFTag.isAvailable") { (it: any NFCNDEFTag) -> Bool in it.isAvailable },
    Member("NFCNDEFTag.queryNDEFStatus(completionHandler:)") { (it: any NFCNDEFTag) in
      it.queryNDEFStatus { (_: NFCNDEFStatus, _: Int, _: (any Error)?) in }
    },
    Member("NFCNDEFTag.queryNDEFStatus()") {
      (it: any NFCNDEFTag) async throws -> (NFCNDEFStatus, Int) in try await it.queryNDEFStatus()
    },
    Member("NFCNDEFTag.readNDEF(completionHandler:)") { (it: any NFCNDEFTag) in
      it.readNDEF { (_: NFCNDEFMessage?, _: (any Error)?) in }
    },
    Member("NFCNDEFTag.readNDEF()") {
      (it: any NFCNDEFTag) async throws -> NFCNDEFMessage in try await it.readNDEF()
    },
    Member("NFCNDEFTag.writeNDEF(_:completionHandler:)") {
      (it: any NFCNDEFTag, message: NFCNDEFMessage) in
      it.writeNDEF(message) { (_: (any Error)?) in }
    },
    Member("NFCNDEFTag.writeNDEF(_:)") {
      (it: any NFCNDEFTag, message: NFCNDEFMessage) async throws in try await it.writeNDEF(message)
    },
    Member("NFCNDEFTag.writeLock(completionHandler:)") { (it: any NFCNDEFTag) in
      it.writeLock { (_: (any Error)?) in }
    },
    Member("NFCNDEFTag.writeLock()") { (it: any NFCNDEFTag) async throws in try await it.writeLock()
    },
    Member("NFCNDEFStatus.notSupported", NFCNDEFStatus.notSupported),
    Member("NFCNDEFStatus.readWrite", NFCNDEFStatus.readWrite),
    Member("NFCNDEFStatus.readOnly", NFCNDEFStatus.readOnly),
    Member("NFCNDEFStatus.init(rawValue:)") { (value: UInt) in NFCNDEFStatus(rawValue: value) },
    Member("__NFCTag.type") { (it: any __NFCTag) -> __NFCTagType in it.type },
    Member("__NFCTag.session") { (it: any __NFCTag) -> (any NFCReaderSessionProtocol)? in it.session
    },
    Member("__NFCTag.isAvailable") { (it: any __NFCTag) -> Bool in it.isAvailable },
    Member("__NFCTag.asNFCISO15693Tag()") { (it: any __NFCTag) -> (any NFCISO15693Tag)? in
      it.asNFCISO15693Tag()
    },
    Member("__NFCTag.asNFCISO7816Tag()") { (it: any __NFCTag) -> (any NFCISO7816Tag)? in
      it.asNFCISO7816Tag()
    },
    Member("__NFCTag.asNFCFeliCaTag()") { (it: any __NFCTag) -> (any NFCFeliCaTag)? in
      it.asNFCFeliCaTag()
    },
    Member("__NFCTag.asNFCMiFareTag()") { (it: any __NFCTag) -> (any NFCMiFareTag)? in
      it.asNFCMiFareTag()
    },
    Member("__NFCTagType.ISO15693", __NFCTagType.ISO15693),
    Member("__NFCTagType.feliCa", __NFCTagType.feliCa),
    Member("__NFCTagType.iso7816Compatible", __NFCTagType.iso7816Compatible),
    Member("__NFCTagType.miFare", __NFCTagType.miFare),
    Member("__NFCTagType.init(rawValue:)") { (value: UInt) in __NFCTagType(rawValue: value) },
  ]

  static let area = Area(
    name: "tag and NDEF reading core", types: types.map { "\($0)" },
    members: errors + codes + errorStatics + sessions + tags + ndefMembers)
}
