import SwiftNFCCore

/// What a document says to everyone, without a password: how it is opened, and what it is. Nothing of the holder is read.
public struct DocumentIdentification: Hashable, Sendable {
  /// EF.CardAccess, the ways of PACE; `nil` if the document has none.
  public private(set) var cardAccess: SecurityInfos?
  /// EF.ATR/INFO.
  public private(set) var attributes: ChipAttributes?
  /// EF.DIR.
  public private(set) var directory: ApplicationDirectory?
  /// Whether the application of travel documents can be selected without a password.
  public private(set) var hasApplication = false
  /// Whether the document accepts Basic Access Control.
  public private(set) var offersBasicAccess = false
  /// Whether its files can be read without a password.
  public private(set) var isOpen = false

  /// Whether it is a travel document or an identity card, as far as it says.
  public var isTravelDocument: Bool { hasApplication || cardAccess?.hasPACE == true }

  private static let directoryFile = DocumentFile.directory

  /// Asks a tag: five exchanges or a few more.
  ///
  /// - Throws: the errors of the connection.
  public static func read(from tag: any Tag) async throws -> DocumentIdentification {
    try await tag.exclusively { link in try read(over: ReaderChipLink(link)) }
  }

  /// Asks a chip over a connection of another kind. The call blocks its thread.
  ///
  /// - Throws: the errors of the connection.
  public static func read(over link: any ChipLink) throws -> DocumentIdentification {
    let channel = ChipChannel(link)
    let reader = FileReader(channel, habits: ReadingHabits())
    var found = DocumentIdentification()
    found.cardAccess = try reader.readCardAccess().flatMap { try? SecurityInfos($0) }
    found.attributes = try unlessRefused { try reader.readSeries(.attributes) }
      .flatMap { try? ChipAttributes($0) }
    found.directory = try unlessRefused { try reader.readSeries(.directory) }
      .flatMap { try? ApplicationDirectory($0) }
    guard try channel.send(FileReader.selectApplication).isSuccess else { return found }
    found.hasApplication = true
    reader.applicationChanged()
    let answer = try channel.send(BasicAccess.challengeCommand)
    found.offersBasicAccess =
      answer.isSuccess && answer.data.count == BasicAccess.challengeSize
    if !found.offersBasicAccess {
      var partial = PartialFile()
      found.isOpen =
        try unlessRefused { try reader.read(.commonData, into: &partial) ? partial.bytes : nil }
        != nil
    }
    return found
  }

  /// Asks a tag only for its ways of PACE: one exchange, or four after another application was selected.
  ///
  /// - Returns: `nil` if it has no EF.CardAccess.
  /// - Throws: the errors of the connection.
  public static func readCardAccess(from tag: any Tag) async throws -> SecurityInfos? {
    try await tag.exclusively { link in
      let reader = FileReader(ChipChannel(ReaderChipLink(link)), habits: ReadingHabits())
      return try reader.readCardAccess().flatMap { try? SecurityInfos($0) }
    }
  }

  private static func unlessRefused(_ body: () throws -> [UInt8]?) throws -> [UInt8]? {
    do {
      return try body()
    } catch let error as NFCError where [.refusal, .content].contains(error.group) {
      return nil
    }
  }
}
