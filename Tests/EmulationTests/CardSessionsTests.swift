import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// Programs that answer the commands to a card themselves, by `reader.emulate`.
@Suite struct CardSessionsTests {
  private struct Bench {
    let virtual: VirtualReader
    let reader: Reader

    init() async throws {
      virtual = try VirtualReader(VirtualField())
      reader = try await Reader.open(virtual.connectionString)
    }

    /// Acts as a card while `phone` runs; `body` gets each session.
    func acting<Result: Sendable>(
      _ configuration: EmulationConfiguration? = nil,
      _ body: @escaping @Sendable (EmulationSession) async throws -> Void,
      phone: @escaping @Sendable (ScriptedPhone) throws -> Result
    ) async throws -> Result {
      let configuration = try configuration ?? EmulationConfiguration()
      let task = Task { [reader] in
        for try await session in reader.emulate(configuration) { try await body(session) }
      }
      let antenna = virtual.antenna
      let result = try await withPhone { try phone(ScriptedPhone(antenna)) }
      task.cancel()
      do { try await task.value } catch is CancellationError {}
      await reader.close()
      virtual.close()
      return result
    }
  }

  private static let ok: [UInt8] = [0x90, 0x00]
  private static let noAnswer: [UInt8] = [0x6F, 0x00]

  /// The answer of a program after 0.5 and 2 s reaches a phone that waits; the chip requests time for it.
  @Test(arguments: [500, 2000])
  func aLateAnswer(_ milliseconds: Int) async throws {
    var configuration = try EmulationConfiguration()
    configuration.answerLimit = .seconds(4)
    let (answer, extensions) = try await Bench().acting(configuration) { session in
      for await command in session.commands {
        try await Task.sleep(for: .milliseconds(milliseconds))
        try? await command.respond(with: command.bytes + Self.ok)
      }
    } phone: { phone in
      try phone.tap()
      let answer = try phone.send([0x00, 0x01, 0x02, 0x03])
      phone.fieldOff()
      return (answer, phone.extensions)
    }
    #expect(answer == [0x00, 0x01, 0x02, 0x03, 0x90, 0x00])
    #expect(extensions >= milliseconds / 250)
  }

  /// A program that hangs: 6F00 in time, and its late answer is refused.
  @Test func aProgramThatHangs() async throws {
    var configuration = try EmulationConfiguration()
    configuration.answerLimit = .milliseconds(200)
    let refused = Mutex(0)
    let answers = try await Bench().acting(configuration) { session in
      for await command in session.commands {
        guard command.bytes == [0xFF] else {
          try? await command.respond(with: Self.ok)
          continue
        }
        try await Task.sleep(for: .milliseconds(600))
        do {
          try await command.respond(with: Self.ok)
        } catch let error as NFCError where error.code == .tagConnectionLost {
          refused.withLock { $0 += 1 }
        }
      }
    } phone: { phone in
      try phone.tap()
      let answers = [try phone.send([0xFF]), try phone.send([0x01])]
      PhonePause.milliseconds(800)
      let last = try phone.send([0x01])
      phone.fieldOff()
      return answers + [last]
    }
    #expect(answers.first == Self.noAnswer)
    #expect(answers.last == Self.ok)
    #expect(refused.withLock { $0 } == 1)
  }

  /// A command is answered once: dropped it is 6F00; answers that cannot be are refused, and it is still open.
  @Test func theRulesOfAnswers() async throws {
    let codes = Mutex<[NFCError.Code]>([])
    @Sendable func attempt(_ command: EmulatedCommand, _ answer: [UInt8]) async {
      do {
        try await command.respond(with: answer)
      } catch {
        codes.withLock { codes in
          if let code = (error as? NFCError)?.code { codes.append(code) }
        }
      }
    }
    let answers = try await Bench().acting { session in
      for await command in session.commands where command.bytes != [0x02] {
        await attempt(command, [])
        await attempt(command, [0x90])
        await attempt(command, [UInt8](repeating: 0, count: 259))
        await attempt(command, [UInt8](repeating: 7, count: 256) + Self.ok)
        await attempt(command, Self.ok)
      }
    } phone: { phone in
      try phone.tap()
      let answers = [try phone.send([0x01]), try phone.send([0x02]), try phone.send([0x01])]
      phone.fieldOff()
      return answers
    }
    let whole = [UInt8](repeating: 7, count: 256) + Self.ok
    #expect(answers == [whole, Self.noAnswer, whole])
    let once: [NFCError.Code] = [
      .invalidParameter, .invalidParameter, .commandTooLong, .invalidParameter,
    ]
    #expect(codes.withLock { $0 } == once + once)
  }

