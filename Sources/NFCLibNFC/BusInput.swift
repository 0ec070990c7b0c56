#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Frames that a PN532 on an I²C or SPI bus has sent and nobody has fetched.
///
/// libnfc's drivers for buses fetch one frame after a command and treat it as the chip's
/// acknowledge. An answer that came after its call had given up, or whose program was killed, is
/// fetched instead (as in a log of ESPHome's, "PN532 over I2C stops responding after a while"), and
/// every later command receives the answer of the previous one. Therefore the command is cancelled
/// and its answer discarded, using the system's own calls on libnfc's descriptor.
///
/// Sources: PN532 user manual (UM0701-02), 6.2.1.3 (a host's ACK ends the command that runs), 6.2.4 and 6.2.5;
/// linux/i2c-dev.h; linux/spi/spidev.h.
struct BusInput {
  enum Bus {
    case i2c
    case spi
  }

  let bus: Bus

  private static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  /// The longest frame: 264 bytes with an extended length and the code of the direction before them.
  private static let longestFrame = 276
  /// There are the acknowledge of a command and its answer, and those of one more that was
  /// abandoned.
  private static let mostFrames = 4

  /// Cancels the chip's current command, and reads until nothing more arrives.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  func clear(_ descriptor: Int32) -> Bool {
    guard isSent(Self.acknowledge, descriptor) else { return false }
    var frames = 0
    while frames < Self.mostFrames, fetches(descriptor) { frames += 1 }
    return frames > 0
  }

  private func isSent(_ frame: [UInt8], _ descriptor: Int32) -> Bool {
    switch bus {
    case .i2c: write(descriptor, frame, frame.count) == frame.count
    case .spi: SPI.transfer([SPI.dataWrite] + frame, fetching: 0, descriptor) != nil
    }
  }

  private func fetches(_ descriptor: Int32) -> Bool {
    switch bus {
    case .i2c:
      var buffer = [UInt8](repeating: 0, count: 1 + Self.longestFrame)
      guard read(descriptor, &buffer, buffer.count) > 0, let state = buffer.first else {
        return false
      }
      return state & I2C.ready != 0
    case .spi:
      guard
        let state = SPI.transfer([SPI.statusRead], fetching: 1, descriptor), state == [SPI.ready]
      else { return false }
      return SPI.transfer([SPI.dataRead], fetching: Self.longestFrame, descriptor) != nil
    }
  }

  // MARK: I²C

  enum I2C {
    /// `I2C_SLAVE`: the address for reads and writes of a descriptor.
    static let setAddress: UInt = 0x0703
    /// `PN532_I2C_ADDR` of libnfc; UM0701-02, 6.2.4 shows it shifted by one, with the direction
    /// bit.
    static let address: Int32 = 0x24
    /// In the byte before each frame.
    static let ready: UInt8 = 0x01
  }

  /// Prepares a descriptor of ours, which libnfc's own settings do not concern.
  ///
  /// - Returns: the number of the error, 0 if there was none.
  func prepare(_ descriptor: Int32) -> Int32 {
    // The mode and speed of SPI are the node's, and libnfc has set them.
    guard bus == .i2c else { return 0 }
    return ioctl(descriptor, I2C.setAddress, I2C.address) == 0 ? 0 : errno
  }

  // MARK: SPI

  private enum SPI {
    static let dataWrite: UInt8 = 0x01
    static let statusRead: UInt8 = 0x02
    static let dataRead: UInt8 = 0x03
    static let ready: UInt8 = 0x01

    /// `struct spi_ioc_transfer`.
    private struct Transfer {
      var transmitted: UInt64 = 0
      var received: UInt64 = 0
      var length: UInt32
      var speed: UInt32 = 0
      var delay: UInt16 = 0
      var bitsPerWord: UInt8 = 0
      var changesSelect: UInt8 = 0
      var wires: UInt32 = 0
    }

    /// `SPI_IOC_MESSAGE`: write, `k`, 0, and the size of the transfers.
    private static func message(_ count: Int) -> UInt {
      UInt(1) << 30 | UInt(count * MemoryLayout<Transfer>.stride) << 16
        | UInt(UInt8(ascii: "k")) << 8
    }

    /// The chip has the least significant bit first, the bus the most significant.
    private static func reversed(_ byte: UInt8) -> UInt8 {
      (0..<8).reduce(0) { $0 << 1 | byte >> UInt8($1) & 1 }
    }

    /// Sends bytes and fetches others while the chip stays selected; `nil` if the system refuses.
    static func transfer(
      _ bytes: [UInt8], fetching count: Int, _ descriptor: Int32
    ) -> [UInt8]? {
      let output = bytes.map(reversed)
      var input = [UInt8](repeating: 0, count: count)
      let isDone = output.withUnsafeBytes { output in
        input.withUnsafeMutableBytes { input in
          var transfers = [
            Transfer(
              transmitted: UInt64(UInt(bitPattern: output.baseAddress)),
              length: UInt32(output.count))
          ]
          if !input.isEmpty {
            transfers.append(
              Transfer(
                received: UInt64(UInt(bitPattern: input.baseAddress)),
                length: UInt32(input.count)))
          }
          let count = transfers.count
          return transfers.withUnsafeMutableBytes { transfers in
            guard let first = transfers.baseAddress else { return false }
            return ioctl(descriptor, message(count), first) >= 0
          }
        }
      }
      return isDone ? input.map(reversed) : nil
    }
  }
}
