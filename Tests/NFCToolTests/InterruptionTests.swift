import Foundation
import Testing

/// Tests that the first signal ends any command within a second, including a command that waits for a file or
/// a pipe.
@Suite struct InterruptionTests {
  private static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)]

  @Test(arguments: signals)
  func whatWaitsForAPipe(_ signal: Int32, _ status: Int32) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let pipe = directory.appending(path: "pipe.bin").path
      #expect(mkfifo(pipe, 0o600) == 0)
      for arguments in [
        ["write", "json", pipe, "--virtual", "ntag213"],
        ["write", "mime", "a/b", pipe, "--virtual", "ntag213"],
        ["mifare", "dump", pipe, "--virtual", "ntag213"],
        ["read", "--raw", pipe, "--virtual", "ntag213"],
        ["virtual", "ntag213", "--trace", pipe],
      ] {
        let tool = try RunningTool(arguments)
        try await Task.sleep(for: .milliseconds(400))
        let (result, time) = try await Self.end(tool, by: signal)
        // An interruption is the normal end of a virtual reader that is running.
        #expect(result.status == status)
        #expect(time < .seconds(1))
        #expect(result.output == "")
      }
    }
  }

  @Test func whatWaitsForStandardInput() async throws {
    let result = try await Tool.shell(
      #"sleep 5 | "$NFC" write json - --virtual ntag213 & sleep 0.5; kill -TERM $!; wait $!; echo $?"#
    )
    #expect(result.output == "143\n")
  }

  @Test(arguments: signals)
  func whatWaitsForATag(_ signal: Int32, _ status: Int32) async throws {
    for arguments in [
      ["read", "--uid", "00", "--virtual", "ntag213"],
      ["write", "text", "{n}", "--each", "--count", "2", "--virtual", "ntag213"],
      ["poll", "--virtual", "ntag213"],
    ] {
      let tool = try RunningTool(arguments)
      // Commands that print something have started by then.
      if arguments[0] == "read" {
        try await Task.sleep(for: .milliseconds(700))
      } else {
        _ = try await tool.waitForLines(1)
      }
      let (result, time) = try await Self.end(tool, by: signal)
      #expect(result.status == status)
      #expect(time < .seconds(8))
      if arguments[0] == "write" { #expect(result.lines.last == "1 tag written, 0 failed") }
    }
  }

  /// A lock that has begun is completed after one or two signals. The command then ends as an interrupted
  /// one. On a slow line, the lock takes longer than the time that other commands get.
  @Test(arguments: [1, 2]) func aLockIsNotCutInTwo(_ signals: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let whole = directory.appending(path: "whole.mfd").path
      let interrupted = directory.appending(path: "interrupted.mfd").path
      let trace = directory.appending(path: "trace")

      var virtual = try RunningTool(["virtual", "classic-1k", "--trace", trace.path])
      var reader = try #require(try await virtual.waitForLines(1).first)
      #expect(try await Tool.run("lock", "--permanently", "--reader", reader).status == 0)
      let lines = Self.lineCount(of: trace)
      #expect(try await Tool.run("mifare", "dump", whole, "--reader", reader).status == 0)
      virtual.interrupt()
      _ = try await virtual.end()

      // The command first reads all sectors and then writes them. The signals are for the beginning of the second part,
      // which this test may notice too late on a busy machine; then it begins again.
      let moment = lines * 6 / 10..<lines * 95 / 100
      var lock: RunningTool
      var isLate = true
      var attempts = 0
      repeat {
        attempts += 1
        virtual = try RunningTool([
          "virtual", "classic-1k", "--trace", trace.path, "--baud", "9600", "--real-time",
        ])
        reader = try #require(try await virtual.waitForLines(1).first)
        lock = try RunningTool(["lock", "--permanently", "--reader", reader])
        isLate = await !Self.interrupt(lock, signals, when: moment, of: trace)
        guard isLate else { break }
        _ = try await lock.end()
        virtual.interrupt()
        _ = try await virtual.end()
      } while attempts < 3
      try #require(!isLate)
      #expect(try await lock.end().status == 130)
      #expect(try await Tool.run("mifare", "dump", interrupted, "--reader", reader).status == 0)
      virtual.interrupt()
      _ = try await virtual.end()
      #expect(
        try Data(contentsOf: URL(filePath: interrupted)) == Data(contentsOf: URL(filePath: whole)))
    }
  }

  private static func lineCount(of file: URL) -> Int {
    ((try? String(contentsOf: file, encoding: .utf8)) ?? "").count { $0.isNewline }
  }

  /// Interrupts a command once or twice when its reader's trace has so many lines.
  ///
  /// This waits on its own thread: other tests can keep all threads of Swift's pool for longer than the moment lasts.
  ///
  /// - Returns: `false` if the moment was missed, and nothing was sent.
  private static func interrupt(
    _ tool: RunningTool, _ signals: Int, when moment: Range<Int>, of trace: URL
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let end = ContinuousClock.now + RunningTool.longestRun
        while lineCount(of: trace) < moment.lowerBound, ContinuousClock.now < end {
          usleep(20_000)
        }
        let isInTime = moment.contains(lineCount(of: trace))
        for _ in 0..<signals where isInTime {
          tool.interrupt(SIGINT)
          usleep(50_000)
        }
        continuation.resume(returning: isInTime)
      }
    }
  }

  private static func end(
    _ tool: RunningTool, by signal: Int32
  ) async throws -> (Tool.Result, Duration) {
    let start = ContinuousClock.now
    tool.interrupt(signal)
    let result = try await tool.end()
    return (result, ContinuousClock.now - start)
  }
}

