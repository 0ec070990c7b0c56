import Foundation
import NFC

/// A command of ISO/IEC 7816-4.
open class NFCISO7816APDU: NSObject, NSCopying {
  let native: APDU

  /// - Parameters:
  ///   - data: up to 65535 bytes; empty for none. More than 255 make it an extended command.
  ///   - expectedResponseLength: 1 to 65536 bytes, -1 for none. More than 256 make it an extended
  ///     command. A length that no command can carry fails when the command is sent.
  public init(
    instructionClass: UInt8, instructionCode: UInt8, p1Parameter: UInt8, p2Parameter: UInt8,
    data: Data, expectedResponseLength: Int
  ) {
    native = APDU(
      instructionClass: instructionClass, instructionCode: instructionCode, p1: p1Parameter,
      p2: p2Parameter, data: Array(data),
      expectedLength: expectedResponseLength == Self.noResponse ? nil : expectedResponseLength)
  }

  /// Reads a whole command; `nil` if it is none.
  public init?(data: Data) {
    guard let command = APDU(Array(data)) else { return nil }
    native = command
  }

  private init(_ native: APDU) {
    self.native = native
  }

  private static let noResponse = -1

  open var instructionClass: UInt8 { native.instructionClass }
  open var instructionCode: UInt8 { native.instructionCode }
  open var p1Parameter: UInt8 { native.p1 }
  open var p2Parameter: UInt8 { native.p2 }
  /// `nil` if there is none.
  open var data: Data? { native.data.isEmpty ? nil : Data(native.data) }
  /// -1 if no data is expected.
  open var expectedResponseLength: Int { native.expectedLength ?? Self.noResponse }

  open func copy(with zone: NSZone? = nil) -> Any { NFCISO7816APDU(native) }
}
