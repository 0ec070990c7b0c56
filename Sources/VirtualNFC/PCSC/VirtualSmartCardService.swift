import SwiftNFCCore

extension VirtualPCSCReader {
  /// Returns a PC/SC service in this process, with this reader as its only one.
  public func service() -> any SmartCardService { VirtualSmartCardService(self) }
}

/// A PC/SC service in the process: a virtual reader answers its calls, without a daemon.
final class VirtualSmartCardService: SmartCardService {
  private let reader: VirtualPCSCReader
  /// The number of the event at which the connected card arrived.
  private var connection: Int?
  /// The number of the event of the arrival at which the service has switched the power of a card on, and off again.
  private var powered: Int?

  init(_ reader: VirtualPCSCReader) {
    self.reader = reader
  }

  func readers() throws(SmartCardFailure) -> [String] {
    reader.isUnplugged ? [] : [reader.name]
  }

  private func check(_ name: String) throws(SmartCardFailure) {
    guard name == reader.name else { throw .unknownReader }
    guard !reader.isUnplugged else { throw .readerUnavailable }
  }

  func status(of name: String) throws(SmartCardFailure) -> SmartCardStatus {
    try check(name)
    let status = reader.status
    guard status.isCardPresent, powered != status.eventCount else { return status }
    powered = status.eventCount
    // The power that a card answers makes no difference to it.
    guard connection == nil, reader.leavesPowerOnUnanswered else { return status }
    reader.powerOn()
    reader.setPower(false)
    return reader.status
  }

  /// Returns at once: a field in the process changes between two calls, never during one.
  func wait(
    forChangeOf name: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure) {
    try check(name)
  }

  func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure) {}

  var cancel: @Sendable () -> Void { {} }

  func connect(to name: String) throws(SmartCardFailure) {
    try check(name)
    let status = reader.status
    guard status.isCardPresent else { throw .noSmartCard }
    // A card that was released with its power on goes on where it was left.
    if !reader.isPowered || reader.releasedEvent != status.eventCount {
      reader.setPower(false)
      guard reader.powerOn() else {
        reader.setPower(false)
        throw .unpoweredCard
      }
    }
    connection = status.eventCount
  }

  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    guard let connection else { throw .noSmartCard }
    try check(reader.name)
    guard reader.status.eventCount == connection else { throw .removedCard }
    let answer = reader.transmit(command)
    try check(reader.name)
    // An ISO/IEC 14443-4 card that does not answer the reader; an ACR122U reports success, and so does Identiv's FF EF
    // (NXP, NTAG_I2C_RF.cpp). A MIFARE Plus answers some commands with a single byte, which liblogicalaccess documents
    // for real readers.
    let isForReader = command.first == VirtualPCSCReader.pseudoClass
    guard !answer.isEmpty || isForReader || reader.dialect == .directTransmit else {
      throw .notTransacted
    }
    return answer
  }

  func maximumCommandData() throws(SmartCardFailure) -> Int? {
    reader.hasExtendedLengths ? 0x10000 : nil
  }

  func control(
    _ command: [UInt8], of name: String, atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    try check(name)
    // libccid fails so if its settings forbid it.
    guard let answer = reader.control(command) else { throw .notTransacted }
    return answer
  }

  func reset() throws(SmartCardFailure) {
    guard let connection else { throw .noSmartCard }
    try check(reader.name)
    guard reader.status.eventCount == connection else { throw .removedCard }
    reader.setPower(false)
    guard reader.powerOn() else { throw .unresponsiveCard }
  }

  func disconnect() {
    guard let connection else { return }
    reader.releasedEvent = connection
    self.connection = nil
  }

  func powerOff() {
    guard connection != nil else { return }
    connection = nil
    reader.setPower(false)
  }

  func close() { disconnect() }
}
