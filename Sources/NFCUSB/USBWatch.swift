/// Reports that USB devices have arrived or left.
///
/// libusb receives the events from udev, after udev has set the device's permissions. Only
/// ``cancel`` may be called from another thread.
package final class USBWatch {
  private let context: LibUSB.Context

  /// Returns `nil` on a system that does not report changes.
  package init?() {
    guard let context = try? LibUSB.Context(), context.hasHotplug, (try? context.watch()) != nil
    else { return nil }
    self.context = context
  }

  /// Waits until a device arrives or leaves, at most as long as the timeout.
  ///
  /// - Returns: whether a device has arrived or left.
  package func wait(atMost timeout: Duration) -> Bool {
    context.handleEvents(atMost: timeout)
    return context.changes.lower()
  }

  /// Ends the current wait, from any thread.
  package var cancel: @Sendable () -> Void {
    let context = context
    return { context.interrupt() }
  }
}
