import ReaderThread
import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Every exchange of every change is refused once, refused from then on, and damaged in every way; then somebody who
/// knows nothing of the tag reads it.
@Suite struct RefusalTests {
  enum Change: String, CaseIterable {
    case shorter, longer, muchLonger, erase, format, lock
  }

  /// A tag of which the memory is set back for each run.
  private struct Bench {
    let subject: ModelSubject
    let tag: VirtualTag
    let hand = AirDriver.Hand()
    let reader: Reader
    let image: [UInt8]

    init(_ subject: ModelSubject, old: [UInt8], _ executor: ReaderThread) async throws {
      self.subject = subject
      tag = subject.make()
      reader = Reader(driver: AirDriver(tag, hand), executor: executor)
      let ndef = try await Self.ndef(reader, subject.technology)
      if (try? await ndef.queryNDEFStatus().access) == .readWrite {
        try await ndef.writeNDEFBytes(old, verify: false)
      }
      image = tag.memory
    }

    func ndef() async throws -> any NDEFTag { try await Self.ndef(reader, subject.technology) }

    private static func ndef(
      _ reader: Reader, _ technology: TagTechnology
    ) async throws -> any NDEFTag {
      let round = try await reader.perform { reader, work in
        try reader.findFirst(of: [technology], work) { _ in true }
      }
      return try #require(round.tag?.ndef)
    }
  }

  private static func message(_ length: Int, _ seed: UInt8) -> [UInt8] {
    (0..<length).map { $0 == 0 ? 0xD1 : UInt8(truncatingIfNeeded: $0 &* 7) &+ seed | 1 }
  }

  private static func run(_ change: Change, _ ndef: any NDEFTag, _ old: Int) async throws -> [UInt8]
  {
    switch change {
    case .shorter:
      try await ndef.writeNDEFBytes(message(old - 5, 100), verify: false)
      return message(old - 5, 100)
    case .longer:
      try await ndef.writeNDEFBytes(message(old + 6, 100), verify: false)
      return message(old + 6, 100)
    case .muchLonger:
      try await ndef.writeNDEFBytes(message(old + 25, 100), verify: false)
      return message(old + 25, 100)
    case .erase: try await ndef.writeNDEFBytes([], verify: false)
    case .format: try await ndef.formatNDEF(wipe: false)
    case .lock: try await ndef.makeReadOnly()
    }
    return []
  }

  private static func new(_ change: Change, _ old: Int) -> [UInt8]? {
    switch change {
    case .shorter: message(old - 5, 100)
    case .longer: message(old + 6, 100)
    case .muchLonger: message(old + 25, 100)
    case .erase, .format: []
    case .lock: nil
    }
  }

  @Test(arguments: ModelSubject.all) func everyExchange(_ subject: ModelSubject) async throws {
    let executor = try ReaderThread()
    for length in [17] {
      let old = Self.message(length, 1)
      let bench = try await Bench(subject, old: old, executor)
      for change in Change.allCases {
        bench.tag.memory = bench.image
        bench.hand.plan(.tear(.max))
        _ = try? await Self.run(change, bench.ndef(), length)
        let count = bench.hand.exchanges
        let acknowledged = bench.hand.acknowledged
        for exchange in 0..<count {
          var events: [AirDriver.Event] = [
            .refuse(exchange, 0, isLasting: true), .damage(exchange, 1),
          ]
          // Writes of pages and blocks of a type A tag are acknowledged; other tags are asked for everything alike.
          if acknowledged.contains(exchange) || acknowledged.isEmpty {
            events += [
              .refuse(exchange, 0, isLasting: false), .refuse(exchange, 1, isLasting: true),
              .refuse(exchange, 2, isLasting: false), .refuse(exchange, 3, isLasting: false),
            ]
          }
          if acknowledged.contains(exchange) {
            // Each value of four bits; the check of a longer answer shows any bit.
            events += (2...15).map { .damage(exchange, $0) } + [.half(exchange)]
          }
          for event in events {
            if let problem = try await problem(change, event, bench, old) {
              Issue.record(
                "\(subject), \(length) bytes, \(change), \(event) of \(count): \(problem)")
              return
            }
          }
        }
      }
    }
  }

