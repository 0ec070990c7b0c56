import SwiftNFCJSONText
import TagTools
import TravelDocuments

/// What was read of a document, for people and programs.
struct PassportReport {
  private let content: DocumentContent
  private let verdict: Verdict
  private let uid: [UInt8]
  private let groups: [DataGroup]

  /// - Parameter groups: the groups that were asked for; `nil` for all. Others were read only to prove the chip.
  init(
    _ content: DocumentContent, _ verdict: Verdict, uid: [UInt8], groups: Set<DataGroup>?
  ) {
    self.content = content
    self.verdict = verdict
    self.uid = uid
    self.groups = content.groups.filter { groups?.contains($0) ?? true }
  }

  /// Returns the files that `--output` saves, by their names.
  static func files(
    _ content: DocumentContent, _ groups: Set<DataGroup>?
  ) -> [(name: String, bytes: [UInt8])] {
    let common: [DocumentFile] = [.commonData, .securityObject, .cardSecurity]
    let wanted = content.groups.filter { groups?.contains($0) ?? true }
    return (common + wanted.map { DocumentFile.group($0) }).compactMap { file in
      content[file].map { (file.name, $0) }
    }
  }

  private func shows(_ group: DataGroup) -> Bool { groups.contains(group) }

  // MARK: JSON

  var json: JSONValue {
    let members: [(String, JSONValue?)] = [
      ("uid", .bytes(uid)), ("access", access),
      ("groups", .array(groups.map { .integer($0.number) })),
      ("zone", shows(.zone) ? content.zone.map(Self.json) : nil),
      ("details", shows(.personalDetails) ? content.personalDetails.map(Self.json) : nil),
      ("issue", shows(.issueDetails) ? content.issueDetails.map(Self.json) : nil),
      ("face", shows(.face) ? content.face.map(Self.json) : nil),
      (
        "verdict",
        .members([
          "data": .string(verdict.data.rawValue), "issuer": .string(verdict.issuer.rawValue),
          "chip": .string(verdict.chip.rawValue),
        ])
      ),
      ("changedGroups", .array(verdict.changedGroups.map { .integer($0) })),
      ("signer", verdict.signer.map(Self.json)),
      ("contradictions", Self.list(verdict.contradictions)),
      ("remarks", Self.list(verdict.remarks)),
      ("unreadable", Self.list(content.unreadable.keys.sorted())),
      (
        "absentGroups",
        content.absentGroups.isEmpty
          ? nil : .array(content.absentGroups.map { .integer($0.number) })
      ),
    ]
    return .object(
      members.compactMap { key, value in value.map { JSONValue.Member(key: key, value: $0) } })
  }

  private static func list(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }

  private var access: JSONValue? {
    switch content.access {
    case .pace(let info, let password):
      .members([
        "protocol": "PACE", "mapping": .string(info.mapping.rawValue),
        "cipher": .string(info.cipher.rawValue), "curve": .string(info.parameters.description),
        "password": .string(password.rawValue),
      ])
    case .basic: .members(["protocol": "BAC"])
    case .open, nil: .null
    }
  }

  private static func json(_ zone: MachineReadableZone) -> JSONValue {
    .members([
      "format": .string(zone.format.rawValue), "documentCode": .string(zone.documentCode),
      "issuingState": .string(zone.issuingState), "documentNumber": .string(zone.documentNumber),
      "surname": .string(zone.surname), "givenNames": .string(zone.givenNames),
      "nationality": .string(zone.nationality), "birth": .string(zone.birth),
      "sex": .string(zone.sex), "expiry": .string(zone.expiry),
      "optionalData": .string(zone.optionalData),
      "lines": .array(zone.lines.map { .string($0) }),
      "problems": list(zone.problems.map(\.description)),
    ])
  }

  private static func json(_ details: PersonalDetails) -> JSONValue {
    .members([
      "fullName": details.fullName.map { .string($0) }, "otherNames": list(details.otherNames),
      "personalNumber": details.personalNumber.map { .string($0) },
      "birth": details.birth.map { .string($0) }, "birthPlace": list(details.birthPlace),
      "address": list(details.address), "telephone": details.telephone.map { .string($0) },
      "profession": details.profession.map { .string($0) },
      "title": details.title.map { .string($0) }, "summary": details.summary.map { .string($0) },
      "otherDocuments": list(details.otherDocuments),
      "custody": details.custody.map { .string($0) },
    ])
  }

  private static func json(_ details: IssueDetails) -> JSONValue {
    .members([
      "authority": details.authority.map { .string($0) }, "date": details.issue.map { .string($0) },
      "otherPersons": list(details.otherPersons),
      "observations": details.observations.map { .string($0) },
      "taxRequirements": details.taxRequirements.map { .string($0) },
      "personalizationTime": details.personalizationTime.map { .string($0) },
      "systemSerialNumber": details.systemSerialNumber.map { .string($0) },
    ])
  }

