import NFC

/// A PC/SC service with something between it and the driver: a reader that answers otherwise than the
/// virtual one.
final class InterposedService: SmartCardService {
  typealias Transmit = ([UInt8]) throws(SmartCardFailure) -> [UInt8]

  private let base: any SmartCardService
  private let answer: (_ command: [UInt8], _ pass: Transmit) throws(SmartCardFailure) -> [UInt8]
  private let status: (SmartCardStatus) -> SmartCardStatus
  /// How often a card was connected to.
  private(set) var connections = 0

  /// - Parameters:
  ///   - answer: gives the answer to a command; `pass` sends it, or another one, to the reader.
  ///   - status: what the driver is told of a status.
  init(
    _ base: any SmartCardService,
    answer:
      @escaping (
        _ command: [UInt8], _ pass: Transmit
      ) throws(SmartCardFailure) -> [UInt8] = { command, pass throws(SmartCardFailure) in
        try pass(command)
      },
    status: @escaping (SmartCardStatus) -> SmartCardStatus = { $0 }
  ) {
    self.base = base
    self.status = status
    self.answer = answer
  }

  func readers() throws(SmartCardFailure) -> [String] { try base.readers() }
  func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    status(try base.status(of: reader))
  }
  func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure) {
    try base.waitForReaders(atMost: timeout)
  }
  func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure) {
    try base.wait(forChangeOf: reader, from: status, atMost: timeout)
  }
  var cancel: @Sendable () -> Void { base.cancel }
  func connect(to reader: String) throws(SmartCardFailure) {
    connections += 1
    try base.connect(to: reader)
  }
  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    try answer(command) { own throws(SmartCardFailure) in
      try base.transmit(own, atMost: timeout)
    }
  }
  func reset() throws(SmartCardFailure) { try base.reset() }
  func disconnect() { base.disconnect() }
  func close() { base.close() }
}
