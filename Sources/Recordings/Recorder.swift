import SwiftNFCCore
import Synchronization

/// Records the communication between readers and tags.
///
/// ```swift
/// let recorder = Recorder { line in try file.write(contentsOf: Data(line.utf8)) }
/// let reader = try await Reader.open("pn532_uart:/dev/ttyUSB0", through: recorder.recording)
/// ```
///
/// Each line is passed on as soon as its call has ended, so that an interrupted program leaves
/// everything up to that point. Keys and passwords are masked: keys of MIFARE Classic, also in
/// sector trailers; passwords, their acknowledges and the pages that hold them; all data of an
/// authentication of Ultralight C and AES, DESFire, MIFARE Plus and FeliCa; passwords of ISO 15693 tags;
/// the data of VERIFY and related commands; what secure messaging protects, and what is read of a travel document. The program's random numbers are recorded only with the secrets:
/// without them, an authentication in which both sides prove a key cannot be replayed.
public final class Recorder: Sendable {
  /// Receives a line, including its line feed.
  public typealias Sink = @Sendable (String) throws -> Void

  /// The number of readers. Its lock keeps the lines in order, and is held while the sink is called.
  private let readerCount = Mutex(0)
  /// Has a lock of its own, so that the sink can ask for it.
  private let failed = Mutex<(any Error)?>(nil)
  private let start = ContinuousClock.now
  private let masksSecrets: Bool
  private let sink: Sink?
  private let capture: PacketCapture?

  /// - Parameters:
  ///   - revealingSecrets: masks nothing. Whoever has the recording then has the keys.
  ///   - capture: receives the same exchanges for Wireshark.
  ///   - sink: receives the lines one after the other, on the thread of the reader. If it throws,
  ///     recording ends, but the reader continues; see ``failure``.
  public init(
    revealingSecrets: Bool = false, capture: PacketCapture? = nil, _ sink: Sink? = nil
  ) {
    masksSecrets = !revealingSecrets
    self.capture = capture
    self.sink = sink
  }

  /// The error that ended the recording, thrown by the sink.
  public var failure: (any Error)? { failed.withLock { $0 } }

  /// Returns a driver that forwards all calls to another driver and records them.
  public func recording(_ driver: any ReaderDriver) -> any ReaderDriver {
    let reader = RecordedReader(driver)
    let number = readerCount.withLock { count in
      defer { count += 1 }
      write(reader.line(number: count))
      attempt { try capture?.begin() }
      return count
    }
    return RecordingDriver(driver, number: number, recorder: self)
  }

  /// The time since the recording began.
  var time: Duration { ContinuousClock.now - start }

  /// Records a call.
  func take(_ call: RecordedCall, secrets: inout RecordingSecrets) {
    if masksSecrets, case .randomNumber = call.request { return }
    let call = masksSecrets ? call.masked(&secrets) : call
    readerCount.withLock { _ in
      write(call.line)
      attempt { try capture?.take(call) }
    }
  }

  private func write(_ line: String) { attempt { try sink?(line + "\n") } }

  /// Runs `body` unless something has failed before.
  private func attempt(_ body: () throws -> Void) {
    guard failure == nil else { return }
    do {
      try body()
    } catch {
      failed.withLock { $0 = error }
    }
  }
}

extension RecordedCall {
  /// Returns the call without its secrets.
  fileprivate func masked(_ secrets: inout RecordingSecrets) -> RecordedCall {
    var call = self
    switch request {
    case .authenticate(let block, let type, let key, let uid):
      let masked = RecordedBytes(key.bytes, masking: [key.bytes.indices])
      call.request = .authenticate(block: block, type, key: masked, uid: uid)
    case .exchange(let command, let framing, let timeout):
      let ranges = secrets.find(inCommand: command.bytes, framing: framing)
      let masked = RecordedBytes(command.bytes, masking: ranges)
      call.request = .exchange(masked, framing, timeout: timeout)
      switch outcome {
      case .answer(let answer):
        let ranges = secrets.find(inAnswer: answer.bytes)
        call.outcome = .answer(RecordedBytes(answer.bytes, masking: ranges))
      case .failure(let error): secrets.answerFailed(error)
      default: break
      }
    case .receiveCommand:
      guard case .command(let command) = outcome else { break }
      let ranges = secrets.find(inCommand: command.bytes, framing: .tagProtocol)
      call.outcome = .command(RecordedBytes(command.bytes, masking: ranges))
    case .answerCommand(let answer):
      let ranges = secrets.find(inAnswer: answer.bytes)
      call.request = .answerCommand(RecordedBytes(answer.bytes, masking: ranges))
    default: break
    }
    return call
  }
}
