import Testing

@testable import SwiftNFCTool

@Suite struct RefusalDetectorTests {
  private static let long = RefusalDetector.shortestRefused + 1

  /// Returns the numbers of the connections after which the oldest message is considered refused.
  private static func refusals(
    _ connections: Int, after age: Duration = .milliseconds(20), unacknowledged length: Int?
  ) -> [Int] {
    var detector = RefusalDetector()
    return (1...connections).filter { _ in
      detector.ended(after: age, unacknowledged: length)
    }
  }

  @Test func aLongMessageThatEndsEveryConnectionIsRefused() {
    var detector = RefusalDetector()
    var windows: [Int] = []
    for connection in 1...5 {
      windows.append(detector.window)
      let isRefused = detector.ended(after: .milliseconds(20), unacknowledged: Self.long)
      #expect(isRefused == (connection == 5))
    }
    #expect(windows == [100, 100, 100, 1, 1], "it was the only one the last times")
    #expect(!detector.isSuspicious, "the next message is not suspected")
  }

  /// A broker that is restarted, whose host is lost, or that refuses every message.
  @Test func otherMessagesAreNot() {
    #expect(Self.refusals(50, unacknowledged: RefusalDetector.shortestRefused) == [])
    #expect(Self.refusals(50, unacknowledged: nil) == [])
    #expect(Self.refusals(50, after: .seconds(10), unacknowledged: Self.long) == [])
  }

  @Test func anAcknowledgementEndsTheSuspicion() {
    var detector = RefusalDetector()
    for _ in 1...50 {
      for _ in 1...4 {
        let isRefused = detector.ended(after: .milliseconds(20), unacknowledged: Self.long)
        #expect(!isRefused)
      }
      #expect(detector.isSuspicious)
      detector.acknowledged()
      #expect(!detector.isSuspicious)
    }
  }
}
