import Dispatch
import Synchronization
import Testing

@testable import SwiftNFCPCSC

@Suite struct BoundedCallsTests {
  /// Takes the calling thread from Swift's pool while it blocks.
  private func blocking<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
  }

  @Test func givesWhatACallGives() async {
    let calls = BoundedCalls()
    #expect(await blocking { calls.run(atMost: .seconds(5)) { 7 } } == 7)
    // There is nothing to shorten, and the next call is none the worse.
    calls.expedite()
    #expect(await blocking { calls.run(atMost: .seconds(5)) { 8 } } == 8)
  }

  @Test func waitsNoLongerThanAllowed() async {
    let calls = BoundedCalls()
    let end = DispatchSemaphore(value: 0)
    let start = ContinuousClock.now
    let result: Void? = await blocking {
      calls.run(atMost: .milliseconds(50)) { end.wait() }
    }
    #expect(result == nil)
    #expect(ContinuousClock.now - start < .seconds(2))
    end.signal()
    // What has come back late is no answer to the next call.
    #expect(await blocking { calls.run(atMost: .seconds(5)) { 9 } } == 9)
  }

  @Test func shortensTheCallThatIsRunning() async {
    let calls = BoundedCalls()
    let (begin, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let start = ContinuousClock.now
    async let result = blocking {
      calls.run(atMost: .seconds(30)) {
        begin.signal()
        end.wait()
      }
    }
    await blocking { begin.wait() }
    calls.expedite()
    #expect(await result == nil)
    #expect(ContinuousClock.now - start < .seconds(5))
    end.signal()
  }
}
