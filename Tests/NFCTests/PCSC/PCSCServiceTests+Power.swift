import Foundation
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

extension PCSCServiceTests {
  /// The daemon that is to switch off a card that has just left records that there is none, and counts no event. It
  /// looks at its readers every 0.4 s: a card that comes before it looks again is one that it never reports
  /// (pcsc-lite, `SCardDisconnect`, `IFDPowerICC` and `EHStatusHandlerThread`).
  @Test func findsACardThatTheServiceOverlooks() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try PCSCService(.icodeSLIX2())
      let name = service.daemon.slots[0].name
      _ = try await service.open().close()
      let other = try PCSCLite()

      /// Swaps the card while another program switches it off. Returns whether the daemon shows none afterward,
      /// although it has counted no event.
      func isOverlooked(_ tag: VirtualTag) async throws -> Bool {
        try other.connect(to: name)
        let before = try other.status(of: name)
        service.field.removeAll()
        // The driver sees the card go after 20 ms, and another one after 120 ms.
        try await Task.sleep(for: .milliseconds(60))
        other.powerOff()
        service.field.place(tag)
        let program = try PCSCLite()
        defer { program.close() }
        try await Task.sleep(for: .milliseconds(900))
        let now = try program.status(of: name)
        return !now.isCardPresent && now.eventCount & 0xFFFF == before.eventCount & 0xFFFF
      }
      service.client.setAbsence(milliseconds: 100)
      var count = 0
      for number in 1...6 as ClosedRange<UInt8> {
        let uid: [UInt8] = [0xE0, 0x04, 0x01, 0x00, 0, 0, 0, number]
        if try await isOverlooked(.icodeSLIX2(uid: uid)) { count += 1 }
        let reader = try await Reader.open("pcsc:\(name)")
        #expect(try await reader.awaitedTag().identifier == uid)
        await reader.close()
      }
      #expect(count > 0, "the daemon has always looked in between")
      other.close()
      service.client.close()
    }
  }

  /// The next program finds a card that starts again after half a command or an authentication, and is not made to
  /// wait for one that was left in order.
  @Test func leavesNoHalfCommand() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let times = PowerTimes()
      let service = try PCSCService(
        VirtualTag(DESFire(.ev2, formatted: false)), trace: { times.note($0) })
      let name = service.daemon.slots[0].name
      let getVersion: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]

      /// Uses the card, and returns the time from its last answer until its power was switched off.
      func use(_ body: (DetectedTag) async throws -> Void) async throws -> Duration {
        let reader = try await service.open()
        let tag = try await reader.awaitedTag()
        try await tag.connect()
        try await body(tag)
        await reader.close()
        return try await times.fromAnswerToPowerOff()
      }
      /// Uses the card, several times if the machine is so busy that a card that was switched off at once cannot be
      /// told from one that the daemon has switched off.
      func isSwitchedOffAtOnce(_ body: (DetectedTag) async throws -> Void) async throws -> Bool {
        for _ in 0..<8 where try await use(body) < PowerTimes.shortestOfDaemon { return true }
        return false
      }
      func status(of getVersion: [UInt8], from program: PCSCLite) throws -> [UInt8] {
        defer { program.disconnect() }
        try program.connect(to: name)
        return try program.transmit(getVersion, atMost: .seconds(1)).suffix(2)
      }

      // What the daemon itself does: the card goes on where it was left. It switches off a card that nobody uses at
      // its second look; between the programs here, there is next to no time for two.
      _ = try await service.open().close()
      let programs = [try PCSCLite(), try PCSCLite()]
      var answers: [[UInt8]] = []
      while answers.count < 16, answers.last != [0x91, 0xCA] {
        answers.append(try status(of: getVersion, from: programs[answers.count % 2]))
      }
      #expect(answers.last == [0x91, 0xCA], "\(answers)")
      _ = try await times.fromAnswerToPowerOff()

      let isOffAfterHalf = try await isSwitchedOffAtOnce { tag in
        await #expect(throws: CancellationError.self) {
          try await tag.tag.exclusively { link in
            _ = try link.transceive([0x60])
            throw CancellationError()
          }
        }
      }
      #expect(isOffAfterHalf)
      #expect(try status(of: getVersion, from: programs[0]) == [0x91, 0xAF])

      let isOffAfterChallenge = try await isSwitchedOffAtOnce { tag in
        guard case .miFare(let card) = tag else { return }
        let challenge = try await card.sendMiFareCommand([0x1A, 0x00])
        #expect(challenge.first == 0xAF)
      }
      #expect(isOffAfterChallenge)
      #expect(try status(of: getVersion, from: programs[0]) == [0x91, 0xAF])

      let left = try await use { tag in
        guard case .miFare(let card) = tag else { return }
        for command: [UInt8] in [[0x60], [0xAF], [0xAF]] {
          let answer = try await card.sendMiFareCommand(command)
          #expect(answer.count > 1)
        }
      }
      #expect(left >= PowerTimes.shortestOfDaemon)
      for program in programs { program.close() }
      service.client.close()
    }
  }
}

/// When the card has last answered a program, and when its power was then switched off.
///
/// The daemon sends no answer to the program that depends on the card's power being off, so the card may lose it a
/// moment after the program has continued.
private final class PowerTimes: Sendable {
  /// The least time from a card's last answer until the daemon switches it off by itself. It looks at a card every
  /// 0.4 s. Its first look after the last program only notes that nobody uses the card (pcsc-lite, eventhandler.c,
  /// `POWER_STATE_GRACE_PERIOD`).
  static let shortestOfDaemon = Duration.milliseconds(400)

  private struct State {
    var answer: ContinuousClock.Instant?
    var powerOff: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  func note(_ event: TraceEvent) {
    let now = ContinuousClock.now
    state.withLock { state in
      switch event {
      case .reply: state = State(answer: now)
      case .carrier(false) where state.powerOff == nil: state.powerOff = now
      default: break
      }
    }
  }

  /// Waits until the card has no power.
  func fromAnswerToPowerOff() async throws -> Duration {
    let limit = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < limit {
      let (answer, powerOff) = state.withLock { ($0.answer, $0.powerOff) }
      if let answer, let powerOff { return powerOff - answer }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw NFCError(.noTag, "the daemon does not switch the card off")
  }
}
