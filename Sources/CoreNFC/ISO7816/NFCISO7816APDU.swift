import Foundation
import NFC

/// A command to a smart card: ISO/IEC 7816-4, 5.1.
open class NFCISO7816APDU: NSObject, NSCopying {
  /// No body is expected in the answer.
  static let noResponse = -1
  private static let maximumData = 65_535
  private static let maximumResponse = 65_536

  /// The class byte, CLA.
  public let instructionClass: UInt8
  /// The instruction byte, INS.
  public let instructionCode: UInt8
  /// The first parameter byte, P1.
  public let p1Parameter: UInt8
  /// The second parameter byte, P2.
  public let p2Parameter: UInt8
  /// The data; `nil` if the command has none.
  public let data: Data?
  /// The maximum number of bytes in the answer's body; -1 if none is expected.
  public let expectedResponseLength: Int
  private let isExtended: Bool

  /// Creates a command. Extended length fields are used if short ones are not sufficient.
  ///
  /// - Parameters:
  ///   - data: 0 to 65 535 bytes.
  ///   - expectedResponseLength: -1 or 0 for no data, 1 to 65 536; 256 is sent as the short length
  ///     00.
  public init(
    instructionClass: UInt8, instructionCode: UInt8, p1Parameter: UInt8, p2Parameter: UInt8,
    data: Data, expectedResponseLength: Int
  ) {
    self.instructionClass = instructionClass
    self.instructionCode = instructionCode
    self.p1Parameter = p1Parameter
    self.p2Parameter = p2Parameter
    self.data = data.isEmpty ? nil : data.countedFromZero
    self.expectedResponseLength = expectedResponseLength
    isExtended = false
  }

  /// Parses a command in any of its forms with short or extended length fields; `nil` for any other
  /// bytes.
  public init?(data: Data) {
    guard let command = APDU(Array(data)) else { return nil }
    instructionClass = command.instructionClass
    instructionCode = command.instructionCode
    p1Parameter = command.p1
    p2Parameter = command.p2
    self.data = command.data.isEmpty ? nil : Data(command.data)
    expectedResponseLength = command.expectedLength ?? Self.noResponse
    isExtended = command.isExtended
  }

  /// Itself: a command does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns the command in the form of the native tag.
  ///
  /// - Throws: `readerErrorInvalidParameterLength` for too much data, `readerErrorParameterOutOfBound` for
  ///   an expected length that no command can have.
  func native() throws -> APDU {
    guard data?.count ?? 0 <= Self.maximumData else {
      throw NFCReaderError(.readerErrorInvalidParameterLength)
    }
    guard (Self.noResponse...Self.maximumResponse).contains(expectedResponseLength) else {
      throw NFCReaderError(.readerErrorParameterOutOfBound)
    }
    return APDU(
      instructionClass: instructionClass, instructionCode: instructionCode, p1: p1Parameter,
      p2: p2Parameter, data: data.map { Array($0) } ?? [],
      expectedLength: expectedResponseLength > 0 ? expectedResponseLength : nil,
      isExtended: isExtended)
  }
}
