import SwiftNFCChipBook

extension FlipperFile {
  static func encode(_ image: TagImage) -> [UInt8] {
    var file = Writer()
    file.line("Filetype", fileType)
    file.line("Version", version)
    file.line("Device type", deviceType(image))
    file.line("UID", uid(image))
    switch image.kind {
    case .classic:
      file.typeA(image)
      file.classic(image)
    case .type2:
      file.typeA(image)
      file.type2(image)
    case .desfire:
      file.typeA(image)
      file.answerToSelect(image)
      file.desfire(image)
    case .iso14443a:
      file.typeA(image)
      file.answerToSelect(image)
      if let plus = image.plus {
        file.plus(plus, of: image)
      } else if let version = image.version {
        file.line(piccVersionKey, version)
      }
    case .smartCard where image.applicationData == nil:
      file.typeA(image)
      file.answerToSelect(image)
      file.smartCard(image)
    case .smartCard:
      file.typeB(image)
      file.smartCard(image)
    case .iso14443b:
      file.typeB(image)
    case .iso15693: file.vicinity(image)
    case .feliCaLite: file.feliCaLite(image)
    case .feliCa: file.feliCa(image)
    case .st25tb: file.st25tb(image)
    case .ctx: file.ctx(image)
    case .barcode: file.barcode(image)
    case .bPrime: file.bPrime(image)
    case .topaz, .iClass: break
    }
    return Array(file.text.utf8)
  }

  private static func deviceType(_ image: TagImage) -> String {
    switch image.kind {
    case .classic: DeviceType.classic
    case .type2: DeviceType.type2
    case .desfire: DeviceType.desfire
    case .iso15693: isSLIX(image.uid) ? DeviceType.slix : DeviceType.vicinity
    case .feliCaLite, .feliCa: DeviceType.feliCa
    case .st25tb: DeviceType.st25tb
    case .ctx: DeviceType.ctx
    case .barcode: DeviceType.barcode
    case .bPrime: DeviceType.bPrime
    case .smartCard where image.applicationData != nil: DeviceType.typeB4
    case .smartCard: isType4(image) ? DeviceType.type4 : DeviceType.typeA4
    case .iso14443a where image.plus != nil: DeviceType.plus
    case .iso14443a: image.ats == nil ? DeviceType.typeA3 : DeviceType.typeA4
    // The lowest bit of the protocol type indicates ISO/IEC 14443-4.
    case .iso14443b:
      (image.protocolInfo?.dropFirst().first ?? 0) & 0x01 == 1
        ? DeviceType.typeB4 : DeviceType.typeB3
    case .topaz, .iClass: ""
    }
  }

  /// Returns the UID, which the format requires; ``objection(to:)`` refuses an image without one.
  private static func uid(_ image: TagImage) -> [UInt8] { image.uid ?? [] }
}

extension FlipperFile.Writer {
  fileprivate mutating func typeA(_ image: TagImage) {
    line("ATQA", image.atqa ?? Self.atqa(of: image))
    line("SAK", [image.sak ?? Self.sak(of: image)])
  }

  fileprivate mutating func typeB(_ image: TagImage) {
    line("Application data", image.applicationData ?? [0, 0, 0, 0])
    line("Protocol info", image.protocolInfo ?? [0, 0, 0])
  }

  /// Returns the ATQA (NXP AN10833, MIFARE type identification procedure). Of a smart card, the format requires
  /// only the size of the UID (ISO/IEC 14443-3, 6.5.2).
  private static func atqa(of image: TagImage) -> [UInt8] {
    guard image.kind == .classic else {
      return [0x00, image.kind == .smartCard && image.uid?.count == 4 ? 0x04 : 0x44]
    }
    return [0x00, image.memory.unitCount == 256 ? 0x02 : 0x04]
  }

  /// Returns the SAK (ISO/IEC 14443-3, 6.5.3; AN10833).
  private static func sak(of image: TagImage) -> UInt8 {
    switch image.kind {
    case .classic: break
    case .desfire, .smartCard: return 0x20
    default: return 0x00
    }
    return switch image.memory.unitCount {
    case 20: 0x09
    case 128: 0x10
    case 256: 0x18
    default: 0x08
    }
  }

  fileprivate mutating func classic(_ image: TagImage) {
    line("Mifare Classic type", FlipperFile.classicTypes[image.memory.unitCount] ?? "")
    line("Data format version", FlipperFile.classicVersion)
    for block in 0..<image.memory.unitCount {
      line(
        "Block \(block)",
        Hexadecimal.text(image.memory.unit(block), unknown: "??", separator: " "))
    }
  }

