/// Reports that USB devices have come or gone.
///
/// libusb is told by udev, once udev has given the device its rights. Used by one thread, except ``cancel``.
package final class USBWatch {
  private let context: LibUSB.Context

  /// `nil` where the system reports nothing.
  package init?() {
    guard let context = try? LibUSB.Context(), context.hasHotplug, (try? context.watch()) != nil
    else { return nil }
    self.context = context
  }

  /// Waits until a device comes or goes, so long at most.
  ///
  /// - Returns: whether one has.
  package func wait(atMost timeout: Duration) -> Bool {
    context.handleEvents(atMost: timeout)
    return context.changes.lower()
  }

  /// Ends the wait that is running, from any thread.
  package var cancel: @Sendable () -> Void {
    let context = context
    return { context.interrupt() }
  }
}