  private static func json(_ image: DocumentImage) -> JSONValue {
    .members([
      "format": .string(image.format.rawValue), "bytes": .integer(image.bytes.count),
      "width": image.width.map { .integer($0) }, "height": image.height.map { .integer($0) },
    ])
  }

  private static func json(_ signer: Verdict.Signer) -> JSONValue {
    .members([
      "country": signer.country.map { .string($0) }, "subject": .string(signer.subject),
      "issuer": .string(signer.issuer), "serialNumber": .string(signer.serialNumber),
      "notBefore": .string(signer.notBefore.description),
      "notAfter": .string(signer.notAfter.description),
      "list": signer.authoritySource.map { .string($0) },
    ])
  }

  // MARK: Text

  func print() throws {
    var table = FactTable()
    if shows(.zone), let zone = content.zone {
      table.add("document", "\(zone.documentCode) \(zone.documentNumber), \(zone.issuingState)")
      table.add(
        "name", [zone.surname, zone.givenNames].filter { !$0.isEmpty }.joined(separator: ", "))
      table.add("nationality", zone.nationality)
      table.add("birth", zone.birth)
      if !zone.sex.isEmpty { table.add("sex", zone.sex) }
      table.add("expiry", zone.expiry)
      if !zone.optionalData.isEmpty { table.add("optional data", zone.optionalData) }
      for line in zone.lines { table.add("zone", line) }
      for problem in zone.problems { table.add("remark", problem.description, .bad) }
    }
    if shows(.personalDetails), let details = content.personalDetails {
      table.add(Self.rows(details))
    }
    if shows(.issueDetails), let details = content.issueDetails { table.add(Self.rows(details)) }
    if shows(.face), let face = content.face {
      let size = face.width.flatMap { width in face.height.map { ", \(width) × \($0)" } } ?? ""
      table.add("face", "\(face.format.words)\(size), \(face.bytes.count) bytes")
    }
    table.add("data groups", groups.map { "\($0.number)" }.joined(separator: ", "))
    if !content.absentGroups.isEmpty {
      table.add("not there", content.absentGroups.map { "\($0.number)" }.joined(separator: ", "))
    }
    for (name, reason) in content.unreadable.sorted(by: { $0.key < $1.key }) {
      table.add("not readable", "\(name): \(reason)")
    }
    addVerdict(to: &table)
    try table.print()
  }

  private func addVerdict(to table: inout FactTable) {
    table.add("access", content.access?.description ?? "none")
    if let signer = verdict.signer {
      table.add("signer", signer.subject)
      table.add("authority", signer.issuer)
      if let source = signer.authoritySource { table.add("trusted by", source) }
    }
    table.add("data", verdict.data.words)
    table.add("issuer", verdict.issuer.words)
    table.add("chip", verdict.chip.words)
    for text in verdict.contradictions { table.add("contradiction", text, .bad) }
    for text in verdict.remarks { table.add("remark", text) }
    let isBad = !verdict.contradictions.isEmpty || verdict.chip == .clone
    table.add("verdict", verdict.summary, verdict.isTrusted ? .good : isBad ? .bad : nil)
  }

  private static func rows(_ details: PersonalDetails) -> [(String, String)] {
    [
      ("full name", details.fullName), ("other names", joined(details.otherNames)),
      ("personal number", details.personalNumber), ("date of birth", details.birth),
      ("place of birth", joined(details.birthPlace)), ("address", joined(details.address)),
      ("telephone", details.telephone), ("profession", details.profession),
      ("title", details.title), ("summary", details.summary),
      ("other documents", joined(details.otherDocuments)), ("custody", details.custody),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  private static func rows(_ details: IssueDetails) -> [(String, String)] {
    [
      ("authority", details.authority), ("date of issue", details.issue),
      ("other persons", joined(details.otherPersons)), ("observations", details.observations),
      ("tax and exit", details.taxRequirements), ("personalized", details.personalizationTime),
      ("system", details.systemSerialNumber),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  private static func joined(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : texts.joined(separator: ", ")
  }
}

extension FactTable {
  fileprivate mutating func add(_ rows: [(String, String)]) {
    for (name, value) in rows { add(name, value) }
  }
}

extension Verdict.Data {
  fileprivate var words: String {
    switch self {
    case .unchanged: "unchanged since it was signed"
    case .changed: "changed since it was signed"
    case .notChecked: "not checked"
    }
  }
}

extension Verdict.Issuer {
  fileprivate var words: String {
    switch self {
    case .trusted: "signed under a trusted authority"
    case .unknown: "the authority is not among the trusted ones"
    case .invalid: "the signature is not valid"
    case .notValidThen: "the signer's certificate was not valid when it signed"
    case .contradicting: "contradicts the document"
    case .notChecked: "not checked: no trusted authority was given"
    }
  }
}

extension Verdict.Chip {
  fileprivate var words: String {
    switch self {
    case .genuine: "genuine"
    case .clone: "a copy: it does not have the document's key"
    case .noProof: "cannot prove itself"
    case .notChecked: "not checked"
    }
  }
}
