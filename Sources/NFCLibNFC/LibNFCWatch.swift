import SwiftNFCCore
import SwiftNFCUSB
import SwiftNFCSystemFacts

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Watches libnfc's readers come and go: those on USB, and the serial ports and other nodes that it
/// was asked to watch.
///
/// libusb reports a USB device after udev has given it its rights. Where no udev runs, as in a container, nothing
/// is reported; so the nodes in `/dev` are looked at too, with their rights, once a period. Readers are asked
/// for again only when something about the nodes has changed.
package final class LibNFCWatch: ReaderSourceWatch {
  private let usb = USBWatch()
  /// Readers that are named, and there whenever their nodes are.
  private let named: [(address: ReaderAddress, path: String)]
  private var nodes: Set<DeviceNodes.Node>?
  private var found: [FoundReader] = []

  /// How often the nodes are looked at while nothing is reported.
  private static let period = Duration.milliseconds(500)

  /// The readers that are found without being named.
  private let find: () -> [FoundReader]

  package init(
    naming addresses: [ReaderAddress],
    finding find: @escaping () -> [FoundReader] = { LibNFCSource().readers() }
  ) {
    self.find = find
    named = addresses.compactMap { address in
      switch try? ConnectionString(address.description).address() {
      case .serialPort(let path), .node(let path): (address, path)
      case .usb, nil: nil
      }
    }
  }

  private func currentNodes() -> Set<DeviceNodes.Node> {
    DeviceNodes.current(named.map(\.path))
  }

  package func readers() -> [FoundReader] {
    let nodes = currentNodes()
    if nodes != self.nodes {
      self.nodes = nodes
      found = find()
    }
    let present = named.filter { reader in
      nodes.contains { $0.path == reader.path }
        && !found.contains { $0.answers(to: reader.address) }
    }
    return found + present.map { FoundReader($0.address) }
  }

  package func wait(atMost timeout: Duration) -> Bool {
    guard let usb else { return false }
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    while clock.now < deadline {
      let start = clock.now
      if usb.wait(atMost: min(Self.period, deadline - start)) {
        // libnfc is asked whatever the state of the nodes.
        nodes = nil
        return true
      }
      if currentNodes() != nodes { return true }
      // An interruption, or nothing more to wait for.
      if clock.now - start < Self.period { return true }
    }
    return true
  }

  package var cancel: @Sendable () -> Void {
    guard let usb else { return {} }
    return usb.cancel
  }
}

/// The nodes of devices that may be readers, with what changes when one is plugged in or gets its rights.
enum DeviceNodes {
  struct Node: Hashable, Sendable {
    let path: String
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    /// The number of the node, which is another one if a device is plugged in again under its old
    /// name.
    let number: UInt64
    /// Whether this login may read and write it, for any reason.
    let isUsable: Bool
  }

  private static let usbFolder = "/dev/bus/usb"

  /// Returns the nodes of all USB devices, and those of `paths` that are there.
  static func current(_ paths: [String]) -> Set<Node> {
    var paths = paths
    for bus in Folder.names(in: usbFolder) ?? [] {
      let folder = "\(usbFolder)/\(bus)"
      paths += (Folder.names(in: folder) ?? []).map { "\(folder)/\($0)" }
    }
    return Set(paths.compactMap(node))
  }

  private static func node(_ path: String) -> Node? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // The times indicate nothing: those of a USB device change with each transfer.
    return Node(
      path: path, mode: UInt32(status.st_mode), owner: status.st_uid, group: status.st_gid,
      number: UInt64(truncatingIfNeeded: status.st_ino), isUsable: access(path, R_OK | W_OK) == 0)
  }
}

/// Lets time pass on a thread that may block.
package func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }
