/// Type A with ISO/IEC 14443-4, and DESFire (lib/nfc/protocols/iso14443_4a and mf_desfire).
extension FlipperFile {
  enum InterfaceBytes {
    /// Bits of T0 for TA(1), TB(1) and TC(1) (ISO/IEC 14443-4, 5.2.3).
    static let all: [(bit: UInt8, key: String)] = [
      (0x10, "TA(1)"), (0x20, "TB(1)"), (0x40, "TC(1)"),
    ]
  }
}

extension FlipperFile.Writer {
  mutating func answerToSelect(_ image: TagImage) {
    guard let ats = image.ats, ats.count > 1 else { return }
    line("T0", [ats[1]])
    var rest = ats.dropFirst(2)
    for (bit, key) in FlipperFile.InterfaceBytes.all where ats[1] & bit != 0 {
      guard let byte = rest.popFirst() else { return }
      line(key, [byte])
    }
    if !rest.isEmpty { line("T1...Tk", Array(rest)) }
  }

  mutating func desfire(_ image: TagImage) {
    let card = image.desfire ?? .init()
    line(FlipperFile.piccVersionKey, image.version ?? Array(repeating: 0, count: 28))
    if let free = card.freeMemory { line("PICC Free Memory", Int(free)) }
    if let settings = card.keySettings { keySettings("PICC", settings, card.keyVersions) }
    line("Application Count", card.applications.count)
    guard !card.applications.isEmpty else { return }
    line("Application IDs", card.applications.flatMap(\.identifier))
    for application in card.applications {
      let prefix = "Application " + Hexadecimal.text(application.identifier).lowercased()
      if let settings = application.keySettings {
        keySettings(prefix, settings, application.keyVersions)
      }
      guard let files = application.files else { continue }
      line("\(prefix) File IDs", files.map(\.number))
      for file in files { self.file("\(prefix) File \(file.number)", file) }
    }
  }

  private mutating func keySettings(
    _ prefix: String, _ settings: TagImage.DESFire.KeySettings, _ versions: [UInt8]
  ) {
    line("\(prefix) Change Key ID", [settings.changeKey])
    line("\(prefix) Config Changeable", settings.isConfigurationChangeable)
    line("\(prefix) Free Create Delete", settings.createsWithoutKey)
    line("\(prefix) Free Directory List", settings.listsWithoutKey)
    line("\(prefix) Key Changeable", settings.isMasterKeyChangeable)
    line("\(prefix) Flags", [settings.flags])
    line("\(prefix) Max Keys", [settings.keyCount])
    for (index, version) in versions.enumerated() {
      line("\(prefix) Key \(index) Version", [version])
    }
  }

  private mutating func file(_ prefix: String, _ file: TagImage.DESFire.File) {
    line("\(prefix) Type", [file.type])
    line("\(prefix) Communication Settings", [file.communication])
    line("\(prefix) Access Rights", file.accessRights + file.additionalAccessRights)
    switch file.settings {
    case .data(let size): line("\(prefix) Size", Int(size))
    case .value(let lower, let upper, let credit, let isEnabled):
      line("\(prefix) Hi Limit", Int(upper))
      line("\(prefix) Lo Limit", Int(lower))
      line("\(prefix) Limited Credit Value", Int(credit))
      line("\(prefix) Limited Credit Enabled", isEnabled)
    case .records(let size, let maximum, let count):
      line("\(prefix) Size", Int(size))
      line("\(prefix) Max", Int(maximum))
      line("\(prefix) Cur", Int(count))
    }
    if let data = file.data, !data.isEmpty { line(prefix, data) }
  }
}

extension FlipperFile.Reader {
  private static let anyNumber = 0...Int(UInt32.max)

  /// Returns the ATS, which is one line in older files and one line per byte in newer ones.
  func answerToSelect() throws(ImageError) -> [UInt8]? {
    if let entry = entry("ATS") {
      let ats = try bytes(entry)
      guard let length = ats.first else { return nil }
      guard Int(length) == ats.count else {
        throw ImageError(
          "\"ATS\" has \(ats.count) bytes, and its first byte, which is its length, is \(length)",
          at: .line(entry.line))
      }
      return ats
    }
    guard let entry = entry("T0"), let t0 = try bytes(entry, count: 1).first else { return nil }
    var ats = [t0]
    for (bit, key) in FlipperFile.InterfaceBytes.all {
      let byte = try optionalByte(key)
      // Flipper Zero refuses such a file, too (lib/nfc/protocols/iso14443_4a/iso14443_4a.c, `iso14443_4a_load`).
      guard t0 & bit == 0 || byte != nil else {
        throw ImageError(
          "\"T0\" announces \"\(key)\", and the file does not have it", at: .line(entry.line))
      }
      if let byte { ats.append(byte) }
    }
    ats += try optionalBytes("T1...Tk") ?? []
    guard let length = UInt8(exactly: ats.count + 1) else {
      throw ImageError(
        "the ATS has \(ats.count + 1) bytes, and its length is one byte", at: .line(entry.line))
    }
    return [length] + ats
  }

  func desfireImage() throws(ImageError) -> TagImage {
    var image = TagImage(.desfire)
    image.version = BinaryFile.nonZero(try bytes(FlipperFile.piccVersionKey, count: 28))
    var card = TagImage.DESFire()
    card.freeMemory = try optionalNumber("PICC Free Memory", in: Self.anyNumber).map {
      UInt32(clamping: $0)
    }
    card.keySettings = try keySettings("PICC")
    card.keyVersions = try keyVersions("PICC")
    let count = try optionalNumber("Application Count", in: 0...0x1000) ?? 0
    if count > 0 {
      let list = try required("Application IDs")
      let identifiers = try bytes(list, count: 3 * count)
      var seen: Set<[UInt8]> = []
      for index in 0..<count {
        let identifier = Array(identifiers[3 * index..<3 * index + 3])
        guard seen.insert(identifier).inserted else {
          throw ImageError(
            "the application \(Hexadecimal.text(identifier)) occurs twice", at: .line(list.line))
        }
        card.applications.append(try application(identifier))
      }
    }
    image.desfire = card
    return image
  }