  /// An answer after the phone has left.
  @Test(arguments: [false, true])
  func anAnswerAfterTheEnd(_ isDeselected: Bool) async throws {
    let codes = Mutex<[NFCError.Code?]>([])
    let releases = Mutex<[EmulationRelease?]>([])
    var configuration = try EmulationConfiguration()
    configuration.answerLimit = .seconds(2)
    let answer = try await Bench().acting(configuration) { session in
      for await command in session.commands {
        guard command.bytes == [0x01] else {
          try await command.respond(with: Self.ok)
          continue
        }
        try await Task.sleep(for: .milliseconds(500))
        do {
          try await command.respond(with: Self.ok)
        } catch { codes.withLock { $0.append((error as? NFCError)?.code) } }
      }
      releases.withLock { $0.append(session.release) }
    } phone: { phone in
      phone.patience = .milliseconds(150)
      try phone.tap()
      #expect(throws: ScriptedPhone.Failure.self) { try phone.send([0x01]) }
      if isDeselected { try? phone.deselect() }
      phone.fieldOff()
      phone.patience = .seconds(5)
      try phone.tap()
      let answer = try phone.send([0x02])
      phone.fieldOff()
      PhonePause.milliseconds(300)
      return answer
    }
    #expect(answer == Self.ok)
    #expect(codes.withLock { $0 } == [.tagConnectionLost])
    #expect(releases.withLock { $0.count } == 2)
    #expect(!releases.withLock { $0.contains(nil) })
  }

  /// Endless commands end with the bound of a session, and the next session begins.
  @Test func endlessCommands() async throws {
    var configuration = try EmulationConfiguration()
    configuration.maximumCommands = 40
    let counts = try await Bench().acting(configuration) { session in
      for await command in session.commands { try? await command.respond(with: Self.ok) }
    } phone: { phone in
      var counts: [Int] = []
      for _ in 0..<2 {
        phone.patience = .milliseconds(500)
        try phone.tap()
        var count = 0
        while (try? phone.send([0x00, 0xB0, 0x00, 0x00, 0x00])) == Self.ok { count += 1 }
        phone.fieldOff()
        counts.append(count)
      }
      return counts
    }
    #expect(counts == [40, 40])
  }

  /// Commands to other applications are answered here, and end the selection.
  @Test func onlyTheNamedApplications() async throws {
    let seen = Mutex<[[UInt8]]>([])
    let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x05, 0xF0, 1, 2, 3, 4]
    let other: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x05, 0xF0, 1, 2, 3, 5]
    let answers = try await Bench().acting(try EmulationConfiguration(aids: ["F001020304"])) {
      session in
      for await command in session.commands {
        seen.withLock { $0.append(command.bytes) }
        try? await command.respond(with: Self.ok)
      }
    } phone: { phone in
      try phone.tap()
      var answers = try [[0x80], select, [0x80], other, [0x80]].map(phone.send)
      try phone.deselect()
      // The selection is the session's.
      try phone.tap()
      answers.append(try phone.send([0x80]))
      phone.fieldOff()
      return answers
    }
    let refusal: [UInt8] = [0x6A, 0x82]
    #expect(answers == [refusal, Self.ok, Self.ok, refusal, refusal, refusal])
    #expect(seen.withLock { $0 } == [select, [0x80]])
    #expect(throws: NFCError.self) { try EmulationConfiguration(aids: ["F0"]) }
    #expect(throws: NFCError.self) { try EmulationConfiguration(aids: ["nonsense"]) }
  }

  /// Two parts of a program on one reader: the second is refused, and the first goes on.
  @Test func oneCardPerReader() async throws {
    let bench = try await Bench()
    let reader = bench.reader
    let answer = try await bench.acting { session in
      await #expect {
        for try await _ in reader.emulate(try EmulationConfiguration()) {}
      } throws: {
        ($0 as? NFCError)?.code == .readerUnavailable
      }
      for await command in session.commands { try? await command.respond(with: Self.ok) }
    } phone: { phone in
      try phone.tap()
      let answer = try phone.send([0x01])
      phone.fieldOff()
      return answer
    }
    #expect(answer == Self.ok)
  }
}
