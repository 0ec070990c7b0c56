import NFC
import Recordings
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files to which a command's exchanges are written, from before its first reader is opened until the
/// command ends.
struct ExchangeFiles: Sendable {
  /// A file that is written as the data arrives, so that an interrupted command leaves everything up to that
  /// point. An existing file is emptied by the first data: a command that finds no reader leaves it as it was.
  private final class Target: Sendable {
    private let path: String
    private let descriptor: Int32
    private let isNew: Bool
    private let hasData = Mutex(false)

    init(_ path: String) throws {
      self.path = path
      isNew = path != File.standard && !File.exists(path)
      descriptor =
        path == File.standard ? STDOUT_FILENO : try File.create(path, keepsContent: true)
    }

    func write(_ bytes: [UInt8]) throws {
      let isFirst = hasData.withLock { hasData in
        defer { hasData = true }
        return !hasData
      }
      if isFirst, path != File.standard { try File.empty(descriptor, path) }
      guard let number = try Output.writeAll(bytes, to: descriptor) else { return }
      throw File.failure("write", path, number)
    }

    func close() {
      guard path != File.standard else { return }
      if isNew, !hasData.withLock({ $0 }) { File.remove(path) }
      File.close(descriptor)
    }
  }

  /// The recorder, or `nil` if nothing is to be recorded.
  let recorder: Recorder?
  private let targets: [Target]

  private init(_ options: RecordingOptions) throws {
    guard options.record != nil || options.pcap != nil else {
      (recorder, targets) = (nil, [])
      return
    }
    try File.checkNew(options.record, options.pcap, isForced: options.isForced)
    let record = try options.record.map { try Target($0) }
    let pcap = try options.pcap.map { try Target($0) }
    var capture: PacketCapture?
    if let pcap { capture = PacketCapture(since: .sinceEpoch) { try pcap.write($0) } }
    var sink: Recorder.Sink?
    if let record { sink = { try record.write(Array($0.utf8)) } }
    recorder = Recorder(revealingSecrets: options.withSecrets, capture: capture, sink)
    targets = [record, pcap].compactMap(\.self)
  }

  /// Runs a command and writes the files that its options request.
  static func keep<Result>(
    _ options: RecordingOptions, during body: (ExchangeFiles) async throws -> Result
  ) async throws -> Result {
    let files = try ExchangeFiles(options)
    if let recorder = files.recorder {
      ReaderSources.wrapDrivers { recorder.recording($0) }
    }
    defer { for target in files.targets { target.close() } }
    let result = try await body(files)
    if let failure = files.recorder?.failure { throw failure }
    return result
  }
}

extension Duration {
  /// The time since the start of 1970.
  static var sinceEpoch: Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
