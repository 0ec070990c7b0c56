import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// A PC/SC daemon that accepts connections and answers nothing, as one that hangs in a reader's driver.
///
/// Each test runs in a process of its own, as those of ``PCSCServiceTests``.
@Suite(.serialized) struct SilentServiceTests {
  private typealias Service = PCSCService

  /// Runs `body` and says how long it took.
  private static func time(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return ContinuousClock.now - start
  }

  /// The threads of this process (proc(5)).
  private static func threadCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  @Test func isDetectedWithinSeconds() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      setenv("LIBNFC_AUTO_SCAN", "false", 1)
      unsetenv("NFC_READER")
      let service = try Service(.icodeSLIX2())
      service.daemon.pause()
      let listing = try await Self.time {
        let names = try await Reader.list()
        #expect(names.isEmpty)
      }
      #expect(listing < .seconds(4), "\(listing)")
      // What has been found out is not waited for again.
      let opening = await Self.time {
        let error = await #expect(throws: NFCError.self) { _ = try await Reader.open("pcsc:") }
        #expect(error?.code == .readerUnavailable)
        #expect(error?.description.contains("does not answer") == true)
      }
      #expect(opening < .seconds(2), "\(opening)")
      let anyone = await Self.time {
        let error = await #expect(throws: NFCError.self) { _ = try await Reader.open() }
        #expect(error?.code == .readerNotFound)
        #expect(error?.description.contains("does not answer") == true)
      }
      #expect(anyone < .seconds(2), "\(anyone)")

      try await service.resume()
      let reader = try await service.open()
      #expect(try await reader.awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  /// What waits for the daemon is one thread, however often it is asked.
  @Test func holdsOneThread() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service()
      _ = PCSCDriver.list()
      let before = try Self.threadCount()
      service.daemon.pause()
      for _ in 0..<8 { #expect(PCSCDriver.list().isEmpty) }
      await withDiscardingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { _ = try? await Reader.open("pcsc:") }
        }
      }
      // Dispatch keeps a few idle threads of its own for some seconds.
      let held = try Self.threadCount() - before
      #expect(held <= 8, "\(held) threads")
      try await service.resume()
      #expect(try await Reader.open("pcsc:").connectionString.hasPrefix("pcsc:"))
      service.client.close()
    }
  }

  @Test func endsAPoll() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service()
      let reader = try await Reader.open("pcsc:")
      let polling = Task { for try await _ in reader.tags() {} }
      try await Task.sleep(for: .milliseconds(300))
      service.daemon.pause()
      let ending = await Self.time {
        let error = await #expect(throws: NFCError.self) {
          try await within(.seconds(8)) { try await polling.value }
        }
        #expect(error?.code == .readerLost)
        #expect(error?.description.contains("does not answer") == true)
      }
      #expect(ending < .seconds(5), "\(ending)")
      try await service.resume()
      service.field.place(.icodeSLIX2())
      #expect(try await reader.awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  @Test func delaysNoCancellation() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service()
      let reader = try await Reader.open("pcsc:")
      let polling = Task { for try await _ in reader.tags() {} }
      try await Task.sleep(for: .milliseconds(300))
      service.daemon.pause()
      try await Task.sleep(for: .milliseconds(200))
      let cancelling = Self.blockingTime { polling.cancel() }
      #expect(cancelling < .seconds(1), "\(cancelling)")
      let ending = await Self.time {
        await #expect(throws: CancellationError.self) { try await polling.value }
      }
      #expect(ending < .seconds(3), "\(ending)")
      let closing = await Self.time { await reader.close() }
      #expect(closing < .seconds(3), "\(closing)")
      try await service.resume()
      service.field.place(.icodeSLIX2())
      #expect(try await Reader.open("pcsc:").awaitedTag().technology == .iso15693)
      service.client.close()
    }
  }

  private static func blockingTime(_ body: () -> Void) -> Duration {
    let start = ContinuousClock.now
    body()
    return ContinuousClock.now - start
  }

  /// A card is connected and its reader closed; afterwards it is free.
  @Test func doesNotDelayClosing() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service(.icodeSLIX2())
      let bench = try await service.bench()
      _ = try await bench.tag()
      service.daemon.pause()
      let closing = await Self.time { await bench.reader.close() }
      #expect(closing < .seconds(7), "\(closing)")
      try await service.resume()
      let again = try await service.bench()
      #expect(try await again.tag().readBlocks(0..<1).count == 1)
      service.client.close()
    }
  }

  @Test func delaysNoWatchForReaders() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let service = try Service()
      let readers = PCSCReaders()
      #expect(readers.list().count == 2)
      service.daemon.pause()
      let waiting = Self.blockingTime { _ = readers.wait(atMost: .milliseconds(200)) }
      #expect(waiting < .seconds(4), "\(waiting)")
      #expect(readers.list().isEmpty)
      let cancelling = Self.blockingTime { readers.cancel() }
      #expect(cancelling < .seconds(1), "\(cancelling)")
      try await service.resume()
      #expect(readers.list().count == 2)
      service.client.close()
    }
  }
}
