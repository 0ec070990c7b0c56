import NFC
import NDEF
import SecureTags

/// What holds the link: the NDEF file of an NTAG 424 DNA, or a file of a DESFire EV3.
struct SigningTarget: Sendable {
  private let application: DESFireApplication
  private let file: Int
  /// The tag whose message is the link; `nil` for a file of a DESFire EV3, which may have no name.
  private let ndef: (any NDEFTag)?

  /// - Parameter place: the file of a DESFire EV3; `nil` for an NTAG 424 DNA.
  init(_ tag: DetectedTag, _ place: (DESFireApplicationIdentifier, Int)?) async throws {
    if let (application, file) = place {
      self.application = try await DESFireCard(tag).application(application)
      self.file = file
      ndef = nil
    } else {
      application = try await Self.chip(tag).application(.fixed)
      file = NTAG424Link.ndefFile
      ndef = tag.ndef
    }
  }

  private static func chip(_ tag: DetectedTag) async throws -> DESFireCard {
    let wrongTag = NFCError(.wrongTag, "the tag is not an NTAG 424 DNA")
    do {
      let card = try await DESFireCard(tag)
      guard card.isNTAG424 else { throw wrongTag }
      return card
    } catch NFCError.Code.wrongTag {
      throw wrongTag
    }
  }

  func plan(_ setup: NTAG424Setup) async throws -> ChangePlan {
    try await endingSession { try await application.plan(setup, file: file) }
  }

  func setUp(_ setup: NTAG424Setup) async throws -> NTAG424SetupResult {
    try await endingSession { try await application.setUp(setup, file: file) }
  }

  /// Reads the message without a key, as a phone does.
  func message() async throws -> NDEFMessage? {
    if let ndef { return try await ndef.readNDEF() }
    let content = try await application.readData(file: file)
    let length = content.prefix(Self.lengthSize).reduce(0) { $0 << 8 | Int($1) }
    return try NDEFMessage(decoding: Array(content.dropFirst(Self.lengthSize).prefix(length)))
  }

  private static let lengthSize = 2

  /// Runs `body` and ends the session, whether it succeeds or not. A tag that has left has no session to end.
  private func endingSession<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      try? await application.card.endSession()
      return result
    } catch {
      try? await application.card.endSession()
      throw error
    }
  }
}
