import Recordings
import Synchronization
import VirtualNFC

/// A capture file of a virtual reader's frames.
struct FrameFile: Sendable {
  private let descriptor: Int32
  private let capture: PacketCapture
  private let log = TraceFrames()

  private final class TraceFrames: Sendable {
    let state = Mutex(TraceLog())
    let isIncomplete = Mutex(false)
  }

  /// - Throws: ``Failure`` if the file cannot be written.
  init(_ path: String) throws {
    let descriptor = try File.create(path)
    self.descriptor = descriptor
    capture = PacketCapture(since: .sinceEpoch) { bytes in
      guard let number = try Output.writeAll(bytes, to: descriptor) else { return }
      throw File.failure("write", path, number)
    }
    try capture.begin()
  }

  /// Writes a frame as it is transmitted over the air. If writing fails, the file is left as it is, and this is
  /// reported once.
  func take(_ event: TraceEvent) {
    do {
      if case .carrier(let isOn) = event { try capture.carrier(isOn: isOn) }
      guard let frame = log.state.withLock({ $0.frame(event) }) else { return }
      let interface: PacketCapture.Interface =
        switch frame.modulation {
        case .typeA, .typeB: .iso14443
        case .feliCa: .feliCa
        case .iso15693: .iso15693
        }
      let isSent = if case .sent = event { true } else { false }
      try capture.frame(frame.bytes, from: isSent ? .reader : .tag, on: interface)
    } catch {
      // The reader continues for the programs that use it.
      let isNews = log.isIncomplete.withLock { isIncomplete in
        defer { isIncomplete = true }
        return !isIncomplete
      }
      guard isNews, let failure = error as? Failure else { return }
      Output.printError(TraceFile.continued(failure).line)
    }
  }

  func close() { File.close(descriptor) }
}
