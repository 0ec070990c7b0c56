@testable import CoreNFC
import Foundation
import NFC
import Testing

/// What a program sees of an error that it prints, compares or keeps.
@Suite struct ReaderErrorTests {
  @Test func isPrintedWithItsReason() {
    let error: any Error = NFCReaderError(.readerSessionInvalidationErrorUserCanceled)
    #expect("\(error)".contains("Session invalidated by user"), "\(error)")
    #expect(error.localizedDescription == "Session invalidated by user")
    let native = NFCReaderError(
      sessionEnd: NFCError(.readerUnavailable, "the reader is in use"))
    #expect("\(native)".contains("the reader is in use"), "\(native)")
    #expect(native.localizedDescription == "System resource unavailable")
    #expect(
      native.userFacingReason?.hasPrefix("System resource unavailable: the reader is in use")
        == true)
    // What the description says is not said twice.
    #expect(
      NFCReaderError(.readerSessionInvalidationErrorSessionTimeout).userFacingReason
        == "Session timeout")
  }

  /// Programs for passports and wallets compare the text, and send the command again or not.
  @Test func saysWhetherTheTagHasAnswered() {
    let silence = NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
    for operation in [Operation.command, .readNDEF] {
      let error = NFCReaderError(silence, during: operation)
      #expect(error.code == .readerTransceiveErrorTagResponseError)
      #expect(error.localizedDescription == "Tag response error / no response")
    }
    for cause in [nil, NFCError.Cause.iso15693(0x0F)] {
      let error = NFCReaderError(NFCError(.tagResponseError, "refused", cause: cause))
      #expect(error.code == .readerTransceiveErrorTagResponseError)
      #expect(error.localizedDescription == "Tag response error")
    }
    let write = NFCReaderError(silence, during: .writeNDEF)
    #expect(write.code == .ndefReaderSessionErrorTagUpdateFailure)
    #expect(write.localizedDescription == "Stack Error")
    let gone = NFCReaderError(NFCError(.tagConnectionLost, "gone", cause: .noAnswer))
    #expect(gone.localizedDescription == "Tag connection lost")
  }

  @Test func canBeAnElementOfASet() {
    let errors: Set<NFCReaderError> = [
      NFCReaderError(.readerErrorInvalidParameter), NFCReaderError(.readerErrorInvalidParameter),
      NFCReaderError(.readerErrorSecurityViolation),
    ]
    #expect(errors.count == 2)
    let one = NFCReaderError(.readerErrorInvalidParameter)
    #expect(one.hashValue == NFCReaderError(.readerErrorInvalidParameter).hashValue)
    #expect(one == NFCReaderError(.readerErrorInvalidParameter))
    #expect(one != NFCReaderError(.readerErrorSecurityViolation))
  }

  /// A program that is built with the SDK of iOS 26 names them beside the others, and has no default.
  @Test(arguments: [
    (NFCReaderError.readerErrorIneligible, NFCReaderError.Code.readerErrorIneligible, 7),
    (NFCReaderError.readerErrorAccessNotAccepted, .readerErrorAccessNotAccepted, 8),
  ])
  func hasTheCodesOfIOS26(
    _ constant: NFCReaderError.Code, _ code: NFCReaderError.Code, _ rawValue: Int
  ) {
    #expect(constant == code)
    #expect(code.rawValue == rawValue)
    #expect(NFCReaderError.Code(rawValue: rawValue) == code)
    let error: any Error = NFCReaderError(code)
    #expect((error as? NFCReaderError)?.code == code)
    #expect((error as NSError).code == rawValue)
    #expect(!error.localizedDescription.isEmpty)
    switch error {
    case constant: break
    default: Issue.record("the constant does not match the error")
    }
  }
}
