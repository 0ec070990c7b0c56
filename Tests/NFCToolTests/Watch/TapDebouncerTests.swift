import Testing

@testable import SwiftNFCTool

@Suite struct TapDebouncerTests {
  /// A wrapper, because an expectation cannot contain a mutation.
  private final class Debouncing {
    var value = TapDebouncer(period: .seconds(2))

    func arrives(_ key: TapDebouncer.Key) -> Bool { value.arrives(key) }
    func leaves(_ key: TapDebouncer.Key, at time: Duration) { value.leaves(key, at: time) }
    func loses(_ reader: String, at time: Duration) { value.loses(reader, at: time) }
    func departures(at time: Duration) -> [TapDebouncer.Departure] { value.departures(at: time) }

    func wasRead(
      _ key: TapDebouncer.Key, _ tap: Tap, isComplete: Bool, at time: Duration
    ) -> Bool {
      value.wasRead(key, tap, isComplete: isComplete, at: time)
    }
  }

  private let key = TapDebouncer.Key(reader: "r", technology: "iso14443a", identifier: [4, 1])
  private let tap = Tap(time: .zero, reader: "r", tag: [])

  @Test func aTagThatBouncesIsOneTap() {
    let debouncer = Debouncing()
    #expect(debouncer.arrives(key))
    #expect(debouncer.wasRead(key, tap, isComplete: true, at: .zero))
    for second in 1...5 {
      debouncer.leaves(key, at: .seconds(second))
      #expect(debouncer.departures(at: .milliseconds(second * 1000 + 900)).isEmpty)
      #expect(!debouncer.arrives(key))
    }
    debouncer.leaves(key, at: .seconds(10))
    #expect(debouncer.value.nextDeparture == .seconds(12))
    let departures = debouncer.departures(at: .seconds(12))
    #expect(departures.map(\.tap.id) == [tap.id])
    #expect(departures.map(\.isUnreported) == [false])
    #expect(debouncer.arrives(key), "it has been gone for as long as that takes")
    #expect(debouncer.value.count == 0)
  }

  @Test func aTagThatWasRemovedIsReadWhenItComesBack() {
    let debouncer = Debouncing()
    #expect(debouncer.arrives(key))
    #expect(!debouncer.wasRead(key, tap, isComplete: false, at: .zero))
    #expect(debouncer.value.present(on: "r").isEmpty)
    #expect(debouncer.arrives(key), "it has not been reported")
    #expect(debouncer.wasRead(key, tap, isComplete: true, at: .seconds(1)))
    #expect(debouncer.value.present(on: "r").map(\.id) == [tap.id])
  }

  @Test func aTagThatWasNeverReadIsReportedAsItIs() {
    let debouncer = Debouncing()
    #expect(debouncer.arrives(key))
    #expect(!debouncer.wasRead(key, tap, isComplete: false, at: .seconds(1)))
    #expect(debouncer.departures(at: .milliseconds(2999)).isEmpty)
    #expect(debouncer.departures(at: .seconds(3)).map(\.isUnreported) == [true])
  }

  @Test func aReaderTakesItsTagsWithIt() {
    let debouncer = Debouncing()
    let other = TapDebouncer.Key(reader: "s", technology: "iso14443a", identifier: [4, 1])
    _ = debouncer.wasRead(key, tap, isComplete: true, at: .zero)
    _ = debouncer.wasRead(other, tap, isComplete: true, at: .zero)
    debouncer.loses("r", at: .seconds(1))
    #expect(debouncer.departures(at: .seconds(9)).map(\.key) == [key])
    #expect(debouncer.value.count == 1)
  }
}