  fileprivate mutating func type2(_ image: TagImage) {
    let chip = image.type2Chip
    line("Data format version", FlipperFile.type2Version)
    line("NTAG/Ultralight type", chip?.files?.flipperName ?? Type2Chip.flipperNameOfOthers)
    let signature = image.signature ?? []
    line("Signature", signature.count == 32 ? signature : Array(repeating: 0, count: 32))
    // Unleashed Firmware uses this key; other firmware ignores unknown keys.
    if signature.count == 48 { line("AES signature", signature) }
    line("Mifare version", image.version ?? Array(repeating: 0, count: 8))
    for (index, counter) in image.counters.enumerated() {
      line("Counter \(index)", Int(counter?.value ?? 0))
      line("Tearing \(index)", [counter?.tearing ?? 0])
    }
    let places = FlipperFile.places(of: image)
    // Only the known bytes at the beginning are written. Passwords, which no tag returns, are zeros
    // there.
    let firstUnread = Self.firstUnread(places, of: image)
    line("Pages total", places.count)
    line("Pages read", firstUnread)
    for (index, page) in places.enumerated() {
      line(
        "Page \(index)",
        page.map { Array(image.memory.bytes[image.memory.range(ofUnit: $0)]) } ?? [0, 0, 0, 0])
    }
    line("Failed authentication attempts", image.failedAuthentications ?? 0)
  }

  /// Returns the index of the first page that was not read. A page of a password counts as read if the one after it
  /// was.
  private static func firstUnread(_ places: [Int?], of image: TagImage) -> Int {
    let secrets = Set(image.secrets.flatMap { Array($0) })
    let isKeyOnly = image.type2Chip?.hasUnreadableKey ?? false
    let unread = places.firstIndex { page in
      guard let page else { return false }
      return image.memory.range(ofUnit: page).contains {
        !image.memory.isKnown[$0] && (!secrets.contains($0) || isKeyOnly)
      }
    }
    guard var first = unread else { return places.count }
    while first > 0, let page = places[first - 1],
      !image.memory.range(ofUnit: page).contains(where: { image.memory.isKnown[$0] })
    { first -= 1 }
    return first
  }

  fileprivate mutating func vicinity(_ image: TagImage) {
    let details = image.vicinity ?? .init()
    if let dsfid = details.dsfid { line("DSFID", [dsfid]) }
    if let afi = details.afi { line("AFI", [afi]) }
    if let reference = details.icReference { line("IC Reference", [reference]) }
    let locks = details.lockedBlocks
    if details.isDSFIDLocked != nil || details.isAFILocked != nil || locks != nil {
      line("Lock DSFID", details.isDSFIDLocked ?? false)
      line("Lock AFI", details.isAFILocked ?? false)
    }
    if !image.memory.isEmpty {
      line("Block Count", image.memory.unitCount)
      line("Block Size", [UInt8(clamping: image.memory.unitSize)])
      line("Data Content", image.memory.bytes)
      if let locks {
        line(
          "Security Status",
          (0..<image.memory.unitCount).map { locks.indices.contains($0) && locks[$0] ? 1 : 0 })
      }
    }
    guard FlipperFile.isSLIX(image.uid) else { return }
    if let acceptsAll = details.acceptsAllPasswords {
      line(
        FlipperFile.Capabilities.key,
        acceptsAll
          ? FlipperFile.Capabilities.acceptsAllPasswords : FlipperFile.Capabilities.standard)
    }
    for (password, key) in FlipperFile.vicinityPasswords {
      if let value = details.passwords[password] { line(key, value) }
    }
    if let signature = image.signature { line("Signature", signature) }
    if let isPrivate = details.isPrivate { line("Privacy Mode", isPrivate) }
    if details.protectionPointer != nil || details.protectionCondition != nil {
      line("Protection Pointer", [details.protectionPointer ?? 0])
      line("Protection Condition", [details.protectionCondition ?? 0])
    }
    if let isLocked = details.isEASLocked { line("Lock EAS", isLocked) }
    if let isLocked = details.isProtectionLocked { line("Lock PPL", isLocked) }
  }

  /// Status flags precede each block: 00 00, or an error for a block that was not read.
  fileprivate mutating func feliCaLite(_ image: TagImage) {
    let success: [UInt8] = [0x00, 0x00]
    // Illegal block number (FeliCa Lite-S User's Manual, 4.5).
    let refused: [UInt8] = [0x01, 0xA8]
    line("Data format version", FlipperFile.feliCaLiteVersion)
    line("Manufacture id", image.uid ?? [])
    line("Manufacture parameter", image.feliCa?.pmm ?? [])
    let count = image.memory.unitCount
    let known = (0..<count).map { image.memory.known(image.memory.range(ofUnit: $0)) }
    line("Blocks total", count)
    line("Blocks read", known.count { $0 != nil })
    for (index, block) in known.enumerated() {
      line(
        "Block \(index)",
        block.map { success + $0 } ?? refused + Array(repeating: 0, count: image.memory.unitSize))
    }
  }

