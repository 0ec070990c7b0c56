import NFC
import SUNMessage
import Testing
import TestSupport
import VirtualNFC

@testable import SecureTags

/// Tests an NTAG 424 DNA that is switched to LRP, through the real libnfc.
@Suite(.replayed, .asking(.configurationLock)) struct NTAG424LRPTests {
  private static func switched(_ bench: NTAG424Bench) async throws -> DESFireApplication {
    let chip = try await bench.chip()
    try await chip.authenticate(0, .factory(.aes))
    #expect(!chip.card.usesLRP)
    try await chip.card.switchToLRPPermanently()
    #expect(chip.card.usesLRP)
    return chip
  }

  @Test(arguments: [
    ("https://a.example/?p={picc}&c={mac}", ""),
    ("https://a.example/{uid}/{counter}/{mac}", ""),
    ("https://a.example/?p={picc}&e={enc:32}&c={mac}", "Good-morning-and-good-night"),
  ])
  func signedLink(template: String, fileData: String) async throws {
    let bench = try await NTAG424Bench()
    let old = NTAG424Setup(
      link: try NTAG424Link("https://old.example/?p={picc}&c={mac}"), newKeys: [1: try aes(1)])
    try await bench.chip().setUp(old)
    _ = try await Self.switched(bench)
    // The chip no longer inserts data and no longer accepts AES.
    #expect(try bench.state.usesLRP)
    #expect(try bench.state.fileSettings[1][1] & 0x40 == 0)
    let link = try NTAG424Link(template) { $0.fileData = Array(fileData.utf8) }
    let setup = NTAG424Setup(
      link: link, keys: [1: try aes(1)], newKeys: [2: try aes(2), 0: try aes(9)])
    // An object of another program does not know the mode.
    let chip = try await bench.chip()
    let plan = try await chip.plan(setup)
    let done = try await chip.setUp(setup)
    #expect(chip.card.usesLRP && done.link.template.mode == .lrp)
    #expect(done.steps == plan.steps)
    #expect(
      try await bench.chip().plan(
        NTAG424Setup(link: link, keys: [0: try aes(9), 1: try aes(1), 2: try aes(2)])
      ).steps.isEmpty)
    var last: UInt32 = 0
    for _ in 0..<2 {
      let text = try #require(try await bench.link())
      let reading = try SUNMessage(url: text, template: done.link.template).verified(
        metaReadKey: try sunKey(2), fileReadKey: try sunKey(1))
      #expect(reading.mode == .lrp && reading.uid == bench.tag.identifier)
      #expect(reading.fileData.map { $0.starts(with: fileData.utf8) } ?? fileData.isEmpty)
      let counter = try #require(reading.readCounter)
      #expect(counter > last)
      last = counter
      #expect(throws: SUNError.self) {
        try SUNMessage(url: text, template: done.link.template).verified(
          metaReadKey: try sunKey(2), fileReadKey: try sunKey(3))
      }
    }
    await bench.close()
  }

  /// A link that fits with AES but not with LRP is refused before anything is changed.
  @Test func longLink() async throws {
    let bench = try await NTAG424Bench()
    _ = try await Self.switched(bench)
    let before = try bench.state
    let link = try NTAG424Link(
      "https://a.example/{picc}{mac}" + String(repeating: "x", count: 191))
    let error = await #expect(throws: NFCError.self) {
      try await bench.chip().setUp(NTAG424Setup(link: link))
    }
    #expect(error?.code == .capacityExceeded)
    #expect(try bench.state.memory == before.memory)
    await bench.close()
  }

  /// Wrong keys are counted once; the switch is performed completely or not at all, at each exchange.
  @Test func faults() async throws {
    let bench = try await NTAG424Bench()
    let chip = try await Self.switched(bench)
    let error = await #expect(throws: NFCError.self) { try await chip.authenticate(2, aes(5)) }
    #expect(error?.code == .authenticationFailed)
    let fresh = await #expect(throws: NFCError.self) {
      try await bench.chip().authenticate(2, aes(5))
    }
    #expect(fresh?.code == .authenticationFailed)
    #expect(try bench.state.failedAuthentications == [0, 0, 2, 0, 0])
    await #expect(throws: NFCError.self) { try await chip.card.switchToLRPPermanently() }
    for effect in [Fault.Effect.tagLeaves, .answerLost] {
      for moment in 0..<4 {
        bench.restore(NTAG424())
        bench.field.place(bench.tag)
        let chip = try await bench.chip()
        bench.virtual.setFaults([Fault(effect, at: .exchange(moment))])
        do {
          try await chip.authenticate(0, .factory(.aes))
          try await chip.card.switchToLRPPermanently()
        } catch let error as NFCError {
          #expect(error.group == .connection, "\(moment): \(error)")
        }
        bench.virtual.setFaults([])
        bench.field.place(bench.tag)
        let next = try await bench.chip()
        try await next.authenticate(0, .factory(.aes))
        #expect(try bench.state.usesLRP == next.card.usesLRP, "\(moment)")
        #expect(try await next.card.cardUID() == bench.tag.identifier)
      }
    }
    await bench.close()
  }
}
