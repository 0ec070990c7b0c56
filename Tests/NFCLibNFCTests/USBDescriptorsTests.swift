import Testing

@testable import SwiftNFCLibNFC

/// Tests which descriptors libnfc's driver for the ACR122U survives.
@Suite struct USBDescriptorsTests {
  /// A device with one configuration. USB 2.0, 9.6.1.
  private static let device: [UInt8] = [
    0x12, 0x01, 0x10, 0x01, 0x00, 0x00, 0x00, 0x08, 0x2F, 0x07, 0x00, 0x22, 0x14, 0x02, 0x01, 0x02,
    0x00, 0x01,
  ]
  private static let interface: [UInt8] = [0x09, 0x04, 0x00, 0x00, 0x03, 0x0B, 0x00, 0x00, 0x00]
  /// The descriptor of a class, of which only the length matters here.
  private static let smartCards: [UInt8] = [0x36, 0x21] + [UInt8](repeating: 0, count: 0x34)
  private static let interruptIn: [UInt8] = [0x07, 0x05, 0x81, 0x03, 0x08, 0x00, 0xFF]
  private static let bulkOut: [UInt8] = [0x07, 0x05, 0x02, 0x02, 0x40, 0x00, 0x00]
  private static let bulkIn: [UInt8] = [0x07, 0x05, 0x82, 0x02, 0x40, 0x00, 0x00]
  private static let parts = [interface, smartCards, interruptIn, bulkOut, bulkIn]

  private static func configuration(
    _ parts: [[UInt8]], interfaces: UInt8 = 1, missing: Int = 0
  ) -> [UInt8] {
    let content = parts.flatMap(\.self)
    let length = UInt8(9 + content.count + missing)
    return [0x09, 0x02, length, 0x00, interfaces, 0x01, 0x00, 0x80, 0x64] + content
  }

  private static func replacing(
    _ index: Int, _ byte: UInt8, in part: [UInt8], of parts: [[UInt8]] = parts
  ) -> [UInt8] {
    var changed = part
    changed[index] = byte
    return device + configuration(parts.map { $0 == part ? changed : $0 })
  }

  private static func replacing(_ index: Int, _ byte: UInt8) -> [UInt8] {
    var bytes = whole
    bytes[index] = byte
    return bytes
  }

  private static let whole = device + configuration(parts)

  @Test func aReadersAreSound() {
    #expect(USBDescriptors.areSound(Self.whole))
    // A second configuration, of which nothing is used, and a reader without the class descriptor.
    #expect(USBDescriptors.areSound(Self.whole + Self.configuration([])))
    let short = Self.parts.filter { $0 != Self.smartCards && $0 != Self.interruptIn }
    #expect(USBDescriptors.areSound(Self.replacing(4, 2, in: Self.interface, of: short)))
  }

  struct Broken: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) { (testDescription, self.bytes) = (name, bytes) }
  }

  private static let broken: [Broken] = [
    Broken("no configuration", device.dropLast() + [0x00]),
    Broken("more configurations than libusb 0.1 reads", replacing(17, 0x09)),
    Broken("no interface", device + configuration([], interfaces: 0)),
    Broken("an interface that is missing", device + configuration([])),
    Broken("more interfaces than libusb 0.1 reads", device + configuration(parts, interfaces: 200)),
    Broken("endpoints before the interface", device + configuration(parts.reversed())),
    Broken("no endpoints", replacing(4, 0, in: interface)),
    Broken("an endpoint too many", replacing(4, 4, in: interface)),
    Broken("endpoints of another interface", device + configuration([interface] + parts)),
    Broken("an empty packet", replacing(4, 0, in: bulkIn)),
    Broken("only one direction", replacing(2, 0x03, in: bulkIn)),
    Broken("no bulk endpoint", replacing(3, 0x03, in: bulkOut)),
    Broken("a descriptor without length", replacing(0, 0, in: smartCards)),
    Broken("a descriptor beyond the end", replacing(0, 8, in: bulkIn)),
    Broken("a configuration that is announced longer", device + configuration(parts, missing: 1)),
  ]

  @Test(arguments: broken) func brokenOnesAreNot(_ broken: Broken) {
    #expect(!USBDescriptors.areSound(broken.bytes))
  }

  @Test func noPartIsSound() {
    for length in 0..<Self.whole.count {
      #expect(!USBDescriptors.areSound(Array(Self.whole.prefix(length))))
    }
    // Every byte may have any value.
    for index in Self.whole.indices {
      for value in UInt8.min...UInt8.max {
        var bytes = Self.whole
        bytes[index] = value
        _ = USBDescriptors.areSound(bytes)
      }
    }
  }
}
