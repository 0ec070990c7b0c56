import NFC

/// Decides which native tags a session reports, and in which form.
struct TagRecognition {
  private let request: SessionRequest
  private let core: SessionCore

  init(_ request: SessionRequest, _ core: SessionCore) {
    self.request = request
    self.core = core
  }

  /// Returns the object for a tag; `nil` if the session is not for it, or if it has left meanwhile.
  func object(for tag: DetectedTag) async throws -> TagObject? {
    switch request.purpose {
    case .messages: return message(tag)
    case .tags(let configuration):
      do {
        return try await typed(tag, configuration)
      } catch let error as NFCError where error.code != .readerLost {
        return nil
      }
    case .passes: return nil
    }
  }

  /// Returns a tag for reading and writing messages. No exchange: its content is read only when
  /// someone asks.
  private func message(_ tag: DetectedTag) -> TagObject? {
    switch tag {
    case .miFare(let tag): MiFareTagObject(tag, in: core)
    case .iso7816(let tag): ISO7816TagObject(tag, in: core)
    case .iso15693(let tag): ISO15693TagObject(tag, in: core)
    case .feliCa(let tag): FeliCaTagObject(tag, in: core)
    case .other: tag.ndef.map { TagObject($0, in: core) }
    }
  }

  private func typed(
    _ tag: DetectedTag, _ configuration: NFCTagReaderSession.Configuration
  ) async throws -> TagObject? {
    switch tag {
    case .iso7816, .miFare:
      let options = configuration.pollingOption
      if let card = tag.smartCard, let object = try await found(card, options) { return object }
      return options.contains(.iso14443)
        ? withoutApplication(tag, onlyCards: configuration.reportsOnlyCards) : nil
    case .iso15693(let tag): return ISO15693TagObject(tag, in: core)
    case .feliCa(let tag): return try await system(tag)
    case .other: return nil
    }
  }
}

extension TagRecognition {
  /// Returns an ISO 7816 card that has an application searched for, or PACE.
  private func found(
    _ card: any ISO7816Tag, _ options: NFCTagReaderSession.PollingOption
  ) async throws -> TagObject? {
    let applications = options.contains(.iso14443) ? request.searchedApplications : []
    guard options.contains(.pace) || !applications.isEmpty else { return nil }
    do {
      return try await found(card, applications, searchesForPACE: options.contains(.pace))
    } catch let error as NFCError where error.code == .tagResponseError {
      // Its answer is not one of ISO/IEC 7816-4. A MIFARE Plus refuses SELECT with a single byte.
      return nil
    }
  }

  private func found(
    _ card: any ISO7816Tag, _ applications: [ApplicationIdentifier], searchesForPACE: Bool
  ) async throws -> TagObject? {
    try await card.connect()
    // EF.CardAccess first: it is not read within an application.
    let supportsPACE =
      searchesForPACE ? try await card.cardAccess()?.offersPACE == true : false
    if !applications.isEmpty, let selected = try await card.selectFirst(of: applications) {
      return ISO7816TagObject(
        card, selected: selected, request, supportsPACE: supportsPACE, in: core)
    }
    return supportsPACE ? ISO7816TagObject(card, supportsPACE: true, in: core) : nil
  }

  /// Returns a MIFARE card as such, also if it is an ISO 7816 card; another card is not reported.
  private func withoutApplication(_ tag: DetectedTag, onlyCards: Bool) -> TagObject? {
    if case .miFare(let tag) = tag, !onlyCards { return MiFareTagObject(tag, in: core) }
    guard let card = tag.smartCard, !request.limits.requiresListedApplications else { return nil }
    return ISO7816TagObject(card, selected: nil, request, in: core)
  }

  /// Returns a FeliCa card: by the first system searched for that it has.
  private func system(_ tag: any FeliCaTag) async throws -> TagObject? {
    var codes = request.searchedSystems
    if let first = codes.first, tag.systemCode == first.bigEndianBytes {
      // The search has named it.
      let system = FeliCaSystem(code: first, idm: tag.idm, pmm: tag.pmm)
      return FeliCaTagObject(tag.inSystem(system), request, in: core)
    }
    try await tag.connect()
    if codes.count > 1, let own = await tag.systemCodes() { codes.removeAll { !own.contains($0) } }
    for code in codes {
      if let system = try await tag.system(code) {
        return FeliCaTagObject(tag.inSystem(system), request, in: core)
      }
    }
    return request.limits.requiresListedSystems ? nil : FeliCaTagObject(tag, request, in: core)
  }
}

extension DetectedTag {
  /// The card's ISO 7816 interface, if it has one.
  fileprivate var smartCard: (any ISO7816Tag)? {
    switch self {
    case .iso7816(let tag): tag
    case .miFare(let tag): tag.iso7816
    default: nil
    }
  }
}

extension ISO7816Tag {
  /// Selects the first application that exists; `nil` if none does.
  fileprivate func selectFirst(
    of applications: [ApplicationIdentifier]
  ) async throws -> ApplicationIdentifier? {
    do {
      return try await selectApplication(of: applications).aid
    } catch let error as NFCError where error.code == .wrongTag {
      return nil
    }
  }
}

extension FeliCaTag {
  /// Returns the systems of the card, in one exchange; `nil` if it does not say: FeliCa Lite lacks the command.
  fileprivate func systemCodes() async -> [UInt16]? {
    guard lite == nil, let codes = try? await requestSystemCode(), !codes.isEmpty else {
      return nil
    }
    return codes
  }

  /// Polls for a system of this card; `nil` if it does not have one with this code, or another card
  /// answers.
  func system(_ code: UInt16) async throws -> FeliCaSystem? {
    do {
      let answer = try await polling(systemCode: code)
      guard answer.isSystem(ofCard: idm) else { return nil }
      return FeliCaSystem(code: code, idm: answer.idm, pmm: answer.pmm)
    } catch let error as NFCError where error.code == .tagResponseError {
      return nil
    }
  }
}
