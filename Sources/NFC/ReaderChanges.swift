import NFCCore
import NFCLibNFC
import NFCPCSC
import ReaderThread

/// A reader that has been plugged in or unplugged.
public enum ReaderChange: Hashable, Sendable {
  /// A reader is there; its connection string.
  case appeared(String)
  /// A reader is no longer there.
  case disappeared(String)
}

/// Readers as they come and go, until the task is cancelled; those that are there come first.
///
/// Readers are looked for only while the next change is waited for. The PC/SC service tells of its
/// own at once, and is waited for anew after it has stopped. libnfc tells of none: its readers are
/// looked for when a USB device has come or gone, which is noticed within a second by the names of
/// the devices and costs no more than reading them.
public struct ReaderChanges: AsyncSequence, Sendable {
  public typealias Element = ReaderChange

  public func makeAsyncIterator() -> Iterator { Iterator() }

  public struct Iterator: AsyncIteratorProtocol {
    private var watch: ReaderWatch?
    private var known: [String] = []
    private var queue: [ReaderChange] = []

    public mutating func next() async throws -> ReaderChange? {
      while queue.isEmpty {
        try Task.checkCancellation()
        let isFirst = watch == nil
        let watch = try self.watch ?? ReaderWatch(thread: Reader.makeThread())
        self.watch = watch
        if !isFirst { try await watch.wait() }
        let names = await watch.list(known: known)
        queue = Self.changes(from: known, to: names)
        known = names
      }
      return queue.removeFirst()
    }

    /// Those that have gone first, so that one that comes back under its name is not missed.
    static func changes(from old: [String], to new: [String]) -> [ReaderChange] {
      old.filter { !new.contains($0) }.map { .disappeared($0) }
        + new.filter { !old.contains($0) }.map { .appeared($0) }
    }
  }
}

extension Reader {
  /// Readers as they are plugged in and unplugged, by the names that ``list()`` gives.
  ///
  /// ```swift
  /// for try await change in Reader.changes() {
  ///   if case .appeared(let name) = change { print(name) }
  /// }
  /// ```
  public static func changes() -> ReaderChanges { ReaderChanges() }
}

/// Looks for readers on a thread of its own: looking blocks, and so does waiting for the PC/SC
/// service.
private actor ReaderWatch {
  /// How soon a USB device, or a PC/SC service that did not run, is noticed.
  private static let period = Duration.seconds(1)

  private let thread: ReaderThread
  private let service = PCSCReaders()
  private let cancel: @Sendable () -> Void
  /// The USB devices that were there when libnfc was asked last, and what it found.
  private var devices: Set<String>?
  private var libnfc: [String] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(thread: ReaderThread) {
    self.thread = thread
    cancel = service.cancel
  }

  /// Waits until readers may have come or gone, at most for a period.
  func wait() async throws {
    let isWaiting = await withTaskCancellationHandler {
      service.wait(atMost: Self.period)
    } onCancel: {
      cancel()
    }
    try Task.checkCancellation()
    if !isWaiting { try await Task.sleep(for: Self.period) }
  }

  /// The readers that are there.
  ///
  /// - Parameter known: those that were. libnfc does not list every reader that is in use; one
  ///   whose device is still there has not gone.
  func list(known: [String]) -> [String] {
    let devices = Self.usbDevices()
    if devices == nil || devices != self.devices {
      self.devices = devices
      var found = LibNFCDriver.list()
      let present = devices ?? []
      for name in known where !found.contains(name) && present.contains(Self.device(of: name)) {
        found.append(name)
      }
      libnfc = found
    }
    return ReaderNames.merged(libnfc: libnfc, pcsc: service.list())
  }

  /// `001/004` of `acr122_usb:001:004`.
  private static func device(of connectionString: String) -> String {
    connectionString.split(separator: ":").dropFirst().joined(separator: "/")
  }

  /// The names of the USB devices, bus and number; `nil` where the system does not show them so.
  private static func usbDevices() -> Set<String>? {
    let root = "/dev/bus/usb"
    // Linux has no such folder without a USB controller, other systems never.
    let files = SystemFiles.own
    guard let buses = files.names(in: root) else { return showsDevices ? [] : nil }
    return Set(
      buses.flatMap { bus in (files.names(in: "\(root)/\(bus)") ?? []).map { "\(bus)/\($0)" } })
  }

  #if os(Linux)
  private static let showsDevices = true
  #else
  private static let showsDevices = false
  #endif
}
