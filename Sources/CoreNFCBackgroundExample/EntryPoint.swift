import CoreNFC

// On Linux this stands for what UIKit does: it hands what `nfc watch` has read to the delegate.
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

  /// Unchecked because the delegate is called on the main queue only.
  private struct Delegate: @unchecked Sendable {
    let value = ApplicationDelegate()
  }
}
