import SwiftNFCCore

/// A PC/SC service that passes every call on to another one. A subclass overrides the calls that it changes.
open class ForwardingService: SmartCardService {
  private let base: any SmartCardService

  public init(_ base: any SmartCardService) { self.base = base }

  open func readers() throws(SmartCardFailure) -> [String] { try base.readers() }

  open func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    try base.status(of: reader)
  }

  open func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure) {
    try base.waitForReaders(atMost: timeout)
  }

  open func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure) {
    try base.wait(forChangeOf: reader, from: status, atMost: timeout)
  }

  open var cancel: @Sendable () -> Void { base.cancel }

  open func connect(to reader: String) throws(SmartCardFailure) { try base.connect(to: reader) }

  open func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    try base.transmit(command, atMost: timeout)
  }

  open func maximumCommandData() throws(SmartCardFailure) -> Int? {
    try base.maximumCommandData()
  }

  open func control(
    _ command: [UInt8], of reader: String, atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    try base.control(command, of: reader, atMost: timeout)
  }

  open func reset() throws(SmartCardFailure) { try base.reset() }

  open func disconnect() { base.disconnect() }

  open func powerOff() { base.powerOff() }

  open func close() { base.close() }
}
