import Foundation
import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Rules that use the light and buzzer of the reader.
@Suite(.serialized) struct WatchSignalTests {
  private static let success: [UInt8] = [0xFF, 0x00, 0x40, 0xA0, 0x04, 0x02, 0x00, 0x01, 0x01]
  private static let failure: [UInt8] = [0xFF, 0x00, 0x40, 0x50, 0x04, 0x05, 0x00, 0x01, 0x01]

  @Test(arguments: [
    ("signal: success", [ReaderSignal.success]), ("signal: failure", [.failure]),
    ("signal: success, exec: a", [.success]), ("exec: a", []),
  ])
  func rules(actions: String, expected: [ReaderSignal]) async throws {
    let rules = try await TapRules(yaml: "- do: {\(actions)}", permitsPublishing: false)
    let signals = rules.rules[0].actions.compactMap { action -> ReaderSignal? in
      if case .signal(let signal) = action { signal } else { nil }
    }
    #expect(signals == expected)
  }

  @Test(arguments: ["signal: green", "signal: true", "signal: [success]"])
  func mistakes(action: String) async {
    await #expect {
      _ = try await TapRules(yaml: "- do:\n    \(action)", permitsPublishing: false)
    } throws: {
      ($0 as? TapRulesError)?.line == 2
    }
  }

  /// A rule's signal is in the place of that of `--beep`.
  @Test(arguments: [
    ("- do: {signal: failure}", false, [failure]), ("- do: {signal: failure}", true, [failure]),
    ("- do: {notify: false}", true, [success]), ("- do: {notify: false}", false, []),
    ("- match: {uid: 01}\n  do: {signal: success}", true, [failure]),
    ("- match: {uid: 01}\n  do: {signal: success}", false, []),
  ])
  func aTapIsShown(rules yaml: String, beeps: Bool, expected: [[UInt8]]) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "r.yaml")
      try Data(yaml.utf8).write(to: file)
      let field = VirtualField()
      field.place(.ntag213())
      let virtual = VirtualPCSCReader(field, dialect: .directTransmit)
      let reader = try await Reader.open(over: { virtual.service() })
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(2))
      let watcher = Watcher(
        Watcher.Options(debounce: .zero, isJSON: true, uid: nil, actions: [], beeps: beeps),
        rules: try await RulesFile(path: file.path, permitsPublishing: false),
        actions: TapActions(links: .standard, timeout: .seconds(1), notifier: TapNotifier()),
        publisher: nil)
      try await watcher.arrived(tag, on: "r", at: "pcsc:r")
      let deadline = ContinuousClock.now + .seconds(5)
      while virtual.signals.count < expected.count, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(5))
      }
      await watcher.stop()
      await reader.close()
      #expect(virtual.signals == expected)
    }
  }

  /// A reader without light and buzzer says so once, and everything else is done.
  @Test func aReaderWithoutSaysSoOnce() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "r.yaml")
      try Data("- do: {signal: success, exec: 'echo hit'}\n".utf8).write(to: file)
      try await WatchBench.with(["--rules", file.path, "--debounce", "0"]) { bench async throws in
        for number in 0..<3 {
          let tag = VirtualTag.ntag213()
          bench.field.place(tag)
          _ = try await bench.events(2 * number + 1)
          bench.field.remove(tag)
          _ = try await bench.events(2 * number + 2)
        }
        let deadline = ContinuousClock.now + .seconds(20)
        while bench.watch.errors().ranges(of: "hit").count < 3, ContinuousClock.now < deadline {
          try await Task.sleep(for: .milliseconds(10))
        }
        #expect(bench.watch.errors().ranges(of: "hit").count == 3)
        #expect(bench.watch.errors().ranges(of: "nfc: no signal: ").count == 1)
      }
    }
  }
}
