// Commands of the chip itself, which keep it and its host in step.
extension LibNFC.Device {
  /// The time limit for a command that stays between host and chip, in milliseconds.
  static let chipTimeout: Int32 = 300

  /// GetFirmwareVersion (UM0701-02, 7.2.2).
  static let getFirmwareVersion: UInt8 = 0x02

  /// Clears an abort that arrived in a call that ended by itself. The drivers that only set a
  /// flag leave it for the next command, so a harmless one is sent.
  func clearAbort() {
    guard traits.abort == .flag else { return }
    // A USB driver looks at the flag when a wait of at most 200 ms has passed in vain: a wait of one is left.
    let timeout = traits.timeoutLoss > 0 ? traits.timeoutLoss + 1 : Self.chipTimeout
    // The driver for SPI looks at it only if the chip is not ready at the first look (libnfc 1.8.0, pn532_spi.c): it
    // is not within some 50 microseconds, but may be if the machine was busy with other things before the look.
    let attempts = traits.address == .node ? 12 : 3
    for _ in 0..<attempts {
      do {
        _ = try chipCommand([Self.getFirmwareVersion], rawTimeout: timeout)
      } catch {
        if error.code == LibNFC.Failure.aborted { break }
      }
    }
    resynchronize()
  }

  /// Removes late answers of the reader, which would be treated as the answer to the next command. The drivers for
  /// serial ports do that only after an answer that was broken, not after an acknowledgement.
  func resynchronize() {
    guard !isClosed else { return }
    switch traits.address {
    case .usb: line?.withDescriptor { USBInput(of: $0)?.drain($0) }
    case .node: line?.withDescriptor { traits.busInput?.clear($0) }
    case .serialPort:
      line?.withDescriptor { SerialInput.clear($0, endsCommand: traits.isBareChip) }
    }
  }

  /// GetGeneralStatus (UM0701-02, 7.2.3), whose first byte is the error that the chip met last.
  private static let getGeneralStatus: UInt8 = 0x04

  func chipStatus() -> UInt8? {
    guard supportsChipCommands else { return nil }
    let answer = try? chipCommand([Self.getGeneralStatus])
    return answer?.first.map { $0 & 0x3F }
  }
}
