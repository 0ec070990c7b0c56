import SwiftNFCCore

/// Reads a document over one connection (Doc 9303-11, 4.2, and 9303-10, 4).
final class ReadingProcedure {
  private(set) var state: ReadingState
  private let link: any ChipLink
  private let password: AccessPassword?
  private let options: ReadingOptions
  private let progress: (ReadingProgress) -> Void
  private var channel: ChipChannel
  private var reader: FileReader
  private var step = ReadingProgress.Step.identification
  private let countBefore: Int
  /// The file by which a document is recognized that was put back.
  private var comparison: DocumentFile?
  private var isComparing = false
  /// Whether access is repeated after the chip has ended a session.
  private var isReopening = false
  /// The file that is being read.
  private var currentFile: DocumentFile?

  /// The number of times that a chip may end its session.
  private static let restartLimit = 6
  /// Longer answers than those of a short command need extended length fields.
  private static let shortAnswer = 258
  private static let libnfcAnswer = 262

  init(
    _ link: any ChipLink, _ password: AccessPassword?, _ options: ReadingOptions,
    _ state: ReadingState, progress: @escaping (ReadingProgress) -> Void
  ) {
    self.link = link
    self.password = password
    self.options = options
    self.state = state
    self.progress = progress
    countBefore = state.exchangeCount
    channel = ChipChannel(link)
    reader = FileReader(channel, habits: state.habits)
    guard state.exchangeCount > 0 else { return }
    comparison = [DocumentFile.securityObject, .group(.zone)].first {
      state.content(of: $0) != nil
    }
    // Without one, what was read could be completed by another document.
    if comparison == nil {
      self.state.files = [:]
      self.state.absent = []
    }
  }

  func run() throws {
    var restarts = 0
    var count = 0
    defer { state.exchangeCount = countBefore + count + channel.exchangeCount }
    while true {
      begin()
      do {
        return try readAll()
      } catch let error as ChipChannel.SessionEnded {
        try handleEnd(of: error)
      } catch let error as NFCError where error == ChipChannel.altered && isChipUnproven {
        // The chip's answer has a wrong MAC: it does not have the key that its data group 14 promises.
        state.chipAuthentication = .wrong
      } catch let error as NFCError where isReopening && error.code != .malformedContent {
        // The password is proven: it is not wrong now. Some chips open again only after they have left the field.
        throw error.group == .connection || error.group == .reader ? error : Self.resetNeeded
      } catch let error as NFCError where error.group == .connection {
        if state.chipAuthentication == .pending { state.chipAuthentication = .notAsked }
        throw error
      }
      restarts += 1
      if restarts > Self.restartLimit {
        // The other files can be read without the one at which the chip ends its session.
        guard let file = currentFile, file != .securityObject, state.unreadable[file] == nil else {
          throw NFCError(.tagResponseError, "the document ends its session again and again")
        }
        state.files[file] = nil
        state.unreadable[file] = "the document ends its session when \(file.name) is read"
        restarts = 1
      }
      count += channel.exchangeCount
      channel = ChipChannel(link)
      state.habits = reader.habits
      isReopening = true
      do { try link.activateAgain() } catch let error as NFCError where error.group != .reader {
        throw Self.resetNeeded
      }
    }
  }

  private static let resetNeeded = NFCError(
    .tagConnectionLost, "the document has ended its session, and has to be taken away and put back")

  private func begin() {
    reader = FileReader(channel, habits: state.habits)
    reader.report = { [unowned self] file, partial in
      // What a document that was put back repeats takes the place of nothing before it was compared.
      if !isComparing { state.files[file] = partial }
      report(.files)
    }
  }

  private var isChipUnproven: Bool {
    state.chipAuthentication == .pending && !channel.hasVerifiedAnswer
  }

  private func handleEnd(of session: ChipChannel.SessionEnded) throws {
    if isChipUnproven {
      state.chipAuthentication = .wrong
      return
    }
    guard state.isPasswordProven || state.access == .open else {
      throw NFCError(
        .tagRefused, "the document ends its session", cause: .statusWord(session.statusWord))
    }
    // It may not like the size. After a refusal, a smaller one is chosen already.
    if !channel.lastAnswerWasRefusal { _ = reader.habits.lower(below: reader.size) }
  }

  private func report(_ step: ReadingProgress.Step) {
    self.step = step
    progress(
      ReadingProgress(
        step: step, bytesRead: state.files.values.reduce(0) { $0 + $1.bytes.count },
        bytesExpected: state.files.values.reduce(0) { $0 + max($1.total ?? 0, $1.bytes.count) },
        exchangeCount: countBefore + channel.exchangeCount))
  }

