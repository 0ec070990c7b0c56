/// The layout of a DESFire card as an NFC Forum type 4 tag: NXP AN11004.
struct DESFireFormat {
  private static let ndefFileIdentifier: UInt16 = 0xE104
  private static let applicationIdentifier: UInt16 = 0xE110
  /// The application numbers to try: the first is AN11004's, but it may be used already.
  private static let applicationNumbers = 1...8
  /// Everything is allowed without the master key.
  private static let openSettings: UInt8 = 0x0F
  /// One DES key; files have ISO/IEC 7816-4 names.
  private static let oneKeyWithNames: UInt8 = 0x21
  /// Everybody may read, write, do both, and change that.
  private static let openRights: UInt16 = 0xEEEE
  /// Everyone may read; all other rights are removed permanently.
  private static let readOnlyRights: UInt16 = 0xEFFF
  /// READ BINARY and UPDATE BINARY within the card's frames (AN11004).
  private static let maximumRead: UInt8 = 0x3B
  private static let maximumUpdate: UInt8 = 0x34
  private static let blockSize = 32
  /// NDEF files of mapping version 2 have at most 7FFF bytes, and files occupy whole blocks.
  private static let largestFile = 0x7FE0
  /// The step by which the size is reduced if the card has less room than it reports.
  private static let sizeStep = 128
  private static let attempts = 8

  let link: TagLink
  private let commands: DESFireCommands

  init(link: TagLink) {
    self.link = link
    commands = DESFireCommands(link: link)
  }

  /// Creates what is missing, so that an interrupted run can be repeated.
  func run() throws {
    do {
      try selectOrCreateApplication()
      let created = try create(
        File.container.rawValue, Type4CapabilityContainer.fileIdentifier,
        size: Type4CapabilityContainer.minimumLength)
      if created == .isThere { try checkContainer() }
      let size = try createNDEFFile()
      try commands.writeData(File.container.rawValue, Self.container(fileSize: size))
    } catch let error as NFCError where error.code == .notAuthenticated {
      throw NFCError(
        .unsupported, "the card's settings require its master key to create an application",
        cause: error.cause)
    }
  }

  /// Checks that the file with the container's number is a container, or is empty as an interrupted run leaves it: one
  /// byte value throughout. Any other file is somebody else's, and stays.
  private func checkContainer() throws {
    let content = try commands.readData(
      File.container.rawValue, count: Type4CapabilityContainer.minimumLength)
    let length = Self.container(fileSize: 0).prefix(2)
    guard Set(content).count <= 1 || content.starts(with: length) else {
      throw NFCError(
        .unsupported, "the application for NDEF has another file in place of its container",
        place: .file(Type4CapabilityContainer.fileIdentifier))
    }
  }

  private func selectOrCreateApplication() throws {
    if try ISO7816Procedure(link).select(.select(aid: .ndef)) { return }
    try commands.selectApplication(0)
    for number in Self.applicationNumbers {
      let isCreated = try commands.createApplication(
        number, settings: Self.openSettings, keys: Self.oneKeyWithNames,
        isoIdentifier: Self.applicationIdentifier, name: ApplicationIdentifier.ndef.bytes)
      if isCreated { return try commands.selectApplication(number) }
    }
    throw NFCError(
      .unsupported, "the card has other applications under the numbers and names for NDEF",
      cause: .desfireStatus(DESFireStatus.duplicateError.code))
  }

  private func create(
    _ number: UInt8, _ identifier: UInt16, size: Int
  ) throws -> DESFireCommands.Creation {
    try commands.createStandardDataFile(
      number, isoIdentifier: identifier, rights: Self.openRights, size: size)
  }

  /// - Returns: the file's size.
  private func createNDEFFile() throws -> Int {
    var size = min(Self.largestFile, try commands.freeMemory() / Self.blockSize * Self.blockSize)
    for _ in 0..<Self.attempts where size >= Self.blockSize {
      switch try create(File.ndefFile.rawValue, Self.ndefFileIdentifier, size: size) {
      case .done: return size
      case .isThere: return try commands.fileSettings(File.ndefFile.rawValue).size
      case .noRoom: size -= Self.sizeStep
      }
    }
    // A card that was full to the end when it was torn away has the file, and no room to find that out.
    return try commands.fileSettings(File.ndefFile.rawValue).size
  }

  /// Mapping version 2.0.
  private static func container(fileSize: Int) -> [UInt8] {
    let size = min(fileSize, largestFile)
    return [
      0x00, 0x0F, 0x20, 0x00, maximumRead, 0x00, maximumUpdate, 0x04, 0x06,
      UInt8(ndefFileIdentifier >> 8), UInt8(ndefFileIdentifier & 0xFF), UInt8(size >> 8),
      UInt8(size & 0xFF), Type4FileControl.freeAccess, Type4FileControl.freeAccess,
    ]
  }

  // MARK: Locking

  /// The two files of the application.
  enum File: UInt8, Hashable {
    case container = 1
    case ndefFile = 2
  }

  /// Returns which of the files have rights that locking removes, with their settings.
  ///
  /// - Parameter isContainerOpen: whether the capability container still says that the tag can be written.
  /// - Throws: `unsupported` if a key is needed to change them, if the container is closed while it has
  ///   to be written, or if keys have additional rights: locking could not be complete.
  func openFiles(isContainerOpen: Bool) throws -> [File: DESFireCommands.FileSettings] {
    let container = try settings(.container)
    let ndefFile = try settings(.ndefFile)
    let known: [UInt16?] = [Self.openRights, Self.readOnlyRights]
    guard known.contains(container?.rights), known.contains(ndefFile?.rights),
      container?.hasAdditionalRights == false, ndefFile?.hasAdditionalRights == false,
      !isContainerOpen || container?.rights == Self.openRights
    else {
      throw NFCError(
        .unsupported, "the card requires the application's key to change the rights of its files")
    }
    var open: [File: DESFireCommands.FileSettings] = [:]
    if container?.rights == Self.openRights { open[.container] = container }
    if ndefFile?.rights == Self.openRights { open[.ndefFile] = ndefFile }
    return open
  }

  /// Returns the settings of a file; `nil` if the card does not report them, or has no such file.
  private func settings(_ file: File) throws -> DESFireCommands.FileSettings? {
    do {
      return try commands.fileSettings(file.rawValue)
    } catch let error as NFCError
      where error.group == .refusal
    {
      return nil
    }
  }

  /// The change that ``lock(_:)`` makes.
  static func lockStep(_ file: File) -> LockStep {
    LockStep(
      .file(
        file == .container ? Type4CapabilityContainer.fileIdentifier : ndefFileIdentifier),
      .accessRights(before: openRights.bigEndianBytes, after: readOnlyRights.bigEndianBytes))
  }

  /// Allows everyone to read a file, and permanently prevents changes.
  func lock(_ file: File, _ settings: DESFireCommands.FileSettings) throws {
    try commands.changeFileSettings(file.rawValue, from: settings, to: Self.readOnlyRights)
  }
}
