import Foundation
import NFC
import Synchronization
import Testing
import VirtualNFC

/// Tests of what a watcher meets in a long time: readers that fail, tags that leave early, and too many taps.
@Suite(.serialized) struct WatchTroubleTests {
  private static func tag(_ uri: String, _ number: UInt8 = 0) throws -> VirtualTag {
    try .ntag215(
      uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, number], ndef: NDEFMessage(.uri(uri)))
  }

  /// A watcher may itself have been started for a tap.
  @Test func aCommandGetsNothingFromAnEarlierTap() async throws {
    let script = #"echo "${NFC_URI-none} ${NFC_TEXT-none} ${NFC_MIME_TYPE-none}" >> "$FOLDER/out""#
    try await WatchBench.with(
      ["--exec", script],
      environment: ["NFC_URI": "stale", "NFC_TEXT": "stale", "NFC_MIME_TYPE": "stale"],
      tags: [try Self.tag("https://swift.org")]
    ) { bench in
      let lines = try await bench.lines(of: "out", 1)
      #expect(lines == ["https://swift.org none none"])
    }
  }

  /// A tag that left before it was read is reported after another one, with the time of its report.
  @Test func timesNeverDecrease() async throws {
    try await WatchBench.with(["--debounce", "0.5"]) { bench in
      try await bench.waitForLeases(1)
      func events() throws -> [WatchEvent] {
        let output = bench.watch.output()
        return try output[..<(output.lastIndex(of: "\n") ?? output.startIndex)]
          .split(separator: "\n").map { try WatchEvent(String($0)) }
      }
      var hasBeenLate = false
      // At some of these moments, the tag has been found and not been read.
      for moment in 4..<60 where !hasBeenLate {
        let early = try Self.tag("https://swift.org/1", UInt8(moment))
        let second = try Self.tag("https://swift.org/2", UInt8(100 + moment))
        bench.reader.setFaults([
          Fault(.tagArrives(early), at: .exchange(0)), Fault(.tagLeaves, at: .exchange(moment)),
        ])
        try await Task.sleep(for: .milliseconds(200))
        bench.field.place(second)
        let uid = "\"uid\":\"\(second.identifier.hexadecimal)\""
        #expect(try await bench.watch.lines(containing: uid).count >= 1)
        bench.field.removeAll()
        // The departures of both are reported.
        #expect(try await bench.watch.lines(containing: uid, 2).count == 2)
        let taps = try events().filter { $0.event == "tap" }.suffix(2).map(\.tag.uid)
        hasBeenLate = taps == [second.identifier.hexadecimal, early.identifier.hexadecimal]
      }
      #expect(hasBeenLate)
      #expect(try events().map(\.time) == events().map(\.time).sorted())
    }
  }

  /// The actions of too many taps are not left out in silence.
  @Test func tapsForWhichNothingIsDoneAreNamed() async throws {
    try await WatchBench.with(
      ["--exec", "echo start >> \"$FOLDER/out\"; exec sleep 50", "--debounce", "0"]
    ) { bench in
      for number: UInt8 in 1...103 {
        let tag = try Self.tag("https://swift.org", number)
        bench.field.place(tag)
        if number == 1 { _ = try await bench.lines(of: "out", 1) }
        let uid = "\"uid\":\"\(tag.identifier.hexadecimal)\""
        #expect(try await bench.watch.lines(containing: uid).count >= 1)
        bench.field.remove(tag)
      }
      let first = try Self.tag("https://swift.org", 2).identifier.hexadecimal
      #expect(try await bench.watch.waitForErrors("nothing was done for \(first)"))
    }
  }

  /// The name of a serial port in /dev/serial/by-id may be longer than that of a socket (unix(7)). Each reader has
  /// its own socket nevertheless.
  @Test func readersWithLongNamesAreLentToo() async throws {
    try await TemporaryDirectory.with { folder in
      let name = "usb-Silicon_Labs_CP2102_USB_to_UART_Bridge_Controller_000"
      let port = "pn532_uart:\(folder.path)/\(name)"
      let watch = try RunningTool(
        ["watch", "--reader", port + "1-if00-port0", "--reader", port + "2-if00-port0"],
        environment: ["XDG_RUNTIME_DIR": folder.path])
      func leases() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/nfc")) ?? [])
          .filter { $0.hasPrefix("lease-") }
      }
      let deadline = ContinuousClock.now + .seconds(20)
      while leases().count < 2, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(leases().count == 2)
      watch.interrupt()
      #expect(try await watch.end().status == 130)
      #expect(leases() == [])
    }
  }

  /// A reader with a bad cable is opened and fails again, for days. A journal keeps each line.
  @Test func aReaderThatFailsAgainAndAgainIsReportedOnce() async throws {
    try await TemporaryDirectory.with { folder in
      let port = folder.appending(path: "ttyNFC").path
      let watch = try RunningTool(
        ["watch", "--json", "--reader", "pn532_uart:\(port)"],
        environment: ["XDG_RUNTIME_DIR": folder.path])
      #expect(try await watch.waitForErrors("is away"))
      let field = VirtualField()
      for number in 1...4 {
        let frames = Mutex(0)
        let reader = try VirtualReader(field) { event in
          if case .sent = event { frames.withLock { $0 += 1 } }
        }
        let path = try #require(reader.connectionString.split(separator: ":").last)
        try? FileManager.default.removeItem(atPath: port)
        try FileManager.default.createSymbolicLink(
          atPath: port, withDestinationPath: String(path))
        if number == 4 {
          #expect(try await watch.waitForErrors("is back"))
        } else {
          // It polls.
          let deadline = ContinuousClock.now + .seconds(20)
          while frames.withLock({ $0 }) < 2, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
          }
        }
        reader.close()
      }
      watch.interrupt()
      let result = try await watch.end()
      #expect(result.status == 130)
      // On a busy machine, it may have polled for long enough once.
      #expect(result.errors.ranges(of: "is back").count <= 2, "\(result.errors)")
    }
  }
}
