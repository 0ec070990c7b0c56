/// Making NDEF tags of blank cards, and read-only ones of those.
extension Type4Mapping {
  /// DESFire EV1 and later: an application with the NFC Forum's name that contains the capability
  /// container and an NDEF file, in the layout of NXP AN11004. Both files are open to everyone, so
  /// that the card can be locked later without a key; the application's own key stays the key of
  /// zeros. This requires that the card's settings allow applications to be created without its
  /// master key, as on delivery. Other applications are kept, so there is nothing to wipe.
  ///
  /// There is no standard way to create an NDEF application on other cards.
  mutating func format(wipe: Bool, _ link: TagLink) throws {
    do {
      if let file = try file(link) {
        try file.checkReadable()
        guard file.isWritable else { throw NFCError(.readOnly, "the tag is read-only") }
        return try write([], link)
      }
    } catch let error as NFCError
      where error.code == .malformedContent
    {
      // Made in part, and then torn away: the rest is made now.
    }
    guard hasNativeFormat else {
      // Broken content is repaired as by a write.
      switch try statusForWriting(link).access {
      case .readWrite: return try write([], link)
      case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
      case .notSupported: break
      }
      throw NFCError(
        .unsupported, "there is no standard way to create an NDEF application on this card")
    }
    layout = .unknown
    try DESFireFormat(link: link).run()
    discardCachedContent()
  }

  private var hasNativeFormat: Bool {
    CardChip(product)?.features.contains(.createsNDEF) ?? false
  }

  // MARK: Locking

  /// Sets the write access condition in the capability container to FF, where the card lets it be
  /// written: **it cannot be undone.** (Type 4 Tag Operation Specification 2.0, 6.3.)
  ///
  /// On DESFire, the right to write the NDEF file is removed first, and that to write the container
  /// last. An interrupted run is completed. Cards that require a key for this are `unsupported`,
  /// before anything is written.
  mutating func lock(_ link: TagLink) throws {
    // The container is read again: it shows what is still open.
    layout = .unknown
    guard var file = try file(link) else {
      throw NFCError.notFormatted
    }
    try file.checkReadable()
    let desfire = hasNativeFormat ? DESFireFormat(link: link) : nil
    let open = try desfire?.openFiles(isContainerOpen: file.isWritable)
    guard file.isWritable || open?.isEmpty == false else { return }
    layout = .unknown
    try link.uninterrupted {
      let old = desfire == nil ? contentByte(file, link) : nil
      if let settings = open?[.ndefFile] { try desfire?.lock(.ndefFile, settings) }
      if file.isWritable { try lockContainer(file, link) }
      if let settings = open?[.container] { try desfire?.lock(.container, settings) }
      guard let locked = try self.file(link), !locked.isWritable,
        try desfire?.openFiles(isContainerOpen: false).isEmpty ?? true
      else {
        try restore(old, file, link)
        throw NFCError(.tagRefused, "the card accepted the lock but is not locked")
      }
      file = locked
    }
    // GetFileSettings and the container have left another file selected on some cards.
    try selectFile(file, link)
  }

  /// Returns the byte of the NDEF file, which is selected, at the place where the capability container has its write
  /// access condition.
  ///
  /// libnfc's `nfc-emulate-forum-tag4` and Arduino's `emulatetag` write to the NDEF file whichever file is selected.
  private func contentByte(_ file: Type4File, _ link: TagLink) -> UInt8? {
    guard file.isReadable, file.writeAccessOffset < file.size else { return nil }
    var limit = 1
    return try? ISO7816Procedure(link).readBinary(
      file: file.identifier, offset: file.writeAccessOffset, count: 1, limit: &limit
    ).first
  }

  /// Gives the NDEF file, which is selected, its byte back, if the lock has overwritten it.
  private func restore(_ old: UInt8?, _ file: Type4File, _ link: TagLink) throws {
    guard let old, contentByte(file, link) == Type4FileControl.noAccess,
      old != Type4FileControl.noAccess
    else { return }
    var limit = 1
    try ISO7816Procedure(link).updateBinary(
      file: file.identifier, offset: file.writeAccessOffset, data: [old], limit: &limit)
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    layout = .unknown
    guard let file = try file(link) else {
      throw NFCError.notFormatted
    }
    try file.checkReadable()
    let desfire = hasNativeFormat ? DESFireFormat(link: link) : nil
    let open = try desfire?.openFiles(isContainerOpen: file.isWritable) ?? [:]
    layout = .unknown
    var steps: [LockStep] = []
    if open[.ndefFile] != nil { steps.append(DESFireFormat.lockStep(.ndefFile)) }
    if file.isWritable { steps.append(file.lockStep) }
    if open[.container] != nil { steps.append(DESFireFormat.lockStep(.container)) }
    return steps
  }

  private func lockContainer(_ file: Type4File, _ link: TagLink) throws {
    let container = Type4CapabilityContainer.fileIdentifier
    try select(container, isVersion1: file.isVersion1, link)
    var limit = 1
    do {
      try ISO7816Procedure(link).updateBinary(
        file: container, offset: file.writeAccessOffset, data: [Type4FileControl.noAccess],
        limit: &limit)
    } catch let error as NFCError
      where error.group == .refusal
    {
      throw NFCError(
        .unsupported,
        "the card does not allow its capability container to be changed without a key",
        cause: error.cause, place: .file(container))
    }
  }
}
