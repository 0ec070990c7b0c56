import Foundation
import NFC
import SwiftNFCCore
import Synchronization
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// Which USB adapter a serial port is on, and that another one is not taken for it.
  @Suite struct SerialAdapterTests {
    /// A made-up `/sys` and `/dev`, with the folders and links that Linux has for ttyUSB and ttyACM ports.
    private final class System {
      let root: URL

      init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "system-\(UUID())")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      }

      deinit { try? FileManager.default.removeItem(at: root) }

      var sys: String { root.appending(path: "sys").path }

      private func folder(_ path: String) throws -> URL {
        let url = root.appending(path: path)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
      }

      /// Plugs an adapter in and gives the node of its port. The name of the port comes back, as with Linux.
      func plug(
        _ socket: String, vendor: String = "1a86", product: String = "7523",
        serial: String? = nil, port: String = "ttyUSB0", isModem: Bool = false
      ) throws -> String {
        let device = "sys/devices/pci0000:00/0000:00:14.0/usb1/\(socket)"
        let usb = try folder(device)
        try Data("\(vendor)\n".utf8).write(to: usb.appending(path: "idVendor"))
        try Data("\(product)\n".utf8).write(to: usb.appending(path: "idProduct"))
        let number = usb.appending(path: "serial")
        try? FileManager.default.removeItem(at: number)
        if let serial { try Data("\(serial)\n".utf8).write(to: number) }
        // ttyACM's device is the interface itself, ttyUSB's a folder in it.
        let interface = "\(device)/\(socket):1.0"
        let place = isModem ? interface : "\(interface)/\(port)"
        _ = try folder(place)
        let link = try folder("sys/class/tty/\(port)").appending(path: "device")
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(
          at: link, withDestinationURL: root.appending(path: place))
        let node = try folder("dev").appending(path: port)
        try Data().write(to: node)
        return node.path
      }
    }

    @Test(arguments: [false, true]) func isFoundAboveThePort(_ isModem: Bool) throws {
      let system = try System()
      let node = try system.plug(
        "1-2.3", serial: "A50285BI", port: isModem ? "ttyACM0" : "ttyUSB0", isModem: isModem)
      let adapter = try #require(SerialAdapter(of: node, system: system.sys))
      #expect(
        adapter
          == SerialAdapter(
            vendor: "1a86", product: "7523", serialNumber: "A50285BI", socket: "1-2.3"))
      #expect(adapter.name == "USB 1a86:7523, serial number A50285BI")
      // As /dev/serial/by-id has it.
      let link = system.root.appending(path: "by-id")
      try FileManager.default.createSymbolicLink(
        at: link, withDestinationURL: URL(filePath: node))
      #expect(SerialAdapter(of: link.path, system: system.sys) == adapter)
    }

    /// A port of the board, a pseudo-terminal, a path that leads nowhere.
    @Test func otherPortsHaveNone() throws {
      let system = try System()
      let node = try system.plug("1-2")
      try FileManager.default.removeItem(
        atPath: system.sys + "/devices/pci0000:00/0000:00:14.0/usb1/1-2/idVendor")
      #expect(SerialAdapter(of: node, system: system.sys) == nil)
      let virtual = try VirtualReader(VirtualField())
      #expect(SerialAdapter(of: virtual.path) == nil)
      #expect(SerialAdapter(of: "/dev/nothing-is-here") == nil)
    }

    struct Pair: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let isSame: Bool
      let first: SerialAdapter
      let second: SerialAdapter

      init(
        _ testDescription: String, _ isSame: Bool, _ first: (String, String?, String),
        _ second: (String, String?, String)
      ) {
        func adapter(_ facts: (String, String?, String)) -> SerialAdapter {
          SerialAdapter(
            vendor: "0403", product: facts.0, serialNumber: facts.1, socket: facts.2)
        }
        self.testDescription = testDescription
        self.isSame = isSame
        self.first = adapter(first)
        self.second = adapter(second)
      }
    }

    @Test(arguments: [
      Pair("as before", true, ("6001", "A1", "1-2"), ("6001", "A1", "1-2")),
      Pair("in another socket", true, ("6001", "A1", "1-2"), ("6001", "A1", "2-1.4")),
      Pair("another of the model", false, ("6001", "A1", "1-2"), ("6001", "B7", "1-2")),
      Pair("another model", false, ("6001", "A1", "1-2"), ("6015", "A1", "1-2")),
      Pair("no number, same socket", true, ("6001", nil, "1-2"), ("6001", nil, "1-2")),
      Pair("no number, another socket", false, ("6001", nil, "1-2"), ("6001", nil, "1-3")),
      Pair("a number where there was none", false, ("6001", nil, "1-2"), ("6001", "A1", "1-2")),
    ])
    func identity(_ pair: Pair) {
      #expect(pair.first.isSame(as: pair.second) == pair.isSame)
    }

    /// A reader goes, and an adapter comes back under the port's name.
    @Test(arguments: [true, false]) func whatComesBack(_ isSame: Bool) throws {
      let system = try System()
      let node = try system.plug("1-2", serial: "A1")
      let link = system.root.appending(path: "reader").path
      let fields = [VirtualField(), VirtualField()]
      for field in fields { field.place(.ntag213()) }
      let first = try VirtualReader(fields[0])
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first.path)
      let sys = system.sys
      let driver = try LibNFCDriver.open("pn532_uart:\(link)", currently: nil) { _ in
        SerialAdapter(of: node, system: sys)
      }
      driver.begin()
      defer {
        driver.end()
        driver.close()
      }
      #expect(try driver.list(.iso14443a).count == 1)
      first.close()
      driver.disconnect()
      let second = try VirtualReader(fields[1])
      try FileManager.default.removeItem(atPath: link)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.path)
      _ = try system.plug(isSame ? "1-4" : "1-2", serial: isSame ? "A1" : "B7")
      if isSame {
        try driver.resetField()
        #expect(try driver.list(.iso14443a).count == 1)
      } else {
        let error = #expect(throws: NFCError.self) { try driver.resetField() }
        #expect(error?.code == .readerLost)
        #expect(error?.reason.contains("serial number B7") ?? false, "\(error?.reason ?? "")")
        // Nothing was written to the other one.
        #expect(!fields[1].isPowered)
        #expect(second.statistics.commands == 0)
        // The right one can still come back.
        _ = try system.plug("1-2", serial: "A1")
        try driver.resetField()
        #expect(try driver.list(.iso14443a).count == 1)
      }
    }
  }
}
