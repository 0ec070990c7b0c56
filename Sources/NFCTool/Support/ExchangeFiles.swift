import NFC
import Recordings

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files that a command's exchanges are kept in, from before its first reader is opened until its end.
struct ExchangeFiles: Sendable {
  /// Writes a file as it comes, so that a command that is ended leaves all that went before.
  private struct Target {
    let path: String
    let descriptor: Int32

    init(_ path: String) throws {
      self.path = path
      descriptor = path == File.standard ? STDOUT_FILENO : try File.create(path)
    }

    func write(_ bytes: [UInt8]) throws {
      guard let number = try Output.writeAll(bytes, to: descriptor) else { return }
      throw File.failure("write", path, number)
    }

    func close() {
      if path != File.standard { File.close(descriptor) }
    }
  }

  /// `nil` where nothing is to be kept.
  let recorder: Recorder?
  private let targets: [Target]

  private init(_ options: RecordingOptions) throws {
    guard options.record != nil || options.pcap != nil else {
      (recorder, targets) = (nil, [])
      return
    }
    let record = try options.record.map { try Target($0) }
    let pcap = try options.pcap.map { try Target($0) }
    var capture: PacketCapture?
    if let pcap {
      let file = PacketCapture(since: .sinceEpoch) { try pcap.write($0) }
      try file.begin()
      capture = file
    }
    var sink: Recorder.Sink?
    if let record { sink = { try record.write(Array($0.utf8)) } }
    recorder = Recorder(revealingSecrets: options.withSecrets, capture: capture, sink)
    targets = [record, pcap].compactMap(\.self)
  }

  /// Runs a command with what it asks for kept.
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
  /// The time of day, since 1970.
  static var sinceEpoch: Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
