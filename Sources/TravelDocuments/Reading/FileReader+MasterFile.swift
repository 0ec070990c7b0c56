import SwiftNFCCore

/// The master file and the application.
extension FileReader {
  private static let select: UInt8 = 0xA4
  private static let masterFile: [UInt8] = [0x3F, 0x00]

  /// SELECT of the LDS application (Doc 9303-10, 3.6 and 4.3).
  static let selectApplication = APDU(
    instructionClass: 0, instructionCode: select, p1: 0x04, p2: 0x0C,
    data: [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01])

  /// Reads EF.CardAccess: the master file is current after activation. If its short identifier does not work, the file
  /// is selected.
  ///
  /// - Returns: `nil` for a document without it. A file that cannot be read, or is not one, says nothing either.
  func readCardAccess() throws -> [UInt8]? {
    let file = DocumentFile.cardAccess
    do {
      var partial = PartialFile()
      if try readByShortIdentifier(file, into: &partial) { return partial.bytes }
      try selectMasterFile()
      partial = PartialFile()
      return try readSelected(file, into: &partial) ? partial.bytes : nil
    } catch let error as NFCError where [.refusal, .content].contains(error.group) {
      return nil
    }
  }

  /// Selects the master file. Chips differ in the form; and in some it cannot be selected, because it is current.
  private func selectMasterFile() throws {
    for data in [Self.masterFile, []] {
      if try send(
        APDU(instructionClass: 0, instructionCode: Self.select, p1: 0, p2: 0x0C, data: data)
      ).isSuccess {
        return
      }
    }
  }
}
