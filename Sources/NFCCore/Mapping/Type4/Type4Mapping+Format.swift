/// Making NDEF tags of blank cards, and read-only ones of those.
extension Type4Mapping {
  /// DESFire EV1 and later: an application with the NFC Forum's name, and in it the capability container
  /// and an NDEF file, as NXP AN11004 lays them out. Both files are open to everybody, so that the card
  /// can be locked later without a key; the application's own key stays the one of zeros. It works where
  /// the card's settings let applications be made without its master key, as from the factory.
  ///
  /// There is no standard way to make an NDEF application on other cards.
  mutating func format(_ link: TagLink) throws {
    do {
      if let file = try file(link) {
        guard file.isWritable else { throw NFCError(.readOnly, "the tag is read-only") }
        try write([], link)
        return
      }
    } catch let error as NFCError
      where error.code == .malformedContent && hasNativeFormat
    {
      // Made in part, and then torn away: the rest is made now.
    }
    guard hasNativeFormat else {
      throw NFCError(
        .unsupported, "there is no standard way to make an NDEF application on this card")
    }
    layout = .unknown
    try DESFireFormat(link: link).run()
    forgetContent()
  }

  private static let desfire = "MIFARE DESFire"
  /// The first generation has no ISO/IEC 7816-4 names for applications; Light has fixed files.
  private static let withoutFormat = ["MIFARE DESFire", "MIFARE DESFire Light"]

  private var hasNativeFormat: Bool {
    guard let name = product?.name, name.hasPrefix(Self.desfire) else { return false }
    return !Self.withoutFormat.contains(name)
  }

  // MARK: Locking

  /// Sets the write access condition in the capability container to FF, where the card lets it be
  /// written: **it cannot be undone.** (Type 4 Tag Operation Specification 2.0, 6.3.)
  ///
  /// On DESFire, the right to write the NDEF file is taken away as well where everybody may change
  /// rights. Cards that ask for a key to do so are `unsupported`.
  mutating func lock(_ link: TagLink) throws {
    guard var file = try file(link) else {
      throw NFCError(.notNDEF, "the card has no NDEF application")
    }
    layout = .unknown
    if hasNativeFormat { try DESFireFormat(link: link).lockNDEFFile() }
    let container = Type4CapabilityContainer.fileIdentifier
    let exchange = Type4Exchange(link: link)
    try select(container, isVersion1: file.isVersion1, link)
    var limit = 1
    do {
      try exchange.update(
        container, offset: file.writeAccessOffset, data: [Type4CapabilityContainer.noAccess],
        limit: &limit)
    } catch let error as NFCError where error.group == .refusal {
      throw NFCError(
        .unsupported, "the card does not let its capability container be changed without a key",
        cause: error.cause, place: .file(container))
    }
    if hasNativeFormat { try DESFireFormat(link: link).lockContainer() }
    try select(file.identifier, isVersion1: file.isVersion1, link)
    file.isWritable = false
    layout = .selected(file)
  }
}

/// The layout of a DESFire card as NFC Forum type 4 tag: NXP AN11004.
struct DESFireFormat {
  private static let container: UInt8 = 1
  private static let ndefFile: UInt8 = 2
  private static let ndefFileIdentifier: UInt16 = 0xE104
  private static let applicationIdentifier: UInt16 = 0xE110
  /// Application numbers that are tried: the first is AN11004's, others may be taken.
  private static let applicationNumbers = 1...8
  /// Everything is allowed without the master key.
  private static let openSettings: UInt8 = 0x0F
  /// One DES key; files have ISO/IEC 7816-4 names.
  private static let oneKeyWithNames: UInt8 = 0x21
  /// Everybody may read, write, do both, and change that.
  private static let openRights: UInt16 = 0xEEEE
  /// Everybody may read; nobody anything else, ever.
  private static let readOnlyRights: UInt16 = 0xEFFF
  /// READ BINARY and UPDATE BINARY within the card's frames (AN11004).
  private static let maximumRead: UInt8 = 0x3B
  private static let maximumUpdate: UInt8 = 0x34
  private static let blockSize = 32
  /// NDEF files of mapping version 2 have at most 7FFF bytes, and files take whole blocks.
  private static let largestFile = 0x7FE0
  /// How much less is tried when the card has less room than it says.
  private static let sizeStep = 128
  private static let attempts = 8

  let link: TagLink
  private let commands: DESFireCommands

  init(link: TagLink) {
    self.link = link
    commands = DESFireCommands(link: link)
  }

  /// Makes what is missing: a run that was broken off can be made again.
  func run() throws {
    do {
      try selectOrCreateApplication()
      _ = try create(
        Self.container, Type4CapabilityContainer.fileIdentifier,
        size: Type4CapabilityContainer.minimumLength)
      let size = try createNDEFFile()
      try commands.writeData(Self.container, Self.container(fileSize: size))
    } catch let error as NFCError where error.code == .notAuthenticated {
      throw NFCError(
        .unsupported, "the card's settings ask for its master key to make an application",
        cause: error.cause)
    }
  }

  private func selectOrCreateApplication() throws {
    if try Type4Exchange(link: link).selectApplication(Type4Command.application) { return }
    try commands.selectApplication(0)
    for number in Self.applicationNumbers {
      let isCreated = try commands.createApplication(
        number, settings: Self.openSettings, keys: Self.oneKeyWithNames,
        isoIdentifier: Self.applicationIdentifier, name: Type4Command.application)
      if isCreated { return try commands.selectApplication(number) }
    }
    throw NFCError(
      .unsupported, "the card has other applications under the numbers and names for NDEF",
      cause: .desfireStatus(DESFireCommands.Status.duplicate))
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
      switch try create(Self.ndefFile, Self.ndefFileIdentifier, size: size) {
      case .done: return size
      case .isThere: return try commands.fileSettings(Self.ndefFile).size
      case .noRoom: size -= Self.sizeStep
      }
    }
    // A card that was full to the end when it was torn away has the file, and no room to find that out.
    return try commands.fileSettings(Self.ndefFile).size
  }

  /// Mapping version 2.0.
  private static func container(fileSize: Int) -> [UInt8] {
    let size = min(fileSize, largestFile)
    return [
      0x00, 0x0F, 0x20, 0x00, maximumRead, 0x00, maximumUpdate, 0x04, 0x06,
      UInt8(ndefFileIdentifier >> 8), UInt8(ndefFileIdentifier & 0xFF), UInt8(size >> 8),
      UInt8(size & 0xFF), Type4CapabilityContainer.freeAccess, Type4CapabilityContainer.freeAccess,
    ]
  }

  // MARK: Locking

  /// Refuses before anything is changed if the capability container could not be locked after it.
  func lockNDEFFile() throws {
    let container = try rights(Self.container)
    let ndefFile = try rights(Self.ndefFile)
    guard container == Self.openRights,
      ndefFile == Self.openRights || ndefFile == Self.readOnlyRights
    else {
      throw NFCError(
        .unsupported, "the card asks for the application's key to change the rights of its files")
    }
    if ndefFile == Self.openRights {
      try commands.changeFileSettings(Self.ndefFile, rights: Self.readOnlyRights)
    }
  }

  /// `nil` if the card does not tell, or has no such file.
  private func rights(_ file: UInt8) throws -> UInt16? {
    do {
      return try commands.fileSettings(file).rights
    } catch let error as NFCError where error.group == .refusal {
      return nil
    }
  }

  func lockContainer() throws {
    try commands.changeFileSettings(Self.container, rights: Self.readOnlyRights)
  }
}
