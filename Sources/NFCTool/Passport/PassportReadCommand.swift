import ArgumentParser
import SwiftNFCJSONText
import NFC
import TagTools
import TravelDocuments

/// The command `nfc passport read`.
struct PassportReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads a document and judges it.",
    usage: "nfc passport read [--mrz <file>] [--can <number>] [<options>]",
    discussion: """
      The document is opened with --mrz, with --document, --birth and --expiry, or with --can; on a \
      terminal without any, the command asks, and does not show what is typed. A wrong zone or number ends \
      the command: it is never tried again by itself.

      With --trust, the signature of the document is verified by certificates and master lists of countries, \
      also by those in ~/.config/nfc/trust. Without any, nothing about the issuer is proved. Where the \
      document allows it, the chip proves that it is not a copy.

      Example:
        nfc passport read --mrz zone.txt --face face.jpg --virtual emrtd
      """)

  @OptionGroup var password: PassportPassword

  @Option(
    help: ArgumentHelp(
      "The data groups to read; all that the document has unless given.",
      discussion: "3 and 4, fingerprints and irises, are never read.", valueName: "numbers"),
    transform: { try Self.groups($0) })
  var groups: Set<DataGroup>?

  @Option(
    help: ArgumentHelp("Save the face as it is stored.", valueName: "file"), completion: .file())
  var face: String?

  @Option(
    help: ArgumentHelp(
      "Save the files as they are, in a new or empty folder.", valueName: "folder"),
    completion: .directory)
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Trust these authorities: PEM, DER, a master list, an LDIF, or a folder of them.",
      discussion: "Lists of revoked certificates count, too. May be given more than once.",
      valueName: "path"), completion: .file())
  var trust: [String] = []

  @Flag(
    help: """
      Fail unless data, issuer and chip are genuine, or the document has no means to prove its chip.
      """)
  var verify = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  private static func groups(_ text: String) throws -> Set<DataGroup> {
    let numbers = try NumberList.argument(text, "--groups", upTo: 16)
    return Set(
      try numbers.map { number in
        guard !DataGroup.biometric.contains(number) else {
          throw ValidationError(
            "--groups \(number): fingerprints and irises are never read, by intention.")
        }
        guard let group = DataGroup(number) else {
          throw ValidationError("--groups \(number): the data groups are 1 to 16.")
        }
        return group
      })
  }

  mutating func validate() throws {
    if let face, face != File.standard, FaceFile.formats(of: face).isEmpty {
      throw ValidationError(
        "--face \"\(ArgumentText.shown(face))\": the image is saved as it is stored: name it .jpg, .jp2 or .j2k."
      )
    }
    guard face != File.standard || !options.json else {
      throw ValidationError("--face - and --json cannot both be given.")
    }
  }

  /// - The groups that are read: those that were asked for, and the face if it is saved.
  private var wantedGroups: Set<DataGroup>? {
    guard let groups else { return nil }
    return face == nil ? groups : groups.union([.face])
  }

  func run() async throws {
    if let output { try File.checkEmptyFolder(output) }
    try File.checkNew(face, isForced: options.force)
    let trusted = try TrustFiles.load(trust)
    let password = try password.password()
    // Without a list, a restricted reading does not ask for more than it was told to.
    let options = ReadingOptions(
      groups: wantedGroups, provesChip: groups == nil || verify || trusted != nil)
    try await Session.run(self.options) { session in
      let found = try await read(
        session, DocumentReading(password: password, options: options),
        hasPassword: password != nil)
      let verdict = found.content.verdict(trust: trusted?.store)
      try save(found.content)
      let report = PassportReport(found.content, verdict, uid: found.uid, groups: wantedGroups)
      if self.options.json { try Output.line(report.json.text) } else { try report.print() }
      try check(verdict, found.content)
      for note in (trusted?.notes ?? []) + found.content.notes { session.note(note) }
    }
  }

  // MARK: Reading

  /// The number of times that a document may be lifted.
  private static let mostLifts = 16

  private func read(
    _ session: Session, _ reading: DocumentReading, hasPassword: Bool
  ) async throws -> (content: DocumentContent, uid: [UInt8]) {
    var tag = try await session.selectTravelDocument()
    let uid = tag.detected.identifier
    var lifts = 0
    while true {
      do {
        defer { Terminal.clearStatus() }
        try await reading.run(on: tag.kind) { Terminal.show($0.text) }
        return (reading.content, uid)
      } catch let error as NFCError {
        guard error.group == .connection, error.code != .readerLost, reading.canContinue,
          lifts < Self.mostLifts
        else { throw failure(error, tag.name, reading, hasPassword) }
        lifts += 1
        do {
          tag = try await session.selectTravelDocument()
        } catch let missing as Failure where missing.status == .notThere {
          throw failure(error, tag.name, reading, hasPassword)
        }
      }
    }
  }

  private func failure(
    _ error: NFCError, _ name: String, _ reading: DocumentReading, _ hasPassword: Bool
  ) -> Failure {
    var failure = Failure(error, tag: name)
    switch error.code {
    case .authenticationFailed:
      failure.advice = "check it; it was tried once, and is not tried again by itself"
    case .notAuthenticated where !hasPassword:
      failure.status = .usage
      failure.advice = "give --mrz, or --can, or --document, --birth and --expiry"
    case .notAuthenticated: failure.advice = nil
    case .malformedContent: failure.advice = "nothing that was read is used"
    case .wrongTag: failure.advice = "use another card"
    default:
      guard error.group == .connection else { break }
      let groups = reading.content.groups.map(\.description).joined(separator: ", ")
      failure.reason +=
        groups.isEmpty ? "; no data group was complete" : "; complete were \(groups)"
    }
    return failure
  }

  // MARK: Results

  private func save(_ content: DocumentContent) throws {
    if let face {
      guard let image = content.face else {
        throw Failure(
          .content, "the document has no face in a known format", advice: "nothing was saved")
      }
      let formats = FaceFile.formats(of: face)
      guard formats.isEmpty || formats.contains(image.format) else {
        throw Failure(
          .usage,
          "the face is \(image.format.words), which \(File.name(face)) does not name",
          advice: "name it .\(image.format.extensions[0]); nothing was saved")
      }
      if let output { try saveFiles(content, in: output) }
      return try File.write(image.bytes, to: face)
    }
    if let output { try saveFiles(content, in: output) }
  }

  private func saveFiles(_ content: DocumentContent, in folder: String) throws {
    try File.createFolder(folder)
    for (name, bytes) in PassportReport.files(content, wantedGroups) {
      try File.write(bytes, to: folder + "/" + name)
    }
  }

  private func check(_ verdict: Verdict, _ content: DocumentContent) throws {
    let isContradicting = verdict.issuer == .contradicting || verdict.issuer == .invalid
    guard verdict.contradictions.isEmpty, verdict.data != .changed, !isContradicting else {
      let reasons = verdict.contradictions + (isContradicting ? verdict.remarks : [])
      throw Failure(
        .content, verdict.summary + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")))
    }
    guard verify, !verdict.isTrusted else { return }
    throw Failure(
      .notAllowed, "the document is not trusted: \(verdict.summary)",
      advice: verdict.issuer == .unknown || verdict.issuer == .notChecked
        ? "give the list of its country with --trust" : nil)
  }
}

/// The names of files for faces.
enum FaceFile {
  /// Returns the formats that a name's extension stands for: none if it stands for no format.
  static func formats(of path: String) -> [DocumentImage.Format] {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return [] }
    let suffix = name[name.index(after: dot)...].lowercased()
    return DocumentImage.Format.allCases.filter { $0.extensions.contains(suffix) }
  }
}

extension DocumentImage.Format {
  /// The name for people.
  var words: String {
    switch self {
    case .jpeg: "JPEG"
    case .jp2: "JPEG 2000 (JP2)"
    case .j2k: "JPEG 2000 (a bare codestream)"
    }
  }
}

extension ReadingProgress {
  /// The progress for people. It says nothing of what is read.
  fileprivate var text: String {
    switch step {
    case .identification: "Asking the document…"
    case .access: "Opening the document, which may take some seconds…"
    case .proof: "Verifying the chip…"
    case .files:
      bytesExpected > 0
        ? "Reading the document… \(100 * bytesRead / max(1, bytesExpected)) %, hold it still"
        : "Reading the document…"
    @unknown default: "Reading the document…"
    }
  }
}
