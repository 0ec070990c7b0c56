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
