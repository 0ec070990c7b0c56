// Readers that answer nothing at all if no tag has answered their chip: DriverTraits/mayAnswerNothing.
extension LibNFC.Device {
  /// The chip's code for a tag that has not answered (UM0701-02, 7.1, table 15).
  static let silence: UInt8 = 0x01

  /// By how many milliseconds libusb may be early.
  private static let tolerance: Int32 = 20

  /// Returns whether the reader has answered nothing because the tag has not answered: libnfc gives up before the time
  /// for an answer has passed, and the chip's last error is a time-out.
  ///
  /// A build of libnfc that does not know such messages reports a broken one, as it does for the answer to an earlier
  /// command. Then this has to happen twice.
  func isEmptyAnswer(
    _ failure: LibNFC.Failure, to command: [UInt8], since start: ContinuousClock.Instant,
    _ timeout: Int32
  ) -> Bool {
    let isRepeated = unclearCommand == command
    unclearCommand = failure.code == LibNFC.Failure.inputOutput ? command : nil
    let limit = Duration.milliseconds(Int(traits.patience(timeout) - Self.tolerance))
    guard traits.mayAnswerNothing, ContinuousClock.now - start < limit,
      failure.code == LibNFC.Failure.timeout
        || failure.code == LibNFC.Failure.inputOutput && isRepeated
    else { return false }
    return isInStep && chipStatus() == Self.silence
  }

  /// How often the reader is asked until it gives the answer to this command and not to an earlier one.
  private static let attempts = 3
  /// The length of an answer to GetFirmwareVersion: IC, version, revision, support (UM0701-02, 7.2.2).
  private static let versionLength = 4

  /// Whether the reader answers a command to its chip, and not an earlier one.
  var isInStep: Bool {
    for _ in 0..<Self.attempts {
      resynchronize()
      if let version = try? chipCommand([Self.getFirmwareVersion]),
        version.count >= Self.versionLength
      {
        return true
      }
      guard !isClosed else { break }
    }
    return false
  }
}
