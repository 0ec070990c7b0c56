import NFC

/// Which of the native tags a session gives out, and as what.
struct TagRecognition {
  private let request: SessionRequest
  private let core: SessionCore

  init(_ request: SessionRequest, _ core: SessionCore) {
    self.request = request
    self.core = core
  }

  /// `nil` for a tag that the session is not for, or that has gone meanwhile.
  func object(for tag: DetectedTag) async throws -> TagObject? {
    switch request.purpose {
    case .messages: return message(tag)
    case .tags(let options):
      do {
        return try await typed(tag, paceOnly: options.contains(.pace))
      } catch let error as NFCError where error.code != .readerLost {
        return nil
      }
    case .unsupported: return nil
    }
  }

  /// Returns a tag for reading and writing messages. No exchange: what there is on it is found out
  /// when asked for.
  private func message(_ tag: DetectedTag) -> TagObject? {
    switch tag {
    case .miFare(let tag): MiFareTagObject(tag, in: core)
    case .iso7816(let tag): ISO7816TagObject(tag, in: core)
    case .iso15693(let tag): ISO15693TagObject(tag, in: core)
    case .feliCa(let tag): FeliCaTagObject(tag, in: core)
    case .other: tag.ndef.map { TagObject($0, in: core) }
    }
  }

  private func typed(_ tag: DetectedTag, paceOnly: Bool) async throws -> TagObject? {
    switch tag {
    case .iso7816, .miFare:
      guard let card = tag.smartCard else {
        guard !paceOnly, case .miFare(let tag) = tag else { return nil }
        return MiFareTagObject(tag, in: core)
      }
      return try await smartCard(card, tag, paceOnly: paceOnly)
    case .iso15693(let tag): return ISO15693TagObject(tag, in: core)
    case .feliCa(let tag): return try await system(tag)
    case .other: return nil
    }
  }
}

extension TagRecognition {
  /// Returns a card of ISO 7816: by the first listed application that answers. One that is a MIFARE
  /// card too is given out as that if none does; another is not given out.
  private func smartCard(
    _ card: any ISO7816Tag, _ tag: DetectedTag, paceOnly: Bool
  ) async throws -> TagObject? {
    if paceOnly {
      try await card.connect()
      return try await card.cardAccess()?.offersPACE == true
        ? ISO7816TagObject(card, in: core) : nil
    }
    if !request.applications.isEmpty {
      try await card.connect()
      if let selected = try await card.selectFirst(of: request.applications) {
        return ISO7816TagObject(card, selected: selected, request, in: core)
      }
    }
    if case .miFare(let tag) = tag { return MiFareTagObject(tag, in: core) }
    return request.limits.requiresListedApplications
      ? nil : ISO7816TagObject(card, selected: nil, request, in: core)
  }

  /// Returns a FeliCa card: by the first listed system that it has.
  private func system(_ tag: any FeliCaTag) async throws -> TagObject? {
    try await tag.connect()
    for code in request.systems {
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
  /// `nil` if none of the applications is there.
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
  /// Asks for a system of this card; `nil` if it has none of that code, or another card answers.
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
