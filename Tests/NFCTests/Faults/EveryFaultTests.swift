import NFC
import TestSupport
import Testing
import VirtualNFC

/// Every fault at every exchange of a procedure: the right error, the tag as it was or as it was to be, and
/// everything works again afterwards.
@Suite struct EveryFaultTests {
  typealias Kind = FaultTests.Kind

  /// Those on the air at every exchange, those on the line at every command.
  static let kinds: [Kind] = [
    .tagLeaves, .frameLost, .answerLost, .answerBroken, .commandBroken, .replyBroken, .replyLost,
    .replyIsNoise, .replyIsAnother, .lineCloses,
  ]

  @Test(arguments: FaultedProcedure.feliCa, kinds)
  func feliCa(_ procedure: FaultedProcedure, _ kind: Kind) async throws {
    try await Self.run(procedure, kind, .iso18092)
  }

  @Test(arguments: FaultedProcedure.cards, kinds)
  func cards(_ procedure: FaultedProcedure, _ kind: Kind) async throws {
    try await Self.run(procedure, kind)
  }

  @Test(arguments: FaultedProcedure.classic, kinds)
  func classic(_ procedure: FaultedProcedure, _ kind: Kind) async throws {
    try await Self.run(procedure, kind)
  }

  @Test(.asking(.counter), arguments: FaultedProcedure.ultralight, kinds)
  func ultralight(_ procedure: FaultedProcedure, _ kind: Kind) async throws {
    try await Self.run(procedure, kind)
  }

  /// What the faults of a procedure begin with, on a recording of it: nothing has gone wrong.
  @Test(.replayed, .asking(.counter), arguments: FaultedProcedure.all)
  func isReplayed(_ procedure: FaultedProcedure) async throws {
    let direct = DirectReader(VirtualField())
    direct.field.place(try procedure.tag())
    ReplayedReaders.begin()
    let reader = try await Reader.open { direct.driver() }
    let tag = try await reader.firstTag(within: .seconds(5))
    try await procedure.prepare(tag)()
    await reader.close()
  }

  /// How many readers share the moments of a fault. What is lost on the line is waited for as long as the tag may
  /// take, up to seconds: such moments pass side by side.
  private static func lanes(_ kind: Kind) -> Int {
    [.replyLost, .commandBroken].contains(kind) ? 8 : 1
  }

  private static func run(
    _ procedure: FaultedProcedure, _ kind: Kind, _ options: PollingOptions = .iso14443
  ) async throws {
    let lanes = lanes(kind)
    let bench = try await Bench()
    // Undisturbed, for the number of exchanges and what is on the tag then.
    let model = try procedure.tag()
    let image = procedure.content(of: model)
    bench.field.place(model)
    try await Self.shortenTimeOut(of: bench)
    let body = try await procedure.prepare(try await bench.tag(options))
    let (_, commands, exchanges) = try await bench.counting(body)
    bench.field.remove(model)
    #expect(exchanges > 0 && commands > 0)
    let count = kind.isOnAir ? exchanges : commands
    let contents = (before: image, after: procedure.content(of: model))

    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 1..<max(1, min(lanes, count)) {
        group.addTask {
          try await check(
            procedure, kind, options, stride(from: lane, to: count, by: lanes), contents,
            try await Bench())
        }
      }
      try await check(
        procedure, kind, options, stride(from: 0, to: count, by: lanes), contents, bench)
      try await group.waitForAll()
    }
  }

  private static func check(
    _ procedure: FaultedProcedure, _ kind: Kind, _ options: PollingOptions,
    _ moments: StrideTo<Int>, _ contents: (before: [UInt8], after: [UInt8]), _ first: Bench
  ) async throws {
    var bench = first
    for index in moments {
      let tag = try procedure.tag()
      try await shortenTimeOut(of: bench)
      bench.field.place(tag)
      let body = try await procedure.prepare(try await bench.tag(options))
      bench.virtual.setFaults([kind.fault(at: index)])
      let error = await Self.error(of: body)
      let statistics = bench.virtual.statistics
      let count = kind.isOnAir ? statistics.exchanges : statistics.commands
      let place: Comment = "\(kind) at \(index) of \(count): \(error.map { "\($0)" } ?? "nothing")"
      // After another fault, the chip may still have a setting that the undisturbed run has made by a command.
      let isReached = count > index
      // An answer may be lost that nobody waits for, such as INCREMENT's.
      let isDone = procedure.effect != .reads && procedure.content(of: tag) == contents.after
      if error != nil || isReached && !(kind.isOnAir && isDone) {
        Self.expect(error, procedure, kind, place)
      }
      if kind.isFatal { bench = try await Bench() }
      bench.virtual.setFaults([])
      switch procedure.effect {
      case .reads: #expect(procedure.content(of: tag) == contents.before, place)
      case .counts:
        #expect([contents.before, contents.after].contains(procedure.content(of: tag)), place)
      case .writes:
        bench.field.place(tag)
        let again = try await procedure.prepare(try await bench.tag(options))
        try await again()
        #expect(procedure.content(of: tag) == contents.after, place)
      }
      bench.field.remove(tag)
    }
    await bench.reader.close()
  }

  /// Has the chip try twice in a search and wait for a short time for an answer, as after a cycle of polling, so that
  /// each run has the same commands.
  private static func shortenTimeOut(of bench: Bench) async throws {
    for _ in 0..<2 { _ = try? await bench.reader.firstTag(polling: .iso14443a, within: .zero) }
    _ = try? await bench.reader.firstTag(polling: .iso14443b2sr, within: .zero)
  }

  private static func error(of body: @escaping FaultedProcedure.Body) async -> (any Error)? {
    do {
      try await within(.seconds(20), body)
      return nil
    } catch {
      return error
    }
  }

  private static func expect(
    _ error: (any Error)?, _ procedure: FaultedProcedure, _ kind: Kind, _ place: Comment
  ) {
    let codes: Set<NFCError.Code> =
      switch (kind, procedure.kind) {
      case (.tagLeaves, _): [.tagConnectionLost]
      case (.lineCloses, _): [.readerLost]
      case (_, .plain), (_, .repeating): [.tagResponseError, .tagRefused]
      case (_, .classic): [.tagResponseError, .tagRefused, .authenticationFailed]
      // libnfc passes the beginning of a torn answer on as the whole: nonsense of a card that is there.
      case (_, .blocks): [.tagConnectionLost, .tagResponseError]
      }
    guard let error = error as? NFCError else {
      // What is put right on the way is no error.
      #expect(error == nil && procedure.repeats, place)
      return
    }
    #expect(codes.contains(error.code), place)
  }
}