  // MARK: Steps

  private func readAll() throws {
    defer { state.habits = reader.habits }
    report(.identification)
    try readCardAccess()
    if link.maximumResponseLength > Self.libnfcAnswer { try readAttributes() }
    report(.access)
    try openChip()
    isReopening = false
    try checkSameDocument()
    let infos = try readSecurityInfos()
    try authenticateChip(infos)
    try readGroups()
    try authenticateActively(infos)
    if isPendingProven { state.chipAuthentication = .proven }
  }

  private var isPendingProven: Bool {
    state.chipAuthentication == .pending && channel.hasVerifiedAnswer
  }

  // MARK: Identification

  /// Reads EF.CardAccess, once.
  private func readCardAccess() throws {
    guard state.cardAccess == .unknown else { return }
    state.cardAccess = try reader.readCardAccess().map { .found($0) } ?? .absent
    state.files[.cardAccess] = nil
  }

  /// Reads EF.ATR/INFO for the sizes of extended commands, which are not used unless they are stated.
  private func readAttributes() throws {
    if state.attributes == .unknown {
      do {
        state.attributes =
          try reader.readSeries(.attributes).map { .found($0) } ?? .absent
      } catch let error as NFCError where [.refusal, .content].contains(error.group) {
        state.attributes = .absent
      }
      if let stated = state.attributes.bytes.flatMap({ try? ChipAttributes($0) })?
        .maximumResponseLength, stated > Self.shortAnswer
      {
        reader.habits.extendedAnswer = min(stated, link.maximumResponseLength)
      }
    }
  }

  // MARK: Access

  private func openChip() throws {
    let infos = state.cardAccess.bytes.flatMap { try? SecurityInfos($0) }
    if let info = infos?.preferredPACE {
      guard let password else { throw Self.passwordNeeded }
      try openByPACE(info, password)
      return
    }
    if infos?.hasPACE == true {
      state.note("the document's way of PACE is not known, so BAC was used")
    }
    try selectApplication()
    guard let password else {
      guard try isOpen() else { throw Self.passwordNeeded }
      state.access = .open
      return
    }
    let answer = try channel.send(BasicAccess.challengeCommand)
    guard answer.isSuccess, answer.data.count == BasicAccess.challengeSize else {
      guard try isOpen() else {
        throw NFCError(
          .notAuthenticated, "the document accepts no BAC, and says no way of PACE that is known",
          cause: .statusWord(answer.statusWord))
      }
      state.access = .open
      return
    }
    guard password.kind == .machineReadableZone else {
      throw NFCError(
        .notAuthenticated,
        "the document has only BAC, which needs the machine readable zone, not the CAN")
    }
    state.hasUsedPassword = true
    try BasicAccess(password).run(channel, challenge: answer.data)
    state.isPasswordProven = true
    state.access = .basic
  }

  private func openByPACE(_ info: PACEInfo, _ password: AccessPassword) throws {
    state.hasUsedPassword = true
    state.mappingProof = try PACE(info, password).run(channel)
    state.isPasswordProven = true
    state.access = .pace(info, password: password.kind)
    reader.applicationChanged()
    if options.provesChip, state.mappingProof != nil { try readFile(.cardSecurity) }
    try selectApplication()
  }

  private func selectApplication() throws {
    let answer = try channel.send(FileReader.selectApplication)
    reader.applicationChanged()
    guard !answer.isSuccess else { return }
    if channel.messaging != nil {
      throw NFCError(
        .wrongTag, "the document holds no ICAO application for this password",
        cause: .statusWord(answer.statusWord))
    }
    throw NFCError(
      .wrongTag, "the card is not a travel document", cause: .statusWord(answer.statusWord))
  }

  /// Whether files can be read without access.
  private func isOpen() throws -> Bool {
    do {
      try readFile(.securityObject)
      if state.content(of: .securityObject) != nil { return true }
      try readFile(.commonData)
      return state.content(of: .commonData) != nil
    } catch let error as NFCError where error.group == .refusal {
      return false
    }
  }

  private static let passwordNeeded = NFCError(
    .notAuthenticated,
    "the document is opened with its machine readable zone or its card access number")

  // MARK: Files

