import Foundation
import Testing

/// Tests of the unit that `nfc watch --install` prints.
@Suite struct SystemdUnitTests {
  private static func lines(_ arguments: String...) async throws -> [String] {
    let result = try await Tool.run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    return result.lines
  }

  private static func command(_ lines: [String]) throws -> String {
    let line = try #require(lines.first { $0.hasPrefix("ExecStart=") })
    return String(line.drop { $0 != " " }.dropFirst())
  }

  /// Only the name of the command is removed from the command line, not every word like it.
  @Test func allArgumentsAreKept() async throws {
    let lines = try await Self.lines(
      "--json", "watch", "--mqtt", "mqtt://b", "--name", "watch", "--install", "--topic", "watch")
    #expect(
      try Self.command(lines) == "watch --json --mqtt mqtt://b --name watch --topic watch")
  }

  /// systemd.syntax(7), "Quoting": a word in quotes may contain C escapes.
  @Test func aCommandOfSeveralLinesStaysOne() async throws {
    let lines = try await Self.lines("watch", "--install", "--exec", "echo 1\n\techo $2 100%")
    #expect(try Self.command(lines) == #"watch --exec "echo 1\n\techo $$2 100%%""#)
  }

  /// A user's unit runs in the home folder (systemd.exec(5), "WorkingDirectory="), where a relative file name of
  /// the command line has another meaning.
  @Test func relativeNamesKeepTheirMeaning() async throws {
    let folder = FileManager.default.currentDirectoryPath.replacing("%", with: "%%")
    let lines = try await Self.lines("watch", "--rules", "rules.yaml", "--install")
    #expect(lines.contains("WorkingDirectory=\(folder)"))
    let plain = try await Self.lines("watch", "--install")
    #expect(!plain.contains { $0.hasPrefix("WorkingDirectory=") }, "packages install this unit")
  }

  /// A line break in the name of a folder would begin another setting (systemd.syntax(7)).
  @Test func aFolderIsNoSetting() async throws {
    try await TemporaryDirectory.with { folder in
      let result = try await Tool.shell(
        #"""
        cd "$FOLDER"; mkdir "a
        ExecStartPre=touch b"
        (cd a*; "$NFC" watch --install --open); echo $?
        """#, environment: ["FOLDER": folder.path])
      #expect(result.lines == ["64"], "\(result.output)")
      #expect(result.errorLines.count == 1)
    }
  }

  /// systemd stops a service with SIGTERM. Without this line, a service that was stopped is one that has failed
  /// (systemd.service(5), "SuccessExitStatus=").
  @Test func aServiceThatIsStoppedHasNotFailed() async throws {
    let lines = try await Self.lines("watch", "--install")
    #expect(lines.contains("SuccessExitStatus=143"))
    #expect(lines.contains("Restart=on-failure"))
  }

  /// A broker's certificate that has expired, or a reader that its user may not open yet, is mended by someone else. By
  /// default, systemd gives up after five starts within ten seconds (systemd.unit(5), "StartLimitIntervalSec=").
  @Test func aServiceIsStartedAgainUntilItsCauseIsGone() async throws {
    let lines = try await Self.lines("watch", "--install")
    let unit = try #require(lines.firstIndex(of: "[Unit]"))
    let service = try #require(lines.firstIndex(of: "[Service]"))
    #expect(lines[unit..<service].contains("StartLimitIntervalSec=0"))
    #expect(lines.contains("RestartSec=5"))
    // A wrong command line stays wrong.
    #expect(lines.contains("RestartPreventExitStatus=64"))
  }

  /// A door is watched without a desktop. Only links are opened in one, which starts the service with the variables of
  /// its session, and ends it (systemd.special(7), "graphical-session.target").
  @Test func onlyAUnitThatOpensLinksDependsOnADesktop() async throws {
    for arguments in [[], ["--exec", "a"], ["--rules", "r"], ["--notify"]] {
      let result = try await Tool.run(["watch", "--install"] + arguments)
      #expect(!result.output.contains("PartOf="))
      #expect(result.lines.contains("WantedBy=default.target"))
    }
    let lines = try await Self.lines("watch", "--install", "--open", "--notify")
    #expect(lines.contains("PartOf=graphical-session.target"))
    #expect(lines.contains("WantedBy=graphical-session.target"))
  }

  /// A unit inherits no variables from the shell in which it was made, and a password is not part of a command line.
  @Test func variablesComeFromAFile() async throws {
    let result = try await Tool.run(
      ["watch", "--install", "--mqtt", "mqtt://me@b"],
      environment: ["NFC_MQTT_PASSWORD": "secret"])
    #expect(result.lines.contains("EnvironmentFile=-%E/nfc/watch.env"))
    #expect(!result.output.contains("secret"))
  }
}
