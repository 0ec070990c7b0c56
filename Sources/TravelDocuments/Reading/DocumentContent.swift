import SwiftNFCCore

/// What was read of a document.
public struct DocumentContent: Sendable {
  let state: ReadingState

  init(_ state: ReadingState) { self.state = state }

  /// How the chip was opened; `nil` if it was not.
  public var access: DocumentAccess? { state.access }

  /// The number of exchanges.
  public var exchangeCount: Int { state.exchangeCount }

  /// What the user should know about the reading, as clauses.
  public var notes: [String] { state.notes }

  /// The complete data groups, in their order.
  public var groups: [DataGroup] {
    DataGroup.all.filter { state.content(of: .group($0)) != nil }
  }

  /// Data groups that were asked for and that the document does not have.
  public var absentGroups: [DataGroup] {
    DataGroup.all.filter { state.absent.contains(.group($0)) }
  }

  /// Files that the document refuses, or that are malformed, by their names, with the reason.
  public var unreadable: [String: String] {
    Dictionary(state.unreadable.map { ($0.key.name, $0.value) }) { first, _ in first }
  }

  /// Returns a complete file as it was read; `nil` if it was not.
  public subscript(file: DocumentFile) -> [UInt8]? { state.content(of: file) }

  /// Returns a complete data group as it was read; `nil` if it was not.
  public subscript(group: DataGroup) -> [UInt8]? { state.content(of: .group(group)) }

  // MARK: Values

  /// The machine readable zone of data group 1; `nil` if it was not read, or is not one.
  public var zone: MachineReadableZone? {
    guard let file = self[.zone], let group = try? BERObject(file),
      let object = (try? group.children())?.first(where: { $0.tag == 0x5F1F })
    else { return nil }
    return try? MachineReadableZone(object.bytes)
  }

  /// The first face of data group 2.
  public var face: DocumentImage? {
    self[.face].flatMap { try? FacialRecord.all(in: $0) }?.first?.images.first
  }

  /// The records with faces of data group 2.
  public var facialRecords: [FacialRecord] {
    self[.face].flatMap { try? FacialRecord.all(in: $0) } ?? []
  }

  /// The images of data groups 5 and 7.
  public var displayedImages: [DocumentImage] {
    [5, 7].compactMap { DataGroup($0) }.compactMap { self[$0] }
      .flatMap { (try? DisplayedImages.all(in: $0)) ?? [] }
  }

  /// Data group 11.
  public var personalDetails: PersonalDetails? {
    self[.personalDetails].flatMap { try? PersonalDetails($0) }
  }

  /// Data group 12.
  public var issueDetails: IssueDetails? {
    self[.issueDetails].flatMap { try? IssueDetails($0) }
  }

  /// Data group 16.
  public var persons: [PersonToNotify] {
    self[.persons].flatMap { try? PersonToNotify.all(in: $0) } ?? []
  }

  /// EF.CardAccess.
  public var cardAccess: SecurityInfos? {
    state.cardAccess.bytes.flatMap { try? SecurityInfos($0) }
  }

  /// Data group 14.
  public var securityInfos: SecurityInfos? {
    self[.securityInfos].flatMap { try? SecurityInfos(dataGroup: $0) }
  }

  /// EF.COM.
  public var commonData: CommonData? { self[.commonData].flatMap { try? CommonData($0) } }
}
