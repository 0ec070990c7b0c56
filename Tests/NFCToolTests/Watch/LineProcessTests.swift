import Foundation
import Testing

@testable import SwiftNFCTool

/// Tests of the helper programs that exchange lines with `nfc`.
@Suite(.timeLimit(.minutes(1))) struct LineProcessTests {
  @Test func linesArePreserved() async throws {
    let process = try LineProcess(program: "/bin/cat")
    // This is more than a pipe can hold.
    let line = String(repeating: "a", count: 1000)
    for number in 0..<500 { process.write("\(number) \(line)") }
    var count = 0
    for await text in process.lines {
      #expect(text == "\(count) \(line)")
      count += 1
      if count == 500 { break }
    }
    await process.stop(grace: .seconds(5))
  }

  /// `nfc watch` starts such a program again whenever it has ended. Nothing may remain of the previous one: no
  /// thread, no pipe, and no zombie.
  @Test func aProgramThatHasEndedIsReleased() async throws {
    weak var ended: LineProcess?
    do {
      let process = try LineProcess(program: "/bin/true")
      process.write("never read")
      for await _ in process.lines {}
      ended = process
    }
    let deadline = ContinuousClock.now + .seconds(10)
    while ended != nil, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(ended == nil)
  }

  @Test func whatWasWrittenIsReadBeforeTheEnd() async throws {
    let process = try LineProcess(program: "/bin/cat")
    for number in 0..<1000 { process.write("\(number)") }
    await process.stop(grace: .seconds(5))
    var count = 0
    for await _ in process.lines { count += 1 }
    #expect(count == 1000)
  }

  /// A program that does not read delays neither writing to it nor stopping it.
  @Test func aProgramThatDoesNotReadIsNotWaitedFor() async throws {
    let process = try LineProcess(program: "/bin/sleep", arguments: ["60"])
    let start = ContinuousClock.now
    let line = String(repeating: "a", count: 10_000)
    for _ in 0..<100 { process.write(line) }
    await process.stop(grace: .milliseconds(100))
    for await _ in process.lines {}
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  /// The amount of unread data is limited, and what is being written belongs to it. The program is ended, and
  /// readers of its output are notified.
  @Test func aProgramThatLeavesTooMuchUnreadIsEnded() async throws {
    let process = try LineProcess(program: "/bin/sleep", arguments: ["600"])
    let start = ContinuousClock.now
    let line = String(repeating: "a", count: 1 << 20)
    for _ in 0..<20 {
      process.write(line)
      // The thread takes lines from the queue meanwhile.
      try await Task.sleep(for: .milliseconds(5))
    }
    for await _ in process.lines {}
    // It has ended before anything asks it to.
    #expect(ContinuousClock.now - start < .seconds(20))
    await process.stop(grace: .zero)
  }
}
