import CSwiftNFCLibNFC
import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension LibNFC {
  /// The error of a call: `NFC_E…`, and libnfc's text.
  struct Failure: Error {
    let code: Int32
    let text: String
    /// The chip's own error code (UM0701-02, 7.1), if it could be asked.
    var chipStatus: UInt8?

    init(code: Int32) {
      self.code = code
      text = Self.text(code)
    }

    static let inputOutput = Int32(NFC_EIO)
    static let timeout = Int32(NFC_ETIMEOUT)
    static let aborted = Int32(NFC_EOPABORTED)
    static let targetReleased = Int32(NFC_ETGRELEASED)
    static let transmission = Int32(NFC_ERFTRANS)
    static let authentication = Int32(NFC_EMFCAUTHFAIL)
    static let invalidArgument = Int32(NFC_EINVARG)
    static let notSupported = Int32(NFC_EDEVNOTSUPP)
    static let chip = Int32(NFC_ECHIP)

    /// Whether it occurred between host and reader, so that it says nothing about a tag; this
    /// includes errors of libusb, which libnfc passes on unchanged.
    var isOfLine: Bool {
      switch code {
      case Self.inputOutput, Self.timeout, Int32(NFC_EOVFLOW), Int32(NFC_ENOTSUCHDEV): true
      case Self.aborted, Self.targetReleased, Self.transmission, Self.authentication,
        Self.invalidArgument, Self.notSupported, Self.chip, Int32(NFC_ENOTIMPL),
        Int32(NFC_ESOFT):
        false
      default: true
      }
    }

    /// The failure as the cause of an error. Errors of tags have causes of their own.
    var cause: NFCError.Cause {
      .driver(
        NFCError.DriverFailure(
          domain: "libnfc", code: code, text: text, meaning: .readerFailure))
    }

    /// Returns the text for an error of libusb, which has the system's numbers: libnfc's driver `pn53x_usb` passes it
    /// on (pn53x_usb.c, `pn53x_usb_bulk_read`).
    private static func usbText(_ number: Int32) -> String {
      switch number {
      case ENODEV, ESHUTDOWN: text(Int32(NFC_ENOTSUCHDEV))
      case ETIMEDOUT: text(Int32(NFC_ETIMEOUT))
      default: "error on USB: " + String(cString: strerror(number))
      }
    }

    /// Returns the text that libnfc has for a code.
    private static func text(_ code: Int32) -> String {
      switch code {
      case Int32(NFC_EIO): "input/output error between host and reader"
      case Int32(NFC_EINVARG): "invalid argument"
      case Int32(NFC_EDEVNOTSUPP): "not supported by the reader"
      case Int32(NFC_ENOTSUCHDEV): "no such reader"
      case Int32(NFC_EOVFLOW): "buffer overflow"
      case Int32(NFC_ETIMEOUT): "the reader did not answer in time"
      case Int32(NFC_EOPABORTED): "aborted"
      case Int32(NFC_ENOTIMPL): "not implemented"
      case Int32(NFC_ETGRELEASED): "target released"
      case Int32(NFC_ERFTRANS): "transmission error"
      case Int32(NFC_EMFCAUTHFAIL): "authentication failed"
      case Int32(NFC_ESOFT): "software error"
      case Int32(NFC_ECHIP): "the reader's chip reports an error"
      default: usbText(0 &- code)
      }
    }
  }
}
