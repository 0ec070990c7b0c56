import NFC
import TestSupport

/// A PC/SC service whose answers and status are changed: a reader that behaves otherwise than the virtual one.
final class InterposedService: ForwardingService {
  typealias Transmit = ([UInt8]) throws(SmartCardFailure) -> [UInt8]

  private let answer: (_ command: [UInt8], _ pass: Transmit) throws(SmartCardFailure) -> [UInt8]
  private let status: (SmartCardStatus) -> SmartCardStatus
  /// How often a card was connected to.
  private(set) var connections = 0

  /// - Parameters:
  ///   - answer: gives the answer to a command; `pass` sends it, or another one, to the reader.
  ///   - status: changes the status that the driver receives.
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
    self.status = status
    self.answer = answer
    super.init(base)
  }

  override func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    status(try super.status(of: reader))
  }

  override func connect(to reader: String) throws(SmartCardFailure) {
    connections += 1
    try super.connect(to: reader)
  }

  override func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    try answer(command) { own throws(SmartCardFailure) in
      try super.transmit(own, atMost: timeout)
    }
  }
}
