import NFCCore
import Synchronization

/// Keeps what passes between readers and tags.
///
/// ```swift
/// let recorder = Recorder { line in try file.write(contentsOf: Data(line.utf8)) }
/// let reader = try await Reader.open("pn532_uart:/dev/ttyUSB0", through: recorder.recording)
/// ```
///
/// Each line is given away as soon as its call has ended, so that a program that ends in the middle leaves all
/// that went before. Keys and passwords are masked: those of MIFARE Classic, in sector trailers too; passwords,
/// their acknowledges and the pages that hold them; everything of an authentication of Ultralight C, DESFire and
/// FeliCa; passwords of ISO 15693 tags; what VERIFY and its kin carry. The program's random numbers are kept only with
/// the secrets: a proof of a key that both sides make is played back only then.
public final class Recorder: Sendable {
  /// Takes a line with its end.
  public typealias Sink = @Sendable (String) throws -> Void

  private struct State {
    var readerCount = 0
    var failure: (any Error)?
  }

  private let state = Mutex(State())
  private let start = ContinuousClock.now
  private let masksSecrets: Bool
  private let sink: Sink?
  private let capture: PacketCapture?

  /// - Parameters:
  ///   - revealingSecrets: masks nothing: whoever has the recording has the keys.
  ///   - capture: takes the same exchanges for Wireshark.
  ///   - sink: takes the lines, on the thread of the reader that they are of, one after the other. What it throws
  ///     ends the recording and not the reader's work; see ``failure``.
  public init(
    revealingSecrets: Bool = false, capture: PacketCapture? = nil, _ sink: Sink? = nil
  ) {
    masksSecrets = !revealingSecrets
    self.capture = capture
    self.sink = sink
  }

  /// What has ended the recording: what the sink has thrown.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  /// A driver that does what another one does, and has all of it recorded.
  public func recording(_ driver: any ReaderDriver) -> any ReaderDriver {
    let reader = RecordedReader(driver)
    let number = state.withLock { state in
      defer { state.readerCount += 1 }
      write(reader.line(number: state.readerCount), &state)
      return state.readerCount
    }
    return RecordingDriver(driver, number: number, recorder: self)
  }

  /// The time since the recording began.
  var time: Duration { ContinuousClock.now - start }

  /// Takes a call.
  func take(_ call: RecordedCall, secrets: inout RecordingSecrets) {
    if masksSecrets, case .randomNumber = call.request { return }
    let call = masksSecrets ? call.masked(&secrets) : call
    state.withLock { state in
      write(call.line, &state)
      guard state.failure == nil else { return }
      do {
        try capture?.take(call)
      } catch {
        state.failure = error
      }
    }
  }

  private func write(_ line: String, _ state: inout State) {
    guard let sink, state.failure == nil else { return }
    do {
      try sink(line + "\n")
    } catch {
      state.failure = error
    }
  }
}

extension RecordedCall {
  /// The call without its secrets.
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
      if case .answer(let answer) = outcome {
        let ranges = secrets.find(inAnswer: answer.bytes)
        call.outcome = .answer(RecordedBytes(answer.bytes, masking: ranges))
      } else {
        secrets.answerFailed()
      }
    default: break
    }
    return call
  }
}
