import SwiftNFCCore
import Testing

@testable import SwiftNFCPCSC

/// When a service that shows no card is made to look again.
@Suite struct OverlookedCardTests {
  /// What the service shows, and what follows from it.
  private struct Step {
    var time: Int
    var isPresent = false
    var event: Int
    var isInUse = false
    var decision = OverlookedCard.Decision.accept
  }

  private func check(_ steps: [Step], _ sourceLocation: SourceLocation = #_sourceLocation) {
    var overlooked = OverlookedCard()
    for step in steps {
      let status = SmartCardStatus(isCardPresent: step.isPresent, eventCount: step.event, atr: [])
      #expect(
        overlooked.decide(status, isInUse: step.isInUse, at: .milliseconds(step.time))
          == step.decision, "\(step)", sourceLocation: sourceLocation)
    }
  }

  /// A card that was there at the same event cannot have left: the service would have counted that.
  @Test func looksUntilTheCardIsThere() {
    check([
      Step(time: 0, isPresent: true, event: 3), Step(time: 100, event: 3),
      Step(time: 599, event: 3), Step(time: 600, event: 3, decision: .look),
      Step(time: 700, event: 3), Step(time: 1100, event: 3, decision: .look),
      Step(time: 1200, isPresent: true, event: 3), Step(time: 1300, event: 3),
      Step(time: 1800, event: 3, decision: .look),
    ])
  }

  /// The service has counted that the card has left, and notices the next one itself. It would switch on a second
  /// time a card that was found before, in the middle of a command.
  @Test func doesNotLookForACardThatHasLeft() {
    check([
      Step(time: 0, isPresent: true, event: 3), Step(time: 100, event: 4),
      Step(time: 700, event: 4), Step(time: 9000, event: 4),
      Step(time: 9100, isPresent: true, event: 5),
    ])
  }

  /// Another program may have had a card before.
  @Test func looksOnceWhereNoCardWasSeen() {
    check([
      Step(time: 0, event: 0), Step(time: 499, event: 0),
      Step(time: 500, event: 0, decision: .look), Step(time: 5000, event: 0),
    ])
  }

  /// The card may also be one that has just come, and that the service is about to count.
  @Test func waitsUntilTheServiceHasCountedACard() {
    let looked = [Step(time: 0, event: 0), Step(time: 500, event: 0, decision: .look)]
    check(
      looked + [
        Step(time: 501, isPresent: true, event: 0, decision: .hide),
        Step(time: 999, isPresent: true, event: 0, decision: .hide),
        Step(time: 1000, isPresent: true, event: 0), Step(time: 1010, isPresent: true, event: 0),
      ])
    check(
      looked + [
        Step(time: 501, isPresent: true, event: 0, decision: .hide),
        Step(time: 700, isPresent: true, event: 1),
      ])
  }

  /// A program that is connected to the reader would be disturbed, or make this one wait.
  @Test func doesNotLookWhileAnotherProgramUsesTheReader() {
    check([
      Step(time: 0, event: 0), Step(time: 900, event: 0, isInUse: true),
      Step(time: 1000, event: 0, decision: .look),
    ])
  }
}
