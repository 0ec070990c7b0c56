/// The memory of an Ultralight or NTAG chip as far as it could be read.
public struct UltralightDump: Hashable, Sendable {
  /// The chip.
  public var product: TagProduct { chip.product }
  let chip: Type2Chip
  /// All pages in order, four bytes each; password, acknowledge and pages that were not read are
  /// zeros.
  public let bytes: [UInt8]
  /// The first page that was not read, because a password or key protects it and the later ones;
  /// `nil` if all were read.
  public let firstProtectedPage: Int?

  /// Whether every readable page was read.
  public var isComplete: Bool { firstProtectedPage == nil }
}

extension UltralightDump {
  /// Returns a byte by its address; `nil` if its page was not read.
  func byte(_ address: Int, _ isRead: (Int) -> Bool) -> UInt8? {
    bytes.indices.contains(address) && isRead(address / Type2Memory.pageSize)
      ? bytes[address] : nil
  }

  static func unknown(_ chip: Type2Chip?) -> NFCError {
    NFCError(
      .unsupported, "how the pages of \(chip?.name ?? "this chip") are used is not known")
  }

  /// Finds the pages that can be read. A tag protects its pages from one on, so halves are tried until
  /// that one is found.
  static func read(_ chip: Type2Chip, _ link: TagLink) throws -> UltralightDump {
    guard let pages = chip.pages else { throw unknown(chip) }
    guard pages.isContiguous else { return try readRuns(chip, pages, link) }
    var reader = PageReader(hasFastRead: chip.hasFastRead)
    var bytes: [UInt8] = []
    var end = pages.readableEnd
    var isProtected = false
    while bytes.count / Type2Memory.pageSize < end {
      let page = bytes.count / Type2Memory.pageSize
      let count = min(isProtected ? (end - page + 1) / 2 : end - page, reader.largest(link))
      do {
        let answer = try reader.read(page, count: count, link)
        guard !chip.hasFastRead, let wrap = wrap(of: answer, to: bytes) else {
          bytes += answer
          continue
        }
        // Page 0 again: protection begins here, or a user has copied it.
        bytes += answer.prefix(wrap * Type2Memory.pageSize)
        end = try isReadable(page + wrap, link) ? end : page + wrap
      } catch let error as NFCError where error.code == .tagRefused {
        try link.selectAgain()
        isProtected = true
        end = chip.hasFastRead ? page + count - 1 : page
      }
    }
    let size = pages.readableEnd * Type2Memory.pageSize
    let readCount = bytes.count / Type2Memory.pageSize
    return UltralightDump(
      chip: chip,
      bytes: bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count)),
      firstProtectedPage: readCount == pages.readableEnd ? nil : readCount)
  }

  /// Reads sector by sector; the dump has zeros where there are no pages.
  private static func readRuns(
    _ chip: Type2Chip, _ pages: Type2PageMap, _ link: TagLink
  ) throws -> UltralightDump {
    let size = Type2Memory.pageSize
    var reader = PageReader(hasFastRead: chip.hasFastRead)
    var bytes = [UInt8](repeating: 0, count: pages.readableEnd * size)
    var sector = UltralightSector(pages)
    for run in pages.readableRuns {
      let first = try sector.address(ofPage: run.lowerBound, link)
      let content = try reader.read(first..<first + run.count, link) { link in
        try link.selectAgain()
        sector.tagWasSelected()
        _ = try sector.address(ofPage: run.lowerBound, link)
      }
      bytes.replaceSubrange(run.lowerBound * size..<run.upperBound * size, with: content)
    }
    try sector.leave(link)
    return UltralightDump(chip: chip, bytes: bytes, firstProtectedPage: nil)
  }

  /// Returns the first page of an answer to READ that looks like page 0.
  private static func wrap(of answer: [UInt8], to first: [UInt8]) -> Int? {
    guard first.count >= Type2Memory.pageSize else { return nil }
    return stride(from: 0, to: answer.count, by: Type2Memory.pageSize).first {
      $0 > 0
        && answer[$0...].prefix(Type2Memory.pageSize).elementsEqual(
          first.prefix(Type2Memory.pageSize))
    }.map { $0 / Type2Memory.pageSize }
  }

  private static func isReadable(_ page: Int, _ link: TagLink) throws -> Bool {
    guard let page = UInt8(exactly: page) else { return false }
    do {
      _ = try UltralightExchange.send(.read(page: page), link)
      return true
    } catch let error as NFCError where error.code == .tagRefused {
      try link.selectAgain()
      return false
    }
  }
}

extension UltralightCommands {
  /// Reads all pages: five exchanges for an NTAG216, and those of ``MiFareTag/product()``.
  ///
  /// On an NTAG I²C, reads all sectors with memory one after the other, but not the session
  /// registers; the tag is left in sector 0.
  ///
  /// - Parameter password: presented first, if given; see ``authenticate(password:)``.
  /// - Throws: ``NFCError/Code/unsupported`` for a chip whose pages are not known;
  ///   ``NFCError/Code/authenticationFailed``.
  public func dump(password: [UInt8]? = nil) async throws -> UltralightDump {
    let handle = handle
    return try await handle.perform { link in
      let identification = try handle.identification(link)
      guard let chip = identification.chip else {
        throw identification.readerError ?? UltralightDump.unknown(nil)
      }
      if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
      return try UltralightDump.read(chip, link)
    }
  }

  /// Plans what restoring a dump would write: reads the tag. Writes nothing.
  ///
  /// Performing the plan costs one exchange per page. A page that the tag refuses is among the omissions of the outcome.
  ///
  /// The order of the pages closes as late as possible: user memory first, then page 3, password, configuration, and
  /// locks last. A page with the length of a message is written twice, if others have a part of the message.
  ///
  /// - Parameters:
  ///   - image: the bytes of all pages.
  ///   - known: whether each byte of the dump is known; `nil` if all are. Unknown pages do not change.
  ///   - extras: what is written only if it is requested by name. What of it cannot be undone is among the effects.
  ///   - password: presented first, if given; see ``authenticate(password:)``.
  /// - Throws: ``NFCError/Code/malformedContent`` if the dump does not belong to a chip of this
  ///   size; ``NFCError/Code/unsupported`` for a chip whose pages are not known;
  ///   ``NFCError/Code/authenticationFailed``.
  public func restorePlan(
    _ image: [UInt8], known: [Bool]? = nil, extras: UltralightRestoreExtras = [],
    password: [UInt8]? = nil
  ) async throws -> ChangePlan {
    let plan = try UltralightRestorePlan(
      image: image, known: known, tag: try await dump(password: password), extras: extras)
    let handle = handle
    return ChangePlan(
      for: self, plan.steps, omissions: plan.omissions, effects: plan.effects,
      recovery: "make the plan again: it has the pages that are missing"
    ) {
      try await handle.performCommand { link in
        defer { if plan.writesSecret { handle.knowledge.withLock { $0.authentication = nil } } }
        return try plan.run(password: password, link)
      }
    }
  }
}