  /// Reads a file, or the rest of it. One that the chip refuses, or that is malformed, is noted.
  private func readFile(_ file: DocumentFile) throws {
    guard state.content(of: file) == nil, !state.absent.contains(file),
      state.unreadable[file] == nil
    else { return }
    var partial = state.files[file] ?? PartialFile()
    currentFile = file
    do {
      if try reader.read(file, into: &partial) {
        state.files[file] = partial
      } else {
        state.absent.insert(file)
      }
    } catch let error as NFCError where error.group == .refusal || error.group == .content {
      guard error != ChipChannel.altered else { throw error }
      if error.group == .refusal, state.access == nil { throw error }
      state.files[file] = nil
      state.unreadable[file] = error.description
      if error.group == .content { state.hasMalformedFile = true }
    }
    currentFile = nil
    if isPendingProven { state.chipAuthentication = .proven }
  }

  /// Reads EF.SOD. After an interruption, the document has to be the one that was begun.
  private func checkSameDocument() throws {
    if let file = comparison {
      var partial = PartialFile()
      let known = state.content(of: file)
      isComparing = true
      defer { isComparing = false }
      guard try reader.read(file, into: &partial), partial.bytes == known else {
        throw NFCError(.wrongTag, "this is another document than the one that was begun")
      }
      comparison = nil
    }
    try readFile(.securityObject)
  }

  private func readSecurityInfos() throws -> SecurityInfos? {
    guard options.provesChip || wants(.securityInfos), listed.contains(14) else { return nil }
    try readFile(.group(.securityInfos))
    return state.content(of: .group(.securityInfos)).flatMap {
      try? SecurityInfos(dataGroup: $0)
    }
  }

  /// The numbers of the data groups: those that are signed. EF.COM, which is not, is read later.
  private var listed: Set<Int> {
    var numbers: Set<Int> = []
    if let file = state.content(of: .securityObject), let object = try? SecurityObject(file) {
      numbers.formUnion(object.hashes.keys)
    }
    if let file = state.content(of: .commonData), let common = try? CommonData(file) {
      numbers.formUnion(common.groups)
    }
    return numbers
  }

  private func wants(_ group: DataGroup) -> Bool { options.groups?.contains(group) ?? true }

  /// The order of the groups: small ones first, so that a chip that dislikes a size shows it there; the images last.
  private static let order = [1, 11, 12, 14, 15, 16, 13, 8, 9, 10, 6, 7, 5, 2].compactMap {
    DataGroup($0)
  }

  private func readGroups() throws {
    try readFile(.commonData)
    let listed = listed
    for group in Self.order {
      let isNeeded =
        options.groups.map { $0.contains(group) } ?? listed.contains(group.number)
      let isForProof =
        options.provesChip && listed.contains(group.number)
        && (group == .securityInfos || group == .activeAuthentication)
      if isNeeded || isForProof { try readFile(.group(group)) }
    }
  }

  // MARK: Proof

  private func authenticateChip(_ infos: SecurityInfos?) throws {
    guard options.provesChip, state.chipAuthentication == .notAsked, state.mappingProof == nil,
      channel.messaging != nil, let infos, let protocolOfChip = ChipAuthentication(infos)
    else { return }
    report(.proof)
    do {
      if let word = try protocolOfChip.run(channel) {
        state.chipAuthentication = .unknown(
          "the chip refuses chip authentication (\(StatusWord(rawValue: word)))")
      } else {
        state.chipAuthentication = .pending
      }
    } catch let error as NFCError where error.code == .unsupported {
      state.chipAuthentication = .unknown(error.reason)
    } catch let error as ChipChannel.SessionEnded {
      // It is not asked again in the next session.
      state.chipAuthentication = .unknown("the chip ends the session at chip authentication")
      throw error
    }
  }

  private func authenticateActively(_ infos: SecurityInfos?) throws {
    guard options.provesChip, state.activeAuthentication == .notAsked,
      let file = state.content(of: .group(.activeAuthentication))
    else { return }
    report(.proof)
    guard
      let procedure = ActiveAuthentication(
        dataGroup: file, digest: infos?.activeAuthenticationDigest)
    else {
      state.activeAuthentication = .unknown("the chip's key is of an unknown kind")
      return
    }
    do {
      state.activeAuthentication =
        switch try procedure.run(channel) {
        case .proven: .proven
        case .wrong: .wrong
        case .unknown(let reason): .unknown(reason)
        }
    } catch is ChipChannel.SessionEnded where !isChipUnproven {
      state.activeAuthentication = .unknown("the chip ends the session at active authentication")
    } catch let error as NFCError where error.code == .unsupported {
      state.activeAuthentication = .unknown(error.reason)
    }
  }
}
