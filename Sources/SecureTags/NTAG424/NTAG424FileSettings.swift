import SwiftNFCCore

/// The answer to GetFileSettings about a file of an NTAG 424 DNA: NT4H2421Gx data sheet, 10.7.2,
/// table 73. Those about a file of standard data of a DESFire EV3 have the same form.
struct NTAG424FileSettings: Hashable, Sendable {
  /// How the content is sent over the air.
  var communication: DESFireCommunication
  /// Who may access the file.
  var rights: DESFireAccessRights
  /// The size in bytes, which no command changes.
  let size: Int
  /// The data that the chip inserts; `nil` if the file is read as it was written.
  var dynamicMessaging: NTAG424DynamicMessaging?

  private static let standardData: UInt8 = 0x00
  private static let dynamicOption: UInt8 = 0x40
  /// Of a DESFire EV2 or later: sets of additional rights follow.
  private static let additionalRightsOption: UInt8 = 0x80

  /// - Parameter isDESFire: whether the file is one of a DESFire EV3, which has the same settings and may have
  ///   additional rights. A file that was only created for Secure Dynamic Messaging may announce it and have no bytes
  ///   of it.
  /// - Throws: `tagResponseError` for an answer that is too short or of a file of another type; `unsupported` for one
  ///   with additional rights.
  init(_ answer: [UInt8], isDESFire: Bool = false) throws {
    var reader = ByteReader(answer)
    guard try reader.byte() == Self.standardData else {
      throw NFCError(.tagResponseError, "the tag reports a file of another type")
    }
    let option = try reader.byte()
    communication = DESFireCommunication(settings: option)
    rights = DESFireAccessRights(UInt16(truncatingIfNeeded: try reader.number(2)))
    size = try reader.number(3)
    guard !isDESFire || option & Self.additionalRightsOption == 0 else {
      throw NFCError(.unsupported, "the file has additional rights, which are not supported here")
    }
    let isDynamic =
      option & Self.dynamicOption != 0 && !(isDESFire && reader.remaining.isEmpty)
    dynamicMessaging = isDynamic ? try NTAG424DynamicMessaging(&reader) : nil
  }

  /// The settings as ChangeFileSettings sends them: FileOption, AccessRights and the fields after them
  /// (table 69).
  var encoded: [UInt8] {
    let option = communication.settings | (dynamicMessaging == nil ? 0 : Self.dynamicOption)
    return [option] + rights.bits.littleEndianBytes + (dynamicMessaging?.encoded ?? [])
  }
}
