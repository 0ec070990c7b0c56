import CoreNFC

// On Linux, this does UIKit's work: it passes what `nfc watch` has read to the delegate.
@main
enum EntryPoint {
  /// The name under which the program registers its domains.
  static let name = "museum-guide"

  static func main() throws {
    setlinebuf(stdout)
    let delegate = Delegate()
    let reading = try NFCBackgroundTagReading(application: name) { activity in
      _ = delegate.value.application(continue: activity)
    }
    print("ready")
    withExtendedLifetime(reading) { dispatchMain() }
  }

  /// Unchecked because the delegate is called only on the main queue.
  private struct Delegate: @unchecked Sendable {
    let value = ApplicationDelegate()
  }
}