  private func application(
    _ identifier: [UInt8]
  ) throws(ImageError) -> TagImage.DESFire.Application {
    var application = TagImage.DESFire.Application(identifier: identifier)
    // The digits of newer files are lower-case.
    let digits = Hexadecimal.text(identifier)
    let names = ["Application \(digits)", "Application \(digits.lowercased())"]
    let prefix =
      names.first { name in
        entry("\(name) File IDs") != nil || entry("\(name) Change Key ID") != nil
      } ?? names[0]
    application.keySettings = try keySettings(prefix)
    application.keyVersions = try keyVersions(prefix)
    guard let list = entry("\(prefix) File IDs") else { return application }
    var files: [TagImage.DESFire.File] = []
    var seen: Set<UInt8> = []
    for number in try bytes(list) {
      guard seen.insert(number).inserted else {
        throw ImageError("the file \(number) occurs twice", at: .line(list.line))
      }
      files.append(try desfireFile("\(prefix) File \(number)", number))
    }
    application.files = files
    return application
  }

  private func keySettings(
    _ prefix: String
  ) throws(ImageError) -> TagImage.DESFire.KeySettings? {
    guard let changeKey = try optionalByte("\(prefix) Change Key ID") else { return nil }
    var settings = TagImage.DESFire.KeySettings(0, 0)
    settings.changeKey = changeKey
    settings.isConfigurationChangeable = try optionalBool("\(prefix) Config Changeable") ?? false
    settings.createsWithoutKey = try optionalBool("\(prefix) Free Create Delete") ?? false
    settings.listsWithoutKey = try optionalBool("\(prefix) Free Directory List") ?? false
    settings.isMasterKeyChangeable = try optionalBool("\(prefix) Key Changeable") ?? false
    settings.flags = try optionalByte("\(prefix) Flags") ?? 0
    settings.keyCount = try optionalByte("\(prefix) Max Keys") ?? 0
    return settings
  }

  private func keyVersions(_ prefix: String) throws(ImageError) -> [UInt8] {
    var versions: [UInt8] = []
    while let version = try optionalByte("\(prefix) Key \(versions.count) Version") {
      versions.append(version)
    }
    return versions
  }

  private func number32(_ key: String) throws(ImageError) -> UInt32 {
    UInt32(clamping: try number(key, in: Self.anyNumber))
  }

  private func desfireFile(
    _ prefix: String, _ number: UInt8
  ) throws(ImageError) -> TagImage.DESFire.File {
    let entry = try required("\(prefix) Type")
    guard let type = try bytes(entry, count: 1).first else {
      throw ImageError("\"\(entry.key)\" is empty", at: .line(entry.line))
    }
    let settings: TagImage.DESFire.FileSettings
    switch type {
    case 0, 1: settings = .data(size: try number32("\(prefix) Size"))
    case 2:
      settings = .value(
        lowerLimit: try number32("\(prefix) Lo Limit"),
        upperLimit: try number32("\(prefix) Hi Limit"),
        limitedCredit: try number32("\(prefix) Limited Credit Value"),
        isLimitedCreditEnabled: try optionalBool("\(prefix) Limited Credit Enabled") ?? false)
    case 3, 4:
      settings = .records(
        size: try number32("\(prefix) Size"), maximum: try number32("\(prefix) Max"),
        count: try number32("\(prefix) Cur"))
    default: throw ImageError("there is no file of type \(type)", at: .line(entry.line))
    }
    let rights = try accessRights("\(prefix) Access Rights")
    var file = TagImage.DESFire.File(
      number: number, type: type,
      communication: try optionalByte("\(prefix) Communication Settings") ?? 0,
      accessRights: Array(rights.prefix(2)), settings: settings,
      data: try optionalBytes(prefix) ?? Self.contentOfNone(settings, rights))
    file.additionalAccessRights = Array(rights.dropFirst(2))
    if case .data(let size) = settings, let data = file.data, data.count != size {
      throw ImageError(
        "the file has \(data.count) bytes of content and a size of \(size)",
        at: .line(try required(prefix).line))
    }
    return file
  }

  /// Returns one set of access rights of two bytes, and any additional ones
  /// (lib/nfc/protocols/mf_desfire/mf_desfire_i.c, `mf_desfire_file_settings_load`).
  private func accessRights(_ key: String) throws(ImageError) -> [UInt8] {
    let entry = try required(key)
    let rights = try bytes(entry)
    guard !rights.isEmpty, rights.count.isMultiple(of: 2) else {
      throw ImageError(
        "\"\(key)\" has \(rights.count) bytes, and access rights have two each",
        at: .line(entry.line))
    }
    return rights
  }

  /// Returns the content of a record file without known records, which has no line in the file.
  private static func contentOfNone(
    _ settings: TagImage.DESFire.FileSettings, _ rights: [UInt8]
  ) -> [UInt8]? {
    let everybody: UInt8 = 0x0E
    guard case .records(_, _, 0) = settings, rights.count >= 2,
      rights[1] >> 4 == everybody || rights[0] >> 4 == everybody
    else { return nil }
    return []
  }
}
