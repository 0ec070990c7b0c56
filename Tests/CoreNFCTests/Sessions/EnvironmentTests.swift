@testable import CoreNFC
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

#if canImport(Glibc)
import Glibc
#endif

extension SessionSuites {
  /// Info.plist, the reader and the person at the machine.
  @Suite struct EnvironmentTests {
    @Test func readsInfoPlist() throws {
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("\(UUID().uuidString).plist")
      defer { try? FileManager.default.removeItem(at: file) }
      let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>NFCReaderUsageDescription</key><string>To read passports</string>
        <key>com.apple.developer.nfc.readersession.iso7816.select-identifiers</key>
        <array><string>A0000002471001</string></array>
        <key>com.apple.developer.nfc.readersession.felica.systemcodes</key>
        <array><string>0003</string><string>12FC</string></array>
        </dict></plist>
        """
      try Data(text.utf8).write(to: file)
      #expect(
        NFCInformation(contentsOf: file)
          == NFCInformation(
            usageDescription: "To read passports", applicationIdentifiers: ["A0000002471001"],
            systemCodes: ["0003", "12FC"]))
      try Data("no property list".utf8).write(to: file)
      #expect(NFCInformation(contentsOf: file) == nil)
      try Data("<plist version=\"1.0\"><array/></plist>".utf8).write(to: file)
      #expect(NFCInformation(contentsOf: file) == nil)
    }

    /// The file beside the executable, which in a test is the test bundle's.
    @Test func infoPlistIsNextToTheExecutable() throws {
      let directory = try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
        .deletingLastPathComponent()
      let file = directory.appendingPathComponent("Info.plist")
      guard !FileManager.default.fileExists(atPath: file.path),
        FileManager.default.isWritableFile(atPath: directory.path)
      else { throw Unexpected("\(file.path) cannot be made") }
      let list = ["NFCReaderUsageDescription": "beside"]
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        .write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      #expect(NFCInformation.main.usageDescription == "beside")
    }

    /// In a process of its own: other tests read the environment, and setenv(3) can free what they are reading.
    @Test func theReaderIsNamedByTheEnvironmentVariable() async throws {
      await #expect(processExitsWith: .success) {
        limitThisProcess()
        let bench = try SessionBench(.ntag215())
        setenv("NFC_READER", bench.virtual.connectionString, 1)
        NFCEnvironment.current.readers = .automatic
        #expect(NFCNDEFReaderSession.readingAvailable)
        let (session, delegate, tags) = try await bench.tags()
        #expect(tags.count == 1)
        session.invalidate()
        _ = try await delegate.events.end()
      }
    }

    private final class Recorder: NFCPresenter {
      let moments = Mutex<[NFCPresentation]>([])
      func present(_ moment: NFCPresentation) { moments.withLock { $0.append(moment) } }
      var lines: [String?] { moments.withLock { $0.map(\.line) } }
    }

    @Test func thePersonIsShownWhatASheetWouldSay() async throws {
      let recorder = Recorder()
      let bench = try SessionBench(.ntag215(), presenter: recorder)
      let delegate = TagDelegate()
      let session = try #require(
        NFCTagReaderSession(pollingOption: [.iso14443, .iso15693], delegate: delegate))
      session.alertMessage = "Hold it near"
      #expect(session.alertMessage == "Hold it near")
      session.begin()
      try await delegate.events.expectActive()
      session.alertMessage = "Reading"
      session.invalidate(errorMessage: "Wrong tag")
      _ = try await delegate.events.end()
      session.alertMessage = "too late"
      #expect(
        recorder.lines == [
          "NFC: Hold it near",
          "NFC: this reader has no ISO 15693; use a PC/SC reader that has it",
          "NFC: Reading", "NFC: failed: Wrong tag",
        ])
      withExtendedLifetime(bench) {}
    }

    @Test func thePersonIsShownWhyASessionHasEnded() async throws {
      func lines(_ change: (inout NFCEnvironment) -> Void) async throws -> [String?] {
        let recorder = Recorder()
        let bench = try SessionBench(presenter: recorder)
        change(&NFCEnvironment.current)
        let (_, delegate) = try bench.session(.iso14443)
        _ = try await delegate.events.end()
        return recorder.lines
      }
      let late = try await lines { $0.limits.sessionDuration = .milliseconds(100) }
      #expect(late == ["NFC: ready to scan", "NFC: failed: Session timeout"])
      let withoutReader = try await lines { $0.readers = .named("pn532_uart:/nonexistent") }
      #expect(
        withoutReader == [
          "NFC: ready to scan",
          "NFC: failed: Feature not supported: cannot open /nonexistent: No such file or directory",
        ])
      // This one has not even begun.
      let withoutKey = try await lines { $0.information = NFCInformation() }
      #expect(
        withoutKey == [
          "NFC: failed: Missing required entitlement: Info.plist does not say what NFC is used for "
            + "(NFCReaderUsageDescription)"
        ])
    }

    @Test func theEndAfterTheFirstMessageIsNotAFailure() async throws {
      let recorder = Recorder()
      let bench = try SessionBench(
        try .ntag213(ndef: NDEFMessage(.uri("https://example.org"))), presenter: recorder)
      let delegate = MessageDelegate()
      let session = NFCNDEFReaderSession(
        delegate: delegate, queue: nil, invalidateAfterFirstRead: true)
      session.alertMessage = "Hold it near"
      session.begin()
      _ = try await delegate.events.end()
      #expect(recorder.lines == ["NFC: Hold it near", "NFC: done: Hold it near"])
      withExtendedLifetime(bench) {}
    }

    @Test func thePersonMayCancel() async throws {
      let recorder = Recorder()
      let bench = try SessionBench(presenter: recorder)
      let (_, delegate) = try bench.session()
      guard case .began(_, let cancel) = recorder.moments.withLock({ $0.first }) else {
        throw Unexpected("nothing was presented")
      }
      cancel()
      let error = try await delegate.events.end()
      #expect(error.code == .readerSessionInvalidationErrorUserCanceled)
      #expect(error.localizedDescription == "Session invalidated by user")
    }

    @Test func theTerminalGetsALineAndAFileDoesNot() throws {
      var (controller, terminal): (Int32, Int32) = (-1, -1)
      try #require(openpty(&controller, &terminal, nil, nil, nil) == 0)
      defer {
        close(controller)
        close(terminal)
      }
      NFCTerminalPresenter(descriptor: terminal).present(.message("Hold it near"))
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(controller, &bytes, bytes.count)
      #expect(
        String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "NFC: Hold it near\r\n")

      var pipes: [Int32] = [-1, -1]
      try #require(pipe(&pipes) == 0)
      defer { close(pipes[0]) }
      NFCTerminalPresenter(descriptor: pipes[1]).present(.message("Hold it near"))
      close(pipes[1])
      #expect(read(pipes[0], &bytes, bytes.count) == 0)
    }

    /// What is run in place of notify-send writes down what it is given.
    @Test func theDesktopGetsANotification() async throws {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        UUID().uuidString)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let program = directory.appendingPathComponent("notify-send")
      let log = directory.appendingPathComponent("log")
      try Data(
        "#!/bin/sh\nprintf '%s|' \"$@\" > '\(log.path).new' && mv '\(log.path).new' '\(log.path)'\n"
          .utf8
      )
      .write(to: program)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: program.path)
      NFCNotificationPresenter(title: "Door", program: program.path).present(
        .message("--hold it near"))
      let deadline = ContinuousClock.now + .seconds(5)
      while !FileManager.default.fileExists(atPath: log.path), ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(
        try String(contentsOf: log, encoding: .utf8)
          == "--app-name|Door|--|Door|NFC: --hold it near|")
      // Without the program nothing happens.
      NFCNotificationPresenter(program: "/nonexistent").present(.message("x"))
    }
  }
}