/// Tests with standard input and output, file names, and full disks.
@Suite struct StandardStreamTests {
  @Test func aHyphenIsStandardInputOrOutput() async throws {
    let dump = try await Tool.shell(#""$NFC" mifare dump - --virtual ntag216 | wc -c"#)
    #expect(dump.output.split(separator: "\n").first.map { $0.filter(\.isNumber) } == "924")
    let json = try await Tool.shell(
      #"echo '{"uri":"https://box.dev"}' | "$NFC" encode json - --output - | od -An -tx1"#)
    #expect(json.status == 0)
    #expect(json.output.filter { !$0.isWhitespace } == "d1010855" + "04626f782e646576")
    let raw = try await Tool.shell(
      #""$NFC" encode text hi -o - | "$NFC" write raw - --virtual ntag213"#)
    #expect(raw.status == 0)
  }

  @Test func aFullDiskIsAFailure() async throws {
    for line in ["--help", "--version", "read --help", "poll --once --virtual ntag213"] {
      let result = try await Tool.shell(#""$NFC" "# + line + " > /dev/full")
      #expect(result.status == 74)
      #expect(result.errors.hasPrefix("nfc: cannot write to standard output"))
    }
    let file = try await Tool.run("read", "--raw", "/dev/full", "--virtual", "suica")
    #expect(file.status == 66)
    let raw = try await Tool.shell(
      #""$NFC" encode uri https://a.example --output /dev/full"#)
    #expect(raw.status == 74)
    #expect(raw.errors.contains("free some space"))
  }

  @Test(arguments: ["poll", "watch", "write text hello --each"])
  func endsWhenNobodyReadsIt(_ command: String) async throws {
    let result = try await Tool.shell(
      #"{ timeout 10 "$NFC" \#(command) --virtual ntag213; echo "$?" >&2; } | head -n 1"#)
    #expect(result.lines.count == 1)
    // The process was ended by SIGPIPE, and not by the time limit (124).
    #expect(result.errors == "141\n")
  }

  /// `\377` is not UTF-8.
  @Test func namesOfFilesAreTakenByteForByte() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let script = """
        cd "$DIRECTORY"; name="$(printf 'na\\377me.mfd')"
        "$NFC" mifare dump "$name" --virtual classic-1k && test -f "$name" && test "$(ls | wc -l)" = 1 \
        && "$NFC" read --virtual "$name" && "$NFC" write text "$(printf 'a\\377')" --virtual ntag213
        """
      let result = try await Tool.shell(script, environment: ["DIRECTORY": directory.path])
      #expect(result.output == "no message\n")
      #expect(result.status == 64)
      #expect(
        result.errors
          == #"nfc: the text "a\xFF" is not UTF-8; give it in UTF-8, or a file with nfc write mime"#
          + "\n")
    }
  }

  @Test func whatToDoAboutAFileIsReported() async throws {
    let missing = try await Tool.run(
      "mifare", "dump", "/nowhere/at/all.bin", "--virtual", "ntag213")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("check the name of the directory"))
    let directory = try await Tool.run("read", "--raw", "/tmp", "--virtual", "ntag213")
    #expect(directory.errors.contains("name a file in it"))
  }
}