  private func problem(
    _ change: Change, _ event: AirDriver.Event, _ bench: Bench, _ old: [UInt8]
  ) async throws -> String? {
    bench.tag.memory = bench.image
    bench.hand.plan(nil)
    let before = try? await bench.ndef().readNDEFBytes() ?? []
    bench.tag.allowedChanges = []
    bench.tag.forgetIrreversibleChanges()
    let ndef = try await bench.ndef()
    bench.hand.plan(event)
    var failure: NFCError?
    do {
      _ = try await Self.run(change, ndef, old.count)
    } catch let error as NFCError {
      failure = error
    }
    let hasHappened = bench.hand.hasHappened
    bench.hand.plan(nil)
    let isFinal = !bench.tag.irreversibleChanges.isEmpty
    let found = try? await bench.ndef().readNDEFBytes() ?? []
    let new = Self.new(change, old.count)
    guard hasHappened || failure == nil else { return nil }
    guard let failure else {
      // A change that has succeeded although an answer was damaged, or a refusal was not the last word.
      if let new, before != nil, found != new {
        return "it has succeeded, and the tag holds \(found?.hexadecimal ?? "nothing")"
      }
      return nil
    }
    switch change {
    case .lock:
      // What may have been changed for ever is said.
      if isFinal, failure.recovery == nil {
        return "the lock has changed the tag, and says nothing: \(failure)"
      }
      if before != found { return "the lock has changed the message" }
    case .format where before == nil:
      if isFinal, failure.recovery == nil {
        return "the format has changed the tag, and says nothing: \(failure)"
      }
    default:
      guard before != nil else { return nil }
      guard let found, [before, [], new].contains(found) else {
        return "the tag holds \(found?.hexadecimal ?? "nothing that can be read"): \(failure)"
      }
      if found != before, failure.recovery == nil {
        return "the message has gone, and nothing says so: \(failure)"
      }
      if case .refuse = event, found != before, !failure.isDoubt {
        return "after a refusal the tag holds \(found.hexadecimal): \(failure)"
      }
    }
    return nil
  }

  // MARK: A password for the pages from one on

  struct Protected: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> VirtualTag
    /// Where AUTH0 is.
    let address: Int
    let firstPages: [Int]
    /// Where the password is limited to writing, on chips that require it for reading, too, as they are made.
    var writeOnly: Int?
  }

  static let protected = [
    Protected(
      testDescription: "NTAG213", make: { .ntag213() }, address: 41 * 4 + 3,
      firstPages: [4, 5, 7, 12, 20, 39, 40]),
    Protected(
      testDescription: "NTAG216", make: { .ntag216() }, address: 0xE3 * 4 + 3,
      firstPages: [4, 6, 9, 20, 0xE2]),
    Protected(
      testDescription: "Ultralight EV1", make: { .ultralightEV1() }, address: 16 * 4 + 3,
      firstPages: [4, 8, 15]),
    Protected(
      testDescription: "Ultralight C", make: { .ultralightC() }, address: 42 * 4,
      firstPages: [4, 8, 16, 39], writeOnly: 43 * 4),
  ]

  /// nfc-pcsc issue 99: a tag whose protection begins at a late page.
  @Test(arguments: protected) func aPasswordFromAPageOn(_ chip: Protected) async throws {
    let executor = try ReaderThread()
    let subject = ModelSubject(chip.testDescription, .iso14443a, lock: [], chip.make)
    for length in [0, 3, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24] {
      let old = Self.message(length, 1)
      let bench = try await Bench(subject, old: old, executor)
      for firstPage in chip.firstPages {
        for new in [length + 1, length + 3, length + 8, 46, 100, 130] {
          var image = bench.image
          image[chip.address] = UInt8(firstPage)
          if let writeOnly = chip.writeOnly { image[writeOnly] = 1 }
          bench.tag.memory = image
          let ndef = try await bench.ndef()
          guard try await ndef.queryNDEFStatus().capacity >= new else { continue }
          let message = Self.message(new, 100)
          do {
            try await ndef.writeNDEFBytes(message, verify: false)
            #expect(try await bench.ndef().readNDEFBytes() == message)
          } catch let error as NFCError {
            #expect(
              error.code == .notAuthenticated, "\(length) to \(new), page \(firstPage): \(error)")
            #expect(error.recovery == nil)
            #expect(bench.tag.memory == image, "\(length) to \(new), page \(firstPage)")
          }
        }
      }
    }
  }
}

extension NFCError {
  /// Whether the change could not be taken back.
  fileprivate var isDoubt: Bool { reason.contains("could not be taken back") }
}
