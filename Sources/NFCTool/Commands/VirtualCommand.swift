import ArgumentParser
import NFC
import Synchronization
import VirtualNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `nfc virtual`.
struct VirtualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "virtual",
    abstract: "Is a reader with tags in its field, for other programs.",
    discussion: """
      Prints the reader's connection string, and runs until interrupted. A tag is a chip's name, a \
      dump file, or demo, which shows one of each protocol after the other.

      Chips: \(VirtualTag.names.joined(separator: ", ")); with blank- before the name as they \
      leave the factory.

      Example:
        nfc virtual ntag215 --trace exchanges.txt
      """)

  @Argument(help: ArgumentHelp("The tags in the field.", valueName: "tag"))
  var tags: [String]

  @Option(help: ArgumentHelp("Write every exchange to a file, keys masked.", valueName: "file"))
  var trace: String?

  /// How long each tag of the demo is in the field, and the field empty after it.
  private static let stay = Duration.seconds(2)
  private static let absence = Duration.milliseconds(500)

  func run() async throws {
    let tags = try VirtualTags(tags)
    if let tag = tags.tags.first(where: { $0.modulation == .iso15693 }) {
      throw NFCError(
        .unsupported,
        "this reader is a PN532, which has no ISO 15693 and would never see \(tag.name)")
    }
    let field = VirtualField()
    for tag in tags.tags { field.place(tag) }
    let file = try trace.map { try File.create($0) }
    let virtual = try Session.virtualReader(field, trace: file.map(Self.writer))
    defer {
      virtual.close()
      if let file { close(file) }
    }
    try Output.line(virtual.connectionString)
    do {
      repeat {
        if tags.showsDemo {
          try await showDemo(in: field)
        } else {
          try await Task.sleep(for: .seconds(3600))
        }
      } while true
    } catch is CancellationError {
      // Being interrupted is how it ends.
    }
  }

  private static func writer(_ descriptor: Int32) -> @Sendable (TraceEvent) -> Void {
    let log = Mutex(TraceLog())
    return { event in
      _ = Output.write(log.withLock { $0.line(event) } + "\n", to: descriptor)
    }
  }

  private func showDemo(in field: VirtualField) async throws {
    let demo = try Demo(in: field, technologies: PollingOptions.all.technologies)
    while !demo.isOver {
      try await Task.sleep(for: Self.stay)
      demo.takeAway()
      try await Task.sleep(for: Self.absence)
      demo.showNext()
    }
  }
}
