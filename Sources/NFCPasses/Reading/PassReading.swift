import SwiftNFCCore
import PassMessage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads passes of one phone after another, and remembers what was accepted.
package struct PassReading: Sendable {
  package let request: PassRequest
  private var memory: PassMemory
  /// The identifiers of cards that are no phones, and lie in the field.
  private var otherCards: Set<[UInt8]> = []
  private static let mostOtherCards = 64
  private let now: @Sendable () -> Double

  /// - Parameter now: the time in seconds since 1970-01-01, 00:00 UTC.
  package init(_ request: PassRequest, now: @escaping @Sendable () -> Double = Self.systemTime) {
    self.request = request
    self.now = now
    memory = PassMemory(maximumAge: request.maximumAge)
  }

  /// The time of this machine.
  package static let systemTime: @Sendable () -> Double = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The phones to wait for. Type B only where it is of use: each technology makes a round longer.
  package var criteria: TagCriteria {
    .phones(
      of: request.collector == nil ? [.iso14443a] : [.iso14443a, .iso14443b], except: otherCards)
  }

  /// The frames that make phones answer.
  package var frames: [PollingFrame] { request.broadcasts ? [.passesOnly] : [] }

  /// Returns the frames for a reader: a phone with Google Wallet answers without, too.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if a pass of Apple Wallet is asked for, and the reader cannot send the frame.
  package func frames(for reader: Reader) throws(NFCError) -> [PollingFrame] {
    guard !frames.isEmpty else { return [] }
    if reader.capabilities.pollingFrames.contains(.iso14443a) { return frames }
    guard request.applePasses.isEmpty else {
      throw NFCError(
        .unsupported,
        "\(reader.name) cannot send the frame that makes phones answer; a PN532 can, and a pass that its owner has chosen needs none",
        cause: .unsupportedByReader)
    }
    return []
  }

  /// The pause after a tap without a result: a phone whose owner has to do something is not asked all the time.
  package static let pause = Duration.milliseconds(150)
  /// The time for which the carrier is off after a pass, so that the phone ends. A shorter one counts as the same field,
  /// to 750 ms (kormax/apple-enhanced-contactless-polling).
  package static let silence = Duration.milliseconds(800)

  /// Asks a connected phone for the passes.
  ///
  /// - Returns: what has become of it; nothing for a card that is not a phone, which is passed over from now on.
  /// - Throws: `NFCError` if the reader was lost; `CancellationError`.
  package mutating func events(of tag: DetectedTag) async throws -> [PassEvent] {
    let outcome: PassExchange.Outcome
    do {
      outcome = try await tag.exclusively { [request] link in
        try PassExchange(link: link, request: request).run()
      }
    } catch let error as NFCError where error.code != .readerLost {
      return [.lost(error)]
    }
    switch outcome {
    case .notAWallet:
      if otherCards.count >= Self.mostOtherCards { otherCards = [] }
      otherCards.insert(tag.identifier)
      return []
    case .waiting(let reason): return [.waiting(reason)]
    case .refused(let refusal): return [.refused(refusal)]
    case .google(let passes):
      return passes.map { pass in
        var found = Pass(wallet: .google, message: pass.value)
        found.kind = pass.kind
        found.objectIdentifier = pass.objectIdentifier
        return .pass(found)
      }
    case .apple(let message, let passType, let key, let token):
      let now = now()
      if let refusal = memory.refusal(of: message, now: now) { return [.refused(.time(refusal))] }
      var pass = Pass(wallet: .apple, message: message.message)
      pass.passType = passType
      pass.secondsSince1970 = message.secondsSince1970
      pass.age = now - Double(message.secondsSince1970)
      pass.keyIdentifier = key.identifier
      pass.token = token
      return [.pass(pass)]
    }
  }
}

extension TagCriteria {
  /// What may be a phone: it has an ISO 14443-4 layer, and is not one of these cards.
  package static func phones(
    of technologies: [TagTechnology], except others: Set<[UInt8]>
  ) -> TagCriteria {
    TagCriteria(
      technologies: technologies, requestsVersion: false,
      fits: { tag in
        guard !others.contains(tag.identifier) else { return false }
        return switch tag {
        case .iso7816: true
        case .miFare(let card): !card.ats.isEmpty
        default: false
        }
      })
  }
}