  fileprivate mutating func feliCa(_ image: TagImage) {
    func four(_ number: UInt16) -> String {
      Hexadecimal.text([UInt8(number >> 8), UInt8(number & 0xFF)])
    }
    func three(_ number: Int) -> String { String(four(UInt16(clamping: number)).suffix(3)) }
    line("Data format version", FlipperFile.feliCaVersion)
    line("Manufacture id", image.uid ?? [])
    line("Manufacture parameter", image.feliCa?.pmm ?? [])
    line("IC Type", "FeliCa Standard")
    emptyLine()
    let systems = image.feliCa?.systems ?? []
    // Older files have one system and do not name it.
    if systems.count != 1 || systems[0].code != nil { line("System found", systems.count) }
    for (index, system) in systems.enumerated() {
      emptyLine()
      if index > 0 || system.code != nil {
        node(
          "System " + Hexadecimal.text([UInt8(clamping: index)]),
          four(system.code ?? 0), system.keys[TagImage.FeliCa.System.systemNode])
        emptyLine()
      }
      line("Area found", system.areas.count)
      for (number, area) in system.areas.enumerated() {
        let members = FlipperFile.services(of: area, in: system)
        let end = area.end.map { "| End \(four($0)) " } ?? ""
        node(
          "Area " + three(number),
          "| Code \(four(area.code)) \(end)"
            + "| Services #\(three(area.firstService ?? members.first))"
            + "-#\(three(area.lastService ?? members.last)) |",
          system.keys[area.code])
      }
      emptyLine()
      line("Service found", system.services.count)
      for (number, service) in system.services.enumerated() {
        let attribute = UInt8(service & 0x3F)
        node(
          "Service " + three(number),
          "| Code \(four(service)) | Attrib. \(Hexadecimal.text([attribute])) | "
            + FlipperFile.attribute(attribute) + " |", system.keys[service])
      }
      emptyLine()
      line("Public blocks read", system.blocks.count)
      for (number, block) in system.blocks.enumerated() {
        line(
          "Block " + four(UInt16(clamping: number)),
          "| Service code \(four(block.service)) | Block index "
            + Hexadecimal.text([UInt8(clamping: block.number)]) + " | Data: "
            + Hexadecimal.text(block.data, separator: " ") + " |")
      }
    }
  }

  /// Writes the line of a system, an area or a service with the version of its key, and its key on a line of its own.
  private mutating func node(_ name: String, _ text: String, _ key: TagImage.FeliCa.Key?) {
    var text = text
    if let version = key?.version {
      let bytes = [UInt8(version >> 8), UInt8(version & 0xFF)]
      text += (text.hasSuffix("|") ? "" : " |") + " Key version \(Hexadecimal.text(bytes)) |"
    }
    line(name, text)
    if let value = key?.value { line(name + " Key", value) }
  }

  fileprivate mutating func st25tb(_ image: TagImage) {
    line("ST25TB Type", FlipperFile.st25tbType(image) ?? "")
    for block in 0..<image.memory.unitCount {
      line("Block \(block)", Array(image.memory.bytes[image.memory.range(ofUnit: block)]))
    }
    line("System OTP Block", image.systemBlock ?? [0xFF, 0xFF, 0xFF, 0xFF])
  }
}

extension FlipperFile {
  /// Returns the indexes of the first and last service whose codes are in an area; zeros if there is none.
  static func services(
    of area: TagImage.FeliCa.Area, in system: TagImage.FeliCa.System
  ) -> (first: Int, last: Int) {
    let isMember = { (code: UInt16) in code >= area.code && code <= area.end ?? 0xFFFF }
    return (
      system.services.firstIndex(where: isMember) ?? 0,
      system.services.lastIndex(where: isMember) ?? 0
    )
  }

  /// Returns the meaning of a service's attributes in the words of the file (FeliCa Card User's
  /// Manual, 3.4).
  static func attribute(_ value: UInt8) -> String {
    let isPublic = value & 0x01 == 1
    let kind =
      switch value >> 1 & 0x1F {
      case 0b00100: "Random | Read/Write"
      case 0b00101: "Random | Read Only "
      case 0b00110: "Cyclic | Read/Write"
      case 0b00111: "Cyclic | Read Only "
      case 0b01000: "Purse  | Direct    "
      case 0b01001: "Purse  | Cashback  "
      case 0b01010: "Purse  | Decrement "
      case 0b01011: "Purse  | Read Only "
      default: "       |           "
      }
    return (isPublic ? "Public  | " : "Private | ") + kind
  }
}
