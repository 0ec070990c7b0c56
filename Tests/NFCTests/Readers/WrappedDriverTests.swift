import Foundation
import NFC
import SwiftNFCCore
import Synchronization
import Testing
import VirtualNFC

/// A driver in front of that of every reader, as `nfc --record` uses one.
@Suite struct WrappedDriverTests {
  /// In a process of its own, because the drivers of all readers are wrapped.
  @Test func everyReaderIsWrappedAsDirectlyAsTheFirst() async throws {
    await #expect(processExitsWith: .success) {
      let depths = Depths()
      ReaderSources.wrapDrivers { driver in
        depths.append(Thread.callStackReturnAddresses.count)
        return driver
      }
      let virtual = DirectReader(VirtualField())
      for _ in 0..<30 {
        let reader = try await Reader.open { virtual.driver() }
        await reader.close()
      }
      let seen = depths.all
      #expect(seen.count == 30)
      #expect(Set(seen).count == 1, "functions on the stack: \(seen)")
    }
  }

  private final class Depths: Sendable {
    private let depths = Mutex<[Int]>([])
    var all: [Int] { depths.withLock { $0 } }
    func append(_ depth: Int) { depths.withLock { $0.append(depth) } }
  }
}
