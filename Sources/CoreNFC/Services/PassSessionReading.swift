import Foundation
import NFC
import NFCPasses
import Synchronization

/// A copy of a ``NFCVASCommandConfiguration``, which does not change while the session runs.
struct PassConfiguration: Hashable, Sendable {
  let mode: NFCVASCommandConfiguration.Mode
  let passType: String
  let url: String?

  init(_ configuration: NFCVASCommandConfiguration) {
    mode = configuration.mode
    passType = configuration.passTypeIdentifier
    url = configuration.url?.absoluteString
  }

  private static let longestURL = 64

  /// Returns what is wrong with the requests of a session; `nil` if they are right.
  static func problem(in configurations: [PassConfiguration]) -> String? {
    if configurations.isEmpty { return "the session asks for no pass" }
    let isTooLong = configurations.contains { $0.url.map { $0.utf8.count > longestURL } ?? false }
    return isTooLong ? "a URL has at most \(longestURL) characters" : nil
  }
}

/// Reads passes for a session: finds phones, and asks them.
final class PassSessionReading: Sendable {
  /// The answer to one request.
  struct Answer: Sendable {
    let status: NFCVASResponse.ErrorCode
    var cryptogram: [UInt8] = []
    var token: [UInt8] = []
  }

  private let configurations: [PassConfiguration]
  private let readers: Readers
  private let cards = Mutex<Set<[UInt8]>>([])

  init(_ configurations: [PassConfiguration], _ readers: Readers) {
    self.configurations = configurations
    self.readers = readers
  }

  /// The identifiers of cards that are not phones.
  var otherCards: Set<[UInt8]> { cards.withLock { $0 } }

  /// Sets the frame at each reader that can send it.
  func prepare() throws {
    for reader in readers.all where reader.capabilities.pollingFrames.contains(.iso14443a) {
      try reader.setPollingFrames([.passesOnly])
    }
  }

  /// Waits for a phone.
  func phone(except others: Set<[UInt8]>) async throws -> Readers.FoundTag {
    try await readers.firstTag(.phones(of: [.iso14443a], except: others), within: nil)
  }

  /// Asks a phone for the passes.
  ///
  /// - Returns: `nil` for a card that is not a phone, and for a phone that has left.
  func answers(of found: Readers.FoundTag) async throws -> [Answer]? {
    do {
      let configurations = configurations
      let answers = try await found.tag.exclusively { link in
        try PassAnswers.read(configurations, over: link)
      }
      if answers == nil { _ = cards.withLock { $0.insert(found.tag.identifier) } }
      return answers
    } catch let error as NFCError where error.code != .readerLost {
      return nil
    }
  }

  /// Waits until a phone has left, with the carrier off for a moment first, so that the phone ends.
  func waitUntilGone(_ found: Readers.FoundTag) async throws {
    let reader = found.reader
    try await reader.switchOff()
    try await Pause.sleep(PassReading.silence)
    let frames = reader.pollingFrames
    try reader.setPollingFrames([])
    defer { try? reader.setPollingFrames(frames) }
    while try await reader.search(
      for: [.iso14443a], requestsVersion: false, where: { $0.identifier == found.tag.identifier }
    ).tag != nil {
      try await Pause.sleep(SessionTags.pause)
    }
  }
}

/// The requests of a session to one phone.
enum PassAnswers {
  /// - Returns: `nil` for a card that is not a phone.
  static func read(
    _ configurations: [PassConfiguration], over link: TagLink
  ) throws -> [PassSessionReading.Answer]? {
    guard try VASRequest.select(over: link) else { return nil }
    var answers: [PassSessionReading.Answer] = []
    for (index, configuration) in configurations.enumerated() {
      let (word, response) = try VASRequest(
        isURLOnly: configuration.mode == .urlOnly, passType: configuration.passType,
        url: configuration.url, isFollowed: index + 1 < configurations.count
      ).send(over: link)
      // Core NFC has no case for other words.
      var answer = PassSessionReading.Answer(
        status: NFCVASResponse.ErrorCode(rawValue: Int(word)) ?? .dataNotFound)
      if let response {
        answer.cryptogram = response.cryptogram
        answer.token = response.token
      }
      answers.append(answer)
    }
    return answers
  }
}
