import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The commands of a Type 1 tag with dynamic memory that a PN532's firmware does not forward:
/// READ8, WRITE-E8 and WRITE-NE8, implemented with the registers of its contactless unit.
///
/// On the air, each byte of such a command is a separate frame without a parity bit, the first with
/// seven bits; the answer is one frame. Therefore, parity is switched off, each byte is transmitted
/// separately, and the unit's buffer, which then contains the parity bits among the data, holds at
/// most 64 bytes of the answer. RSEG, whose answer has 131 bytes, is not possible.
///
/// Source: NFC Forum Digital Protocol, 5 and 7 (Type 1 Tag platform); PN532 data sheet, 8.6.23.
final class JewelExchange {
  private let device: LibNFC.Device
  /// ManualRCV with parity on, once it has been read.
  private var receiverControl: UInt8?
  private var isParityOff = false

  init(_ device: LibNFC.Device) {
    self.device = device
  }

  // MARK: Commands of the tag (NFC Forum Type 1 Tag, 5)

  private static let read8: UInt8 = 0x02
  private static let writeErase8: UInt8 = 0x54
  private static let writeNoErase8: UInt8 = 0x1B
  private static let readSegment: UInt8 = 0x10

  private static let uidLength = 4
  /// Code, block, eight bytes of data.
  private static let commandLength = 10
  /// Block, eight bytes of data, CRC_B.
  private static let answerLength = 11

  /// Returns whether the chip itself forwards a command; it also claims to forward unknown
  /// commands.
  static func isKnownToChip(_ command: [UInt8]) -> Bool {
    guard let code = command.first else { return true }
    return ![read8, writeErase8, writeNoErase8, readSegment].contains(code)
  }

  // MARK: Commands and registers of the chip (UM0701-02, 7.2; PN532 data sheet, 8.6.23)

  private static let readRegister: UInt8 = 0x06
  private static let writeRegister: UInt8 = 0x08
  /// The first byte of a firmware version: the chip's type.
  private static let pn532: UInt8 = 0x32

  private enum Register: UInt16 {
    case manualReceive = 0x630D
    case command = 0x6331
    case fifoData = 0x6339
    case fifoLevel = 0x633A
    case bitFraming = 0x633D
  }

  private static let parityDisable: UInt8 = 0x10
  private static let flushFIFO: UInt8 = 0x80
  private static let sevenBits: UInt8 = 0x07
  private static let eightBits: UInt8 = 0x00
  private static let transmit: UInt8 = 0x04
  private static let noChange: UInt8 = 0x07
  private static let receive: UInt8 = 0x08

  /// WRITE-E8 takes a tag about 6 ms; no command takes longer than this.
  private static let longestWait = 25

  // MARK: Exchange

  /// Sends a command and returns the answer without its check bytes.
  ///
  /// - Parameters:
  ///   - command: code, block and, for a write, the data. The UID may follow; otherwise it is
  ///     appended.
  ///   - timeout: in milliseconds.
  /// - Throws: `LibNFC.Failure`, or ``NFCError`` with `unsupported` if this reader cannot.
  func send(_ command: [UInt8], uid: [UInt8], timeout: Int32) throws -> [UInt8] {
    guard command.first != Self.readSegment else {
      throw NFCError(
        .unsupported,
        "the answer to RSEG is longer than the buffer of the reader's chip, those to READ8 are not")
    }
    guard command.count <= Self.commandLength + Self.uidLength else {
      throw NFCError(
        .invalidParameter,
        "the command has at most a code, a block, eight bytes of data and the UID")
    }
    let control = try prepare()
    var frame = command
    while frame.count < Self.commandLength { frame.append(0) }
    if frame.count == Self.commandLength { frame += uid.prefix(Self.uidLength) }
    frame += CyclicRedundancyCheck.b(frame)
    isParityOff = true
    try write(Self.registers(sending: frame, receiverControl: control))
    let stream = try collect(within: min(Int(timeout), Self.longestWait))
    guard let answer = Self.decode(stream) else {
      throw NFCError(.tagResponseError, "the tag's answer is broken", cause: .checksum)
    }
    return answer
  }

