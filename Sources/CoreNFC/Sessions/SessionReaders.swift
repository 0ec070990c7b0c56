import Foundation
import NFC

/// The open readers of a session, and what each of them is polled for.
struct SessionReaders: Sendable {
  /// Between two rounds in which nothing has happened.
  static let pause = Duration.milliseconds(100)
  /// A frame between host and reader can break; a reader that fails this often in a row is gone.
  private static let toleratedFailures = 2

  private struct Entry: Sendable {
    let reader: Reader
    let options: PollingOptions
  }

  private let entries: [Entry]
  private let request: SessionRequest
  /// What the person should know.
  let notices: [String]

  /// Opens the readers.
  ///
  /// - Throws: `readerErrorUnsupportedFeature` if none of them can do any of what is asked for.
  init(_ source: NFCReaderSource, _ request: SessionRequest) async throws {
    // What a reader has is left out for those after it: no card is asked twice, and a PC/SC reader that is
    // there for ISO 15693 leaves smart cards to other programs.
    var missing = request.polling
    let entries = try await source.open(request.polling).map { reader in
      let options = reader.options(among: missing)
      missing.subtract(options)
      return Entry(reader: reader, options: options)
    }
    self.entries = entries
    self.request = request
    notices = Self.notices(entries, request)
    if entries.allSatisfy(\.options.isEmpty) {
      await close()
      throw NFCReaderError(
        .readerErrorUnsupportedFeature,
        userInfo: [NSLocalizedFailureReasonErrorKey: notices.joined(separator: "; ")])
    }
  }

  private static func notices(_ entries: [Entry], _ request: SessionRequest) -> [String] {
    var missing = request.polling == .all ? [] : request.polling
    for entry in entries { missing.subtract(entry.options) }
    var notices: [String] = []
    if missing.contains(.iso15693) {
      notices.append("this reader has no ISO 15693; it takes a PC/SC reader that has it")
    }
    if missing.contains(.iso18092) { notices.append("this reader has no FeliCa") }
    if missing.contains(.iso14443) { notices.append("this reader has no ISO 14443") }
    if request.lacksApplications {
      notices.append(
        "ISO 7816 cards are left out: Info.plist lists no applications "
          + "(\(NFCInformation.Key.applicationIdentifiers))")
    }
    return notices
  }

  func close() async {
    for entry in entries { await entry.reader.close() }
  }

  /// Waits for tags of the kinds that the session is for.
  func nextTags(_ core: SessionCore) async throws -> [TagObject] {
    while true {
      let tags = try await tags(core)
      if !tags.isEmpty { return tags }
      try await Pause.sleep(Self.pause)
    }
  }

  /// The tags that are in the field now.
  func tags(_ core: SessionCore) async throws -> [TagObject] {
    var tags: [TagObject] = []
    for entry in entries where !entry.options.isEmpty {
      for tag in try await round(entry) {
        if let tag = try await TagRecognition(request, core).object(for: tag) { tags.append(tag) }
      }
    }
    return tags
  }

  private func round(_ entry: Entry) async throws -> [DetectedTag] {
    var failures = 0
    while true {
      do {
        return try await entry.reader.tagsInField(polling: entry.options)
      } catch let error as NFCError where error.isOfCardInUse {
        // Another program has the card: it is none of this session's until that lets it go.
        return []
      } catch let error as NFCError where error.code == .readerUnavailable {
        failures += 1
        guard failures <= Self.toleratedFailures else {
          throw NFCError(.readerLost, error.reason, cause: error.cause)
        }
      }
    }
  }
}

extension Reader {
  /// What of some options this reader can be polled for.
  fileprivate nonisolated func options(among wanted: PollingOptions) -> PollingOptions {
    var options: PollingOptions = []
    for option: PollingOptions in [.iso14443, .iso15693, .iso18092] where wanted.contains(option) {
      if capabilities.technologies.isSuperset(of: option.technologies) { options.insert(option) }
    }
    // What stands behind `.other` are many; a reader need not have them all.
    if wanted.contains(.other) { options.insert(.other) }
    return options
  }
}
