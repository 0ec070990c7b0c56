import SwiftNFCCore

/// INSIDE Secure PicoPass 2KS, the chip of HID's iCLASS cards, in its ISO/IEC 14443-B mode.
///
/// On the air, ACTALL, IDENTIFY and SELECT have no check bytes. READ ends with the chip's own check
/// (CRC-16 with x¹⁶+x¹²+x⁵+1, reflected, initial value E012, over what follows the command byte; not
/// CRC_B), and each answer ends with that check over all its bytes. A reader must therefore neither add
/// nor verify CRC_B; libnfc configures its chip accordingly. The initial value is known from the ISO/IEC
/// 15693 mode. It is not confirmed that it is the same in this mode, and libnfc does not verify it.
///
/// Authentication (READCHECK, CHECK) is not modeled, so that blocks which require a key cannot be read.
public struct PicoPass: VirtualChip {
  private enum Command {
    /// ACTALL, which wakes every chip. Its answer is only a start of frame, without data.
    static let actall: UInt8 = 0x0A
    /// IDENTIFY, without parameters; answered with the serial number for anticollision.
    static let identify: UInt8 = 0x0C
    /// READ, with an address and a check.
    static let read: UInt8 = 0x0C
    static let select: UInt8 = 0x81
    static let halt: UInt8 = 0x00
  }

  private enum State: Hashable {
    case powerOff, idle, active, selected, halted
  }

  private enum Block {
    static let serialNumber = 0
    static let configuration = 1
    static let ePurse = 2
    static let debitKey = 3
    static let creditKey = 4
    static let applicationIssuer = 5
  }

  static let blockSize = 8
  static let blockCount = 32

  public let name = "iclass"
  /// The serial number, beginning with E0, which is the reverse of the order on the air.
  public let identifier: [UInt8]
  private var blocks: [[UInt8]]
  private var state = State.powerOff

  /// - Parameter csn: 8 bytes, beginning with E0.
  public init(csn: [UInt8]) {
    precondition(csn.count == Self.blockSize, "a serial number has 8 bytes")
    identifier = csn
    blocks = [[UInt8]](
      repeating: [UInt8](repeating: 0xFF, count: Self.blockSize), count: Self.blockCount)
    blocks[Block.serialNumber] = csn.reversed()
    // The values of HID's 2K cards: application limit 12, coding and fuses set.
    blocks[Block.configuration] = [0x12, 0xFF, 0xFF, 0xFF, 0x7F, 0x1F, 0xFF, 0x3C]
    blocks[Block.ePurse] = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
  }

  public var modulation: RadioFrame.Modulation { .typeB }

  /// The 32 blocks of 8 bytes, including keys. The serial number in block 0 is in transmission order.
  public var memory: [UInt8] {
    get { Array(blocks.joined()) }
    set {
      for index in blocks.indices where index != Block.serialNumber {
        let part = Array(newValue.dropFirst(index * Self.blockSize).prefix(Self.blockSize))
        guard part.count == Self.blockSize else { return }
        blocks[index] = part
      }
    }
  }

  public mutating func powerOn() { state = .idle }
  public mutating func powerOff() { state = .powerOff }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard state != .powerOff, frame.modulation == .typeB, frame.bitRate == 106,
      frame.bitsInLastByte == 8, let code = frame.bytes.first
    else { return nil }
    let parameters = Array(frame.bytes.dropFirst())
    switch (code, parameters.count, state) {
    case (Command.actall, 0, .idle), (Command.actall, 0, .active), (Command.actall, 0, .selected):
      state = .active
      return nil
    case (Command.identify, 0, .active):
      return answer(anticollisionSerialNumber)
    case (Command.select, Self.blockSize, .active):
      guard parameters == anticollisionSerialNumber else {
        state = .idle
        return nil
      }
      state = .selected
      return answer(blocks[Block.serialNumber])
    case (Command.read, 3, .selected):
      let address = Array(parameters.prefix(1))
      guard Self.check(address) == Array(parameters.suffix(2)),
        let block = readable(Int(address[0]))
      else { return nil }
      return answer(block)
    case (Command.halt, 0, .selected):
      state = .halted
      return nil
    default:
      return nil
    }
  }

  private func answer(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes + Self.check(bytes), modulation: .typeB)
  }

  /// ASNB: the serial number rotated by three bits.
  private var anticollisionSerialNumber: [UInt8] {
    let number = blocks[Block.serialNumber]
    return number.indices.map { index in
      number[index] >> 3 | number[(index + 1) % number.count] << 5
    }
  }

  /// Returns a block that is readable without a key; the keys themselves read as FF.
  private func readable(_ address: Int) -> [UInt8]? {
    switch address {
    case Block.serialNumber, Block.configuration, Block.ePurse, Block.applicationIssuer:
      return blocks[address]
    case Block.debitKey, Block.creditKey:
      return [UInt8](repeating: 0xFF, count: Self.blockSize)
    default:
      return nil
    }
  }

  /// Returns the chip's check, least significant byte first.
  static func check(_ bytes: [UInt8]) -> [UInt8] {
    var register: UInt16 = 0xE012
    for byte in bytes {
      register ^= UInt16(byte)
      for _ in 0..<8 {
        register = register & 1 != 0 ? register >> 1 ^ 0x8408 : register >> 1
      }
    }
    return register.littleEndianBytes
  }
}

extension VirtualTag {
  /// Returns an iCLASS card.
  public static func iClass(
    csn: [UInt8] = [0xE0, 0x12, 0xFF, 0xF7, 0x00, 0x5B, 0x2D, 0x61]
  ) -> VirtualTag {
    VirtualTag(PicoPass(csn: csn))
  }
}
