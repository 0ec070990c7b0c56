import NFC
import NDEF
import SecureTags

/// What holds the link: an NTAG 424 DNA, or a file of a DESFire EV3.
enum SigningTarget: Sendable {
  case chip(NTAG424Tag, DetectedTag)
  case file(DESFireApplication, Int)

  /// - Parameter place: the file of a DESFire EV3; `nil` for an NTAG 424 DNA.
  init(_ tag: DetectedTag, _ place: (DESFireApplicationIdentifier, Int)?) async throws {
    if let (application, file) = place {
      self = .file(try await DESFireCard(tag).application(application), file)
    } else {
      self = .chip(try await NTAG424Tag(tag), tag)
    }
  }

  func plan(_ setup: NTAG424Setup) async throws -> ChangePlan {
    try await endingSession {
      switch self {
      case .chip(let chip, _): try await chip.plan(setup)
      case .file(let application, let file): try await application.plan(setup, file: file)
      }
    }
  }

  func setUp(_ setup: NTAG424Setup) async throws -> NTAG424SetupResult {
    try await endingSession {
      switch self {
      case .chip(let chip, _): try await chip.setUp(setup)
      case .file(let application, let file): try await application.setUp(setup, file: file)
      }
    }
  }

  /// Reads the message without a key, as a phone does.
  func message() async throws -> NDEFMessage? {
    switch self {
    case .chip(_, let tag): return try await tag.ndef?.readNDEF()
    case .file(let application, let file):
      let content = try await application.readData(file: file)
      let length = content.prefix(Self.lengthSize).reduce(0) { $0 << 8 | Int($1) }
      return try NDEFMessage(decoding: Array(content.dropFirst(Self.lengthSize).prefix(length)))
    }
  }

  private static let lengthSize = 2

  /// Runs `body` and ends the session, whether it succeeds or not. A tag that has left has no session to end.
  private func endingSession<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      try? await endSession()
      return result
    } catch {
      try? await endSession()
      throw error
    }
  }

  private func endSession() async throws {
    switch self {
    case .chip(let chip, _): try await chip.endSession()
    case .file(let application, _): try await application.card.endSession()
    }
  }
}