  /// Switches parity on again, if a command has switched it off.
  func restore() throws(LibNFC.Failure) {
    guard isParityOff, let receiverControl else { return }
    try write([(.manualReceive, receiverControl)])
    isParityOff = false
  }

  /// Checks once that the chip has these registers.
  private func prepare() throws -> UInt8 {
    if let receiverControl { return receiverControl }
    guard device.supportsChipCommands else {
      throw NFCError(
        .unsupported,
        "this build of libnfc cannot send commands to the reader's chip, which READ8 requires")
    }
    let version = try device.chipCommand([LibNFC.Device.getFirmwareVersion])
    guard version.count == 4, version[0] == Self.pn532 else {
      throw NFCError(
        .unsupported, "READ8 and WRITE-E8 need a reader with a PN532, and this one has another chip"
      )
    }
    guard let value = try read(.manualReceive, count: 1).first else {
      throw NFCError(.tagResponseError, "the reader's chip does not report its registers")
    }
    receiverControl = value & ~Self.parityDisable
    return value & ~Self.parityDisable
  }

  private static func registers(
    sending frame: [UInt8], receiverControl: UInt8
  ) -> [(Register, UInt8)] {
    var list: [(Register, UInt8)] = [(.fifoLevel, flushFIFO)]
    for (index, byte) in frame.enumerated() {
      list.append((.fifoData, byte))
      if index == 0 { list.append((.bitFraming, sevenBits)) }
      list.append((.command, transmit))
      if index == 0 {
        list += [(.bitFraming, eightBits), (.manualReceive, receiverControl | parityDisable)]
      } else {
        list.append((.command, noChange))
      }
    }
    return list + [(.command, receive)]
  }

  /// Waits for an answer in the unit's buffer and returns it.
  private func collect(within milliseconds: Int) throws -> [UInt8] {
    let size = (Self.answerLength * 9 + 7) / 8
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while true {
      let level = try read(.fifoLevel, count: 1).first.map { Int($0) } ?? 0
      if level >= size { return try read(.fifoData, count: size) }
      guard ContinuousClock.now < end else {
        guard level > 1 else {
          throw NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
        }
        throw NFCError(.tagResponseError, "the tag's answer is broken", cause: .checksum)
      }
      usleep(1000)
    }
  }

  private func write(_ values: [(Register, UInt8)]) throws(LibNFC.Failure) {
    var command = [Self.writeRegister]
    for (register, value) in values {
      command += [
        UInt8(truncatingIfNeeded: register.rawValue >> 8),
        UInt8(truncatingIfNeeded: register.rawValue), value,
      ]
    }
    _ = try device.chipCommand(command)
  }

  private func read(_ register: Register, count: Int) throws(LibNFC.Failure) -> [UInt8] {
    var command = [Self.readRegister]
    for _ in 0..<count {
      command += [
        UInt8(truncatingIfNeeded: register.rawValue >> 8),
        UInt8(truncatingIfNeeded: register.rawValue),
      ]
    }
    return try device.chipCommand(command)
  }

  /// Removes parity bits and CRC_B from a sequence of nine bits per byte, least significant first;
  /// `nil` if one of them is wrong.
  private static func decode(_ stream: [UInt8]) -> [UInt8]? {
    guard stream.count * 8 >= answerLength * 9 else { return nil }
    func bit(_ index: Int) -> UInt8 { stream[index / 8] >> UInt8(index % 8) & 1 }
    var bytes: [UInt8] = []
    for index in 0..<answerLength {
      let byte = (0..<8).reduce(UInt8(0)) { $0 | bit(index * 9 + $1) << UInt8($1) }
      guard (byte.nonzeroBitCount + Int(bit(index * 9 + 8))) % 2 == 1 else { return nil }
      bytes.append(byte)
    }
    let answer = Array(bytes.dropLast(2))
    return CyclicRedundancyCheck.b(answer) == Array(bytes.suffix(2)) ? answer : nil
  }
}
