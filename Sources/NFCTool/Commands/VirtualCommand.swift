import ArgumentParser
import SwiftNFCJSONText
import NFC
import Synchronization
import VirtualNFC

/// The command `nfc virtual`.
struct VirtualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "virtual",
    abstract: "Acts as a reader with tags in its field, for other programs to use.",
    usage:
      "nfc virtual <tag> ... [--trace <file>] [--pcsc] [<options>]\nnfc virtual --facing <connection-string>\nnfc virtual --list",
    discussion: """
      Prints the reader's connection string, and runs until interrupted. A tag is a chip's name, a dump \
      file, or demo, which shows one tag of each protocol after the other.

      The reader is a PN532 on a pseudo-terminal, which does not support ISO 15693. With --pcsc it is a \
      PC/SC reader, which all PC/SC programs see: pcscd with the virtual reader of vsmartcard (Debian: \
      vsmartcard-vpcd) must be running. It sees all ISO 15693 tags together, or else the first tag.

      --list prints the names of all chips; with blank- before its name a chip is as it leaves the \
      factory. What is written to a tag stays until the command ends. The passport emrtd opens with document \
      number L898902C, date of birth 690806 and date of expiry 940623.

      --facing puts this reader in front of the one of another nfc virtual: what nfc emulate makes of the \
      one, the other reads.

      Examples:
        nfc virtual --list
        nfc virtual ntag215 --trace exchanges.txt
        nfc virtual desfire --pcap exchanges.pcapng
        nfc virtual icode-slix2 --pcsc
      """)

  @Argument(
    help: ArgumentHelp("The tags in the field.", valueName: "tag"),
    completion: VirtualTags.completion)
  var tags: [String] = []

  @Flag(help: "Print the names of all virtual tags.")
  var list = false

  @Option(
    help: ArgumentHelp("Write every exchange to a file, keys masked.", valueName: "file"),
    completion: .file())
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Write every frame to a file for Wireshark (pcapng), keys zero.",
      discussion: """
        ISO 14443 has its own link type (264), which Jewel and the older protocols of type B use, too, as \
        bytes; FeliCa is User 0 (147, protocol felica, header 1, trailer 2).
        """,
      valueName: "file"), completion: .file())
  var pcap: String?

  @Flag(help: "With --pcap: overwrite a file that is there already.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "The baud rate of the serial line, which is then as slow as a real one.", valueName: "rate"))
  var baud: Int?

  @Flag(help: "Let bytes on the line and frames in the air take as long as with a real reader.")
  var realTime = false

  @Option(
    help: ArgumentHelp(
      "Be in the field of the virtual reader with this connection string, and it in the field of this one.",
      valueName: "connection-string"))
  var facing: String?

  @Flag(help: "Act as a PC/SC reader, through pcscd's virtual reader.")
  var pcsc = false

  @Option(
    help: ArgumentHelp("With --pcsc: the machine on which vpcd listens.", valueName: "name"))
  var host: String?

  @Option(
    help: ArgumentHelp(
      "With --pcsc: the port of vpcd's slot, \(VirtualPCSCClient.defaultPort) unless given.",
      valueName: "number"),
    transform: { UInt16(clamping: try NumberArgument.integer($0, "--port", in: 1...65_535)) })
  var port: UInt16?

  @Option(
    help: ArgumentHelp(
      """
      With --pcsc: the commands that the reader accepts, those of these real readers. Programs recognize such readers by their names, which pcscd's configuration specifies.
      """, valueName: "reader"))
  var dialect: PCSCDialectName?

  /// With --list: one object per name. The line with the connection string is the same in any case.
  @Flag(help: .hidden) private var json = false
  @Flag(help: .hidden) private var verbose = false
  @OptionGroup private var ignored: IgnoredTagOptions

  mutating func validate() throws {
    guard pcsc || host == nil && port == nil && dialect == nil else {
      throw ValidationError("--host, --port and --dialect require --pcsc.")
    }
    guard !pcsc || baud == nil && !realTime else {
      throw ValidationError("--baud and --real-time are for the PN532, not for --pcsc.")
    }
    guard !pcsc || pcap == nil else {
      throw ValidationError("--pcap is for the PN532; with --pcsc use --trace.")
    }
    guard baud.map({ Self.baudRates.contains($0) }) ?? true else {
      let rates = Self.baudRates.map(String.init).joined(separator: ", ")
      throw ValidationError("--baud is one of \(rates).")
    }
    guard !list || !hasOtherArguments else {
      throw ValidationError("--list only prints names, and takes nothing else.")
    }
    guard facing == nil || !pcsc else {
      throw ValidationError("--facing is for the PN532, not for --pcsc.")
    }
    guard list || !tags.isEmpty || facing != nil else {
      throw ValidationError("Missing expected argument '<tag> ...': a chip's name, or a dump file.")
    }
  }

  private var hasOtherArguments: Bool {
    !tags.isEmpty || facing != nil || trace != nil || pcap != nil || baud != nil || realTime || pcsc
  }

  /// The baud rates that SetSerialBaudRate supports and that a serial port can be set to (UM0701-02, 7.2.8).
  private static let baudRates = [
    9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600,
  ]

  func run() async throws {
    guard !list else {
      return try VirtualTags.names.forEach { name in
        try Output.line(json ? JSONValue.members(["name": .string(name)]).text : name)
      }
    }
    if ignored.uid != nil {
      Output.printError("nfc: --uid picks a tag on a reader; the tags here keep their UIDs")
    }
    // A trace is replaced, as a log is: it can be written again.
    try File.checkNew(pcap, isForced: force)
    let tags = try VirtualTags(tags, each: "")
    let fields = VirtualFields(isForPCSC: pcsc)
    if let tag = tags.tags.first(where: { !isSeen($0, fields) }) {
      let others = VirtualFields(isForPCSC: !pcsc)
      let isSeenOtherwise = tags.tags.allSatisfy {
        pcsc ? !others.needsPCSC($0) : PublishedPCSCReader.canFind($0, dialect: model)
      }
      throw Failure(
        .noReader,
        pcsc
          ? "the virtual PC/SC reader would never see \(tag.name)"
          : "this reader is a PN532, which has no ISO 15693 and would never see \(tag.name)",
        advice: !isSeenOtherwise
          ? "leave \(tag.name) out"
          : pcsc ? "leave --pcsc out" : "make it a PC/SC reader with --pcsc")
    }
    for tag in tags.tags { fields.place(tag) }
    let demo =
      tags.showsDemo
      ? try Demo(in: fields, technologies: PollingOptions.all.technologies) { isSeen($0, fields) }
      : nil
    let file = try trace.map { try TraceFile($0) }
    let frames = try pcap.map { try FrameFile($0) }
    defer { frames?.close() }
    do {
      let reader = try await start(fields, file, frames)
      defer { reader.close() }
      for note in tags.notes { Output.printError("nfc: " + note) }
      try Output.line(reader.connectionString)
      guard let demo else {
        while true { try await Task.sleep(for: .seconds(3600)) }
      }
      while true { try await demo.showAll() }
    } catch is CancellationError {
      // An interruption is the normal end of this command.
    }
  }

  private func isSeen(_ tag: VirtualTag, _ fields: VirtualFields) -> Bool {
    pcsc ? PublishedPCSCReader.canFind(tag, dialect: model) : !fields.needsPCSC(tag)
  }

  private var model: VirtualPCSCReader.Dialect { dialect?.dialect ?? .transparentSession }

  /// A reader for other programs, which runs until it is closed.
  private struct RunningReader {
    let connectionString: String
    let close: () -> Void
  }

  private func start(
    _ fields: VirtualFields, _ file: TraceFile?, _ frames: FrameFile?
  ) async throws -> RunningReader {
    guard pcsc else {
      var chip = VirtualPN532()
      chip.baudRate = baud
      let pace: VirtualReader.Pace = realTime ? .realTime : baud == nil ? [] : .line
      let virtual = try Session.virtualReader(
        fields.pn532, chip: chip, pace: pace, trace: Self.trace(file.map(Self.writer), frames))
      let listener = FacingReaders.listen(for: virtual)
      if let facing { try FacingReaders.connect(virtual, to: facing) }
      return RunningReader(connectionString: virtual.connectionString) {
        listener?.removeName()
        virtual.close()
      }
    }
    let shown = try PublishedPCSCReader(
      VirtualPCSCReader(fields.pcsc, dialect: model),
      host: host, port: port, trace: file.map(Self.apduWriter))
    do {
      return RunningReader(connectionString: try await shown.connectionString(), close: shown.close)
    } catch {
      shown.close()
      throw error
    }
  }

  private static func writer(_ file: TraceFile) -> @Sendable (TraceEvent) -> Void {
    let log = Mutex(TraceLog())
    return { event in file.write(log.withLock { $0.line(event) }) }
  }

  private static func trace(
    _ writer: (@Sendable (TraceEvent) -> Void)?, _ frames: FrameFile?
  ) -> (@Sendable (TraceEvent) -> Void)? {
    guard let frames else { return writer }
    return { event in
      writer?(event)
      frames.take(event)
    }
  }

  private static func apduWriter(_ file: TraceFile) -> @Sendable (TraceEvent) -> Void {
    let log = Mutex(APDULog())
    return { event in
      if let line = log.withLock({ $0.line(event) }) { file.write(line) }
    }
  }
}
