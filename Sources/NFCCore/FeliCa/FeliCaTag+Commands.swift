/// The commands that need no key: FeliCa Card User's Manual, excerpted edition, 4.4. Each is one
/// exchange.
///
/// They throw as ``FeliCaTag/sendFeliCaCommand(_:)``, and `invalidParameter` before anything is sent.
/// Where an answer has status flags, a refusal is `tagRefused` or `notAuthenticated` with the flags.
extension FeliCaTag {
  private func send<Command: FeliCaCommand>(_ command: Command) async throws -> Command.Answer {
    if let native = self as? NativeFeliCaTag {
      return try await native.handle.performCommand { try FeliCaExchange.send(command, $0) }
    }
    try command.validate()
    return try command.answer(try await sendFeliCaCommand(command.encoded))
  }

  /// Reads blocks of services that require no key, at most 15 (FeliCa Lite and Lite-S: 4).
  ///
  /// - Parameters:
  ///   - serviceCodes: 1 to 16 codes; FeliCa Lite and Lite-S accept one.
  ///   - blocks: the blocks; each refers to its service by its index in `serviceCodes`.
  /// - Returns: 16 bytes per block, in the order of the list.
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is sent;
  ///   ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status flags;
  ///   otherwise the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func readWithoutEncryption(
    serviceCodes: [UInt16], blocks: [FeliCaBlock]
  ) async throws -> [[UInt8]] {
    try await send(
      FeliCaReadWithoutEncryption(
        idm: idm, list: FeliCaBlockList(serviceCodes: serviceCodes, blocks: blocks)))
  }

  /// Writes blocks of services that require no key, at most 13 (FeliCa Lite and Lite-S: 1).
  ///
  /// - Parameter data: 16 bytes for each block.
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is sent;
  ///   ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status flags;
  ///   otherwise the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func writeWithoutEncryption(
    serviceCodes: [UInt16], blocks: [FeliCaBlock], data: [[UInt8]]
  ) async throws {
    try await send(
      FeliCaWriteWithoutEncryption(
        idm: idm, list: FeliCaBlockList(serviceCodes: serviceCodes, blocks: blocks), data: data))
  }

  /// Polls for a card in the field that has a system.
  ///
  /// A card that does not have it does not answer, which is reported as `tagResponseError`.
  ///
  /// - Parameter systemCode: the system code; FF in either byte matches any value.
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer; otherwise the
  ///   errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func polling(
    systemCode: UInt16, requestCode: FeliCaRequestCode = .noRequest,
    timeSlots: FeliCaTimeSlots = .one
  ) async throws -> FeliCaPollingAnswer {
    try await send(
      FeliCaPolling(systemCode: systemCode, requestCode: requestCode, timeSlots: timeSlots))
  }

  /// Requests the key versions of areas and services.
  ///
  /// - Parameter nodeCodes: 1 to 32 codes.
  /// - Returns: the key version of each; `nil` for one that does not exist.
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is sent for another number of
  ///   codes; otherwise the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func requestService(nodeCodes: [UInt16]) async throws -> [UInt16?] {
    try await send(FeliCaRequestService(idm: idm, nodeCodes: nodeCodes))
  }

  /// Requests the card's mode, 0 to 3. FeliCa Lite, Lite-S and plain type 3 tags do not answer.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer; otherwise the
  ///   errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func requestResponse() async throws -> UInt8 {
    try await send(FeliCaRequestResponse(idm: idm))
  }

  /// Requests the codes of the card's systems. FeliCa Lite, Lite-S and plain type 3 tags do not
  /// answer.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer; otherwise the
  ///   errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func requestSystemCode() async throws -> [UInt16] {
    try await send(FeliCaRequestSystemCode(idm: idm))
  }

  /// Requests the key versions of areas and services for each cipher. Cards of 2011 and later.
  ///
  /// - Parameter nodeCodes: 1 to 32 codes.
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is sent;
  ///   ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status flags;
  ///   otherwise the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func requestServiceV2(nodeCodes: [UInt16]) async throws -> FeliCaServiceKeys {
    try await send(FeliCaRequestServiceV2(idm: idm, nodeCodes: nodeCodes))
  }

  /// Requests the version of the card's operating system. Cards of 2011 and later.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status
  ///   flags; otherwise the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func requestSpecificationVersion() async throws -> FeliCaSpecificationVersion {
    try await send(FeliCaRequestSpecificationVersion(idm: idm))
  }

  /// Returns the card to mode 0. Cards of 2011 and later.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status
  ///   flags; otherwise the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func resetMode() async throws {
    try await send(FeliCaResetMode(idm: idm))
  }

  /// Requests one of the system's areas and services.
  ///
  /// - Parameter index: the index, from 0.
  /// - Returns: the area or service; `nil` after the last one.
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer; otherwise the
  ///   errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  public func searchServiceCode(index: UInt16) async throws -> FeliCaNode? {
    try await send(FeliCaSearchServiceCode(idm: idm, index: index))
  }

  /// Returns all systems of the card: one exchange, and one more for each system.
  ///
  /// FeliCa Lite and Lite-S do not list their systems; for them, this is the one that they were
  /// found with.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer, or one from
  ///   another card.
  public func systems() async throws -> [FeliCaSystem] {
    if FeliCaLiteGeneration(pmm: pmm) != nil {
      let code =
        systemCode.count == 2
        ? UInt16(systemCode[0]) << 8 | UInt16(systemCode[1]) : FeliCaLiteLayout.systemCode
      return [FeliCaSystem(code: code, idm: idm, pmm: pmm)]
    }
    var systems: [FeliCaSystem] = []
    for code in try await requestSystemCode() {
      let answer = try await polling(systemCode: code)
      guard answer.isSystem(ofCard: idm) else {
        throw NFCError(.tagResponseError, "another card has answered")
      }
      systems.append(FeliCaSystem(code: code, idm: answer.idm, pmm: answer.pmm))
    }
    return systems
  }

  /// Reads blocks in the system that the card was found with; see
  /// ``readBlocks(service:blocks:system:)``.
  ///
  /// - Throws: the errors of ``readBlocks(service:blocks:system:)``:
  ///   ``NFCError/Code/invalidParameter``, ``NFCError/Code/tagRefused``.
  public func readBlocks(service: UInt16, blocks: Range<Int>) async throws -> [[UInt8]] {
    try await readBlocks(service: service, blocks: blocks, system: nil)
  }

  /// Reads blocks by their numbers, in any order, in as few exchanges as frame, reader and card allow; see
  /// ``readBlocks(service:blocks:system:)``.
  package func readBlocks(service: UInt16, numbers: [Int]) async throws -> [[UInt8]] {
    guard let native = self as? NativeFeliCaTag else {
      var blocks: [[UInt8]] = []
      for number in numbers {
        blocks += try await readBlocks(service: service, blocks: number..<number + 1)
      }
      return blocks
    }
    return try await native.readBlocks(service: service, numbers: numbers)
  }

  /// Reads all blocks of a service from block 0 on, until the card refuses one, but no more than 1024, or than 4096 of a
  /// type 3 tag that reports so many.
  ///
  /// - Returns: the blocks, and whether the card has ended them.
  /// - Throws: ``NFCError/Code/notAuthenticated``, and the errors of ``FeliCaTag/sendFeliCaCommand(_:timeout:)``.
  package func readAllBlocks(
    service: UInt16
  ) async throws -> (blocks: [[UInt8]], isComplete: Bool) {
    guard let native = self as? NativeFeliCaTag else {
      throw NFCError(.unsupported, "the card's blocks cannot be read")
    }
    return try await native.readAllBlocks(service: service)
  }

  /// Writes blocks in the system that the card was found with; see
  /// ``writeBlocks(service:at:_:system:)``.
  ///
  /// - Throws: the errors of ``writeBlocks(service:at:_:system:)``:
  ///   ``NFCError/Code/invalidParameter``, ``NFCError/Code/tagRefused``.
  public func writeBlocks(service: UInt16, at first: Int, _ data: [UInt8]) async throws {
    try await writeBlocks(service: service, at: first, data, system: nil)
  }
}
