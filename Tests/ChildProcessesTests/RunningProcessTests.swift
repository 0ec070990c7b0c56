import SwiftNFCChildProcesses
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct RunningProcessTests {
  @Test func exitCodesAndSignals() async throws {
    let exit = try RunningProcess(ProgramStart("sh", ["-c", "exit 3"]))
    #expect(await exit.outcome(within: .seconds(20)) == .exited(3))
    #expect(await exit.outcome(within: nil) == .exited(3))
    #expect(!exit.isRunning)
    let killed = try RunningProcess(ProgramStart("sh", ["-c", "kill -9 $$"]))
    #expect(await killed.outcome(within: .seconds(20)) == .signaled(SIGKILL))
    #expect(throws: ProgramStart.Failure(errno: ENOENT)) {
      try RunningProcess(ProgramStart("no-such-program-here"))
    }
  }

  @Test func waitingHasALimitAndCanBeCancelled() async throws {
    let process = try RunningProcess(ProgramStart("sleep", ["60"]))
    #expect(await process.outcome(within: .milliseconds(20)) == nil)
    #expect(process.outcome(blockingFor: .milliseconds(20)) == nil)
    let waiting = Task { await process.outcome(within: nil) }
    waiting.cancel()
    #expect(await waiting.value == nil)
    #expect(process.isRunning)
    process.signal(SIGTERM)
    #expect(await process.outcome(within: .seconds(20)) == .signaled(SIGTERM))
    // Nothing is done to a process that has ended, and its process ID has not been assigned to another.
    process.signal(SIGKILL)
    #expect(kill(process.identifier, 0) == 0)
  }

  @Test func aReleasedProcessIsNotLeftAsAZombie() async throws {
    var identifier: pid_t = 0
    do {
      let process = try RunningProcess(ProgramStart("true"))
      identifier = process.identifier
      #expect(await process.outcome(within: .seconds(20)) == .exited(0))
    }
    #expect(kill(identifier, 0) != 0)
    do { identifier = try RunningProcess(ProgramStart("sleep", ["0.05"])).identifier }
    let deadline = ContinuousClock.now + .seconds(20)
    while kill(identifier, 0) == 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(kill(identifier, 0) != 0)
  }

  /// Programs that are started at the same time inherit nothing from each other: each sees its input end when
  /// its only writer closes it, and has three descriptors.
  @Test func programsStartedTogetherShareNothing() async throws {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          do {
            let outcome = try await Self.hasThreeDescriptors()
            #expect(outcome == .exited(0), "program \(number)")
          } catch {
            Issue.record(error)
          }
        }
      }
    }
  }

  /// Starts a program that reads its input to the end and fails if it has another descriptor.
  private static func hasThreeDescriptors() async throws -> RunningProcess.Outcome? {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let script = """
      while read line; do :; done
      n=3
      while [ $n -lt 300 ]; do [ ! -e /proc/$$/fd/$n ] || exit 1; n=$((n + 1)); done
      """
    var start = ProgramStart("sh", ["-c", script])
    start.input = .descriptor(ends[0])
    start.output = .null
    start.errors = .null
    defer { for end in ends { close(end) } }
    let process = try RunningProcess(start)
    close(ends[1])
    ends[1] = -1
    let outcome = await process.outcome(within: .seconds(20))
    process.signal(SIGKILL)
    return outcome
  }

  @Test func filesAndVariables() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "child-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let paths = ["input", "output", "errors"].map { directory.appending(path: $0).path }
    try Data("in".utf8).write(to: URL(filePath: paths[0]))
    try Data("old content".utf8).write(to: URL(filePath: paths[1]))
    var start = ProgramStart(
      "/bin/sh", ["-c", "cat; echo \"$ONE\" >&2; [ -z \"$HOME\" ]"],
      environment: ["ONE": "a b=c"])
    start.input = .file(paths[0])
    start.output = .file(paths[1])
    start.errors = .file(paths[2])
    let process = try RunningProcess(start)
    // Variables of this process are not inherited.
    #expect(await process.outcome(within: .seconds(20)) == .exited(0))
    #expect(try String(contentsOfFile: paths[1], encoding: .utf8) == "in")
    #expect(try String(contentsOfFile: paths[2], encoding: .utf8) == "a b=c\n")
  }

  @Test func theGroupEndsWithIt() async throws {
    let process = try RunningProcess(ProgramStart("sh", ["-c", "sleep 60 & wait"]))
    try await Task.sleep(for: .milliseconds(100))
    process.signalGroup(SIGKILL)
    #expect(await process.outcome(within: .seconds(20)) == .signaled(SIGKILL))
    let deadline = ContinuousClock.now + .seconds(20)
    while Self.members(of: process.identifier) > 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(Self.members(of: process.identifier) == 0)
  }

  /// In its own process, whose memory soon suffices for another program but not for another thread's stack.
  @Test func aProgramIsNotStartedWithoutAThreadThatWaitsForIt() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
      let size = try #require(Int(line.filter(\.isNumber))) * 1024
      var limit = rlimit(rlim_cur: rlim_t(size + 20 << 20), rlim_max: rlim_t.max)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
      var processes: [RunningProcess] = []
      let failure = #expect(throws: ProgramStart.Failure.self) {
        while processes.count < 100 {
          processes.append(try RunningProcess(ProgramStart("sleep", ["60"])))
        }
      }
      #expect(failure == ProgramStart.Failure(errno: EAGAIN))
      limit.rlim_cur = rlim_t.max
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
      #expect(children() == Set(processes.map(\.identifier)))
      for process in processes { process.signal(SIGKILL) }
      // With memory, programs are started again.
      let next = try RunningProcess(ProgramStart("true"))
      #expect(await next.outcome(within: .seconds(20)) == .exited(0))
    }
  }

  /// A stream that cannot be passed on must not be replaced by that of this process.
  @Test(arguments: [\ProgramStart.input, \ProgramStart.output, \ProgramStart.errors])
  func aStreamThatIsNotADescriptor(
    _ stream: WritableKeyPath<ProgramStart, ProgramStart.Stream> & Sendable
  ) {
    var start = ProgramStart("true")
    start[keyPath: stream] = .descriptor(-1)
    #expect(throws: ProgramStart.Failure(errno: EBADF)) { try RunningProcess(start) }
  }

  /// Returns the number of processes of a group that have not ended.
  private static func members(of group: pid_t) -> Int {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.count { entry in
      guard Int(entry) != nil,
        let line = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
        let end = line.lastIndex(of: ")")
      else { return false }
      let fields = line[line.index(after: end)...].split(separator: " ")
      return fields.count > 2 && fields[0] != "Z" && fields[2] == "\(group)"
    }
  }
}

/// Returns the processes that this process has started and that have not ended.
private func children() -> Set<pid_t> {
  let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return Set(
    entries.compactMap(pid_t.init).filter { process in
      guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let end = line.lastIndex(of: ")")
      else { return false }
      let fields = line[line.index(after: end)...].split(separator: " ")
      return fields.count > 1 && fields[0] != "Z" && fields[1] == "\(getpid())"
    })
}
