import Foundation
import NFC

/// The tags in the fields of a session's readers, in the form for the program.
struct SessionTags: Sendable {
  /// The pause between two rounds without events.
  static let pause = Duration.milliseconds(100)

  /// A tag that the session reports.
  struct Found: Sendable {
    let tag: TagObject
    /// It was not there in the rounds before.
    let isNew: Bool
  }

  private let recognition: TagRecognition
  private var rounds: FieldRounds

  /// - Parameter onLoss: called when a reader is lost while others are left.
  /// - Throws: `readerErrorUnsupportedFeature` if the readers support nothing of what is requested.
  init(
    _ readers: Readers, _ request: SessionRequest, _ core: SessionCore,
    onLoss: @escaping @Sendable (Reader, NFCError) -> Void
  ) throws {
    recognition = TagRecognition(request, core)
    rounds = try Self.rounds(readers, request, onLoss)
  }

  private static func rounds(
    _ readers: Readers, _ request: SessionRequest,
    _ onLoss: @escaping @Sendable (Reader, NFCError) -> Void
  ) throws -> FieldRounds {
    do {
      return try FieldRounds(
        readers, polling: request.polling.technologies, onLoss: onLoss)
    } catch {
      let notices = notices(readers, request)
      throw NFCReaderError(
        .readerErrorUnsupportedFeature,
        userInfo: [
          NSLocalizedFailureReasonErrorKey: notices.joined(separator: "; "),
          NSUnderlyingErrorKey: error,
        ])
    }
  }

  /// Returns notices for the person about tags that will not be found.
  static func notices(_ readers: Readers, _ request: SessionRequest) -> [String] {
    let missing: [TagTechnology] =
      if case .messages = request.purpose { [] } else {
        readers.missing(of: request.polling.technologies)
      }
    var notices: [String] = []
    if missing.contains(.iso15693) {
      notices.append("this reader has no ISO 15693; use a PC/SC reader that has it")
    }
    if missing.contains(.feliCa) { notices.append("this reader has no FeliCa") }
    switch (missing.contains(.iso14443a), missing.contains(.iso14443b)) {
    case (true, true): notices.append("this reader has no ISO 14443")
    case (true, false): notices.append("this reader has no ISO 14443 type A")
    case (false, true): notices.append("this reader has no ISO 14443 type B")
    case (false, false): break
    }
    if let first = request.invalidApplications.first {
      let count = request.invalidApplications.count
      let complaint =
        count == 1
        ? "\"\(first)\", which is not an AID in hexadecimal"
        : "\(count) entries that are not AIDs in hexadecimal, such as \"\(first)\""
      notices.append("Info.plist has \(complaint) (\(NFCInformation.Key.applicationIdentifiers))")
    }
    if request.lacksApplications {
      notices.append(
        "ISO 7816 cards are left out: Info.plist lists no applications "
          + "(\(NFCInformation.Key.applicationIdentifiers))")
    }
    return notices
  }

  /// Waits for tags of the kinds that the session is for.
  ///
  /// - Returns: `nil` if the session is to search for something else.
  mutating func next(
    unless isReplaced: @escaping @Sendable () -> Bool
  ) async throws -> [Found]? {
    while let found = try await rounds.wait(until: isReplaced, Pause.sleep) {
      let tags = try await objects(for: found)
      if !tags.isEmpty { return tags }
      // What is there is not what the session is for.
      try await Pause.sleep(Self.pause)
    }
    return nil
  }

  /// Returns the tags that are in the fields now.
  mutating func inField() async throws -> [Found] {
    try await objects(for: rounds.next())
  }

  private func objects(for found: [FieldRounds.Found]) async throws -> [Found] {
    var tags: [Found] = []
    for found in found {
      if let tag = try await recognition.object(for: found.tag) {
        tags.append(Found(tag: tag, isNew: found.isNew))
      }
    }
    return tags
  }

  /// Forgets a tag, so that the next round reports it as new.
  mutating func forget(_ tag: TagObject) { rounds.forget(tag.native) }
}
