import Foundation
import SwiftNFCCore
import Testing
import TestSupport
import VirtualNFC

/// Tests readers that are connected and disconnected while an `nfc` command runs, that hang, or that are
/// in use by a kernel module.
///
/// umockdev cannot simulate the following: a reset that takes the device from another program, or gives
/// it another number; a hub that loses its supply; an interface whose module is bound again when it is
/// plugged in.
@Suite(.serialized)
struct HotPlugTests {
  private static let models = USBReader.Model.allCases
  private func reader(_ model: USBReader.Model) throws -> USBReader {
    let reader = try USBReader(model)
    reader.field.place(try VirtualTag.ntag213(ndef: ReadFault.message))
    return reader
  }

  /// Runs a test with all models in parallel, because it mostly waits.
  private func forEachModel(
    _ body: @escaping @Sendable (USBReader.Model) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      for model in Self.models { group.addTask { try await body(model) } }
      try await group.waitForAll()
    }
  }

  /// Returns the events of `poll --json` or `watch --json`, in order.
  private func events(_ output: String) -> [String] {
    output.split(separator: "\n").compactMap { line in
      ["arrived", "left", "tap"].first { line.contains("\"event\":\"\($0)\"") }
    }
  }

  // MARK: Coming and going

  /// The reader is disconnected while it is polled, and returns with another number.
  @Test(arguments: ["", "usb:1-1"])
  func pollContinues(_ name: String) async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let named = name.isEmpty ? [] : ["--reader", name]
      let poll = try await USBProgram.nfc(
        ["poll", "--json", "--count", "3", "--timeout", "20"] + named, on: reader,
        .comesAndGoes(120, times: 2, milliseconds: 300))
      poll.expectSuccess()
      #expect(
        events(poll.output) == ["arrived", "left", "arrived", "left", "arrived"],
        "\(poll.output)\(poll.errors)")
      #expect(poll.errors.contains("waiting for it"), "\(poll.errors)")
      #expect(reader.history.filter { $0 != "reset" }.count == 5, "\(reader.history)")
    }
  }

  /// The reader is connected while the command is running, disconnected, and connected again.
  @Test func watchContinues() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let watch = try await USBProgram.shell(
        USBProgram.watches(untilTaps: 2), on: reader, .arrives(milliseconds: 1000),
        .comesAndGoes(150, times: 1, milliseconds: 400))
      #expect(
        events(watch.output).prefix(3) == ["tap", "left", "tap"], "\(watch.output)\(watch.errors)")
    }
  }

  /// A reader that is plugged in several times has the same name in all reports, although its address is another
  /// one each time, and the watcher keeps nothing of the earlier times.
  @Test func watchKeepsNothingOfAReaderThatReturns() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let watch = try await USBProgram.shell(
        USBProgram.watchesItsResources(untilTaps: 4), on: reader,
        .comesAndGoes(150, times: 3, milliseconds: 1000))
      let report = "\(watch.output)\(watch.errors)"
      #expect(
        events(watch.output).prefix(7) == ["tap", "left", "tap", "left", "tap", "left", "tap"],
        "\(report)")
      let lines = watch.output.split(separator: "\n")
      let resources = lines.filter { $0.hasPrefix("descriptors ") }
        .map { $0.split(separator: " ").compactMap { Int($0) } }
      try #require(resources.count == 2 && resources.allSatisfy { $0.count == 2 }, "\(report)")
      #expect(resources.map { $0[1] } == [1, 1], "one socket for programs that need the reader")
      #expect(resources[1][0] <= resources[0][0] + 2, "\(report)")
      let name = "\"reader\":\"\(reader.connectionString)\""
      #expect(lines.filter { $0.contains("\"event\"") && !$0.contains(name) } == [])
      #expect(watch.errors.ranges(of: "is away: ").count == 3, "\(report)")
      #expect(watch.errors.ranges(of: "is back").count == 3, "\(report)")
      // Commands can open it.
      let driver = reader.connectionString.prefix { $0 != ":" }
      for number in 2...5 {
        #expect(watch.errors.contains("NFC_READER \(driver):001:00\(number)\n"), "\(report)")
      }
    }
  }

  /// A reader that was named by bus and number, as `nfc readers` prints it, has another number when it returns.
  @Test(arguments: ["", "isolated:"]) func watchFollowsANamedReader(_ prefix: String) async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let name = prefix + reader.connectionString
      let watch = try await USBProgram.shell(
        USBProgram.watches(untilTaps: 2, named: name), on: reader,
        .comesAndGoes(150, times: 1, milliseconds: 400))
      let report = "\(watch.output)\(watch.errors)"
      #expect(events(watch.output).prefix(3) == ["tap", "left", "tap"], "\(report)")
      let lines = watch.output.split(separator: "\n").filter { $0.contains("\"event\"") }
      #expect(lines.allSatisfy { $0.contains("\"reader\":\"\(name)\"") }, "\(report)")
    }
  }

  /// The name means that reader: another one with its own serial number, on the same port, is not taken for it.
  @Test func watchWaitsForTheNamedReader() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let watch = try await USBProgram.shell(
        USBProgram.watches(untilTaps: 1, named: reader.connectionString, andThen: .seconds(8)),
        on: reader, .replaced, .comesAndGoes(150, times: 1, milliseconds: 400))
      let taps = events(watch.output).filter { $0 == "tap" }
      #expect(taps.count == 1, "\(watch.output)\(watch.errors)")
      #expect(reader.history.filter { $0 != "reset" } == ["plugged", "unplugged", "plugged"])
    }
  }

  /// What to do is said once, in the text and on standard error.
  @Test func doctorSaysOnceWhatToDo() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let doctor = try await USBProgram.nfc(
        ["doctor", "--reader", reader.connectionString], on: reader, .isDead)
      #expect(doctor.status == 69, "\(doctor.output)\(doctor.errors)")
      #expect(doctor.errors.ranges(of: "plug it in again").count == 1, "\(doctor.errors)")
      #expect(doctor.output.ranges(of: "plug it in again").count == 1, "\(doctor.output)")
    }
  }

  /// A reader with another serial number is not the one that was on this port before, and is reported under its own
  /// name.
  @Test func watchDistinguishesReadersOnOnePort() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let watch = try await USBProgram.shell(
        USBProgram.watches(untilTaps: 2), on: reader, .replaced,
        .comesAndGoes(150, times: 1, milliseconds: 1000))
      let report = "\(watch.output)\(watch.errors)"
      let taps = watch.output.split(separator: "\n").filter { $0.contains("\"tap\"") }
      let driver = reader.connectionString.prefix { $0 != ":" }
      try #require(taps.count >= 2, "\(report)")
      #expect(taps[0].contains("\"reader\":\"\(driver):001:002\""), "\(report)")
      #expect(taps[1].contains("\"reader\":\"\(driver):001:003\""), "\(report)")
      // The new one may be listed before it can be opened.
      #expect(!watch.errors.contains("001:002 is back"), "\(report)")
      #expect(!watch.errors.contains("libnfc error"), "\(report)")
    }
  }

  /// The system reports the reader before this login has access, and does not report the later change of
  /// access.
  @Test func watchFindsAReaderWhoseRightsComeLate() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let watch = try await USBProgram.shell(
        USBProgram.watches(), on: reader, .arrives(milliseconds: 1000),
        .rightsComeLate(milliseconds: 4000))
      #expect(events(watch.output).first == "tap", "\(watch.output)\(watch.errors)")
      #expect(watch.errors.contains("no permission to write"), "\(watch.errors)")
      #expect(reader.history.filter { $0 != "reset" } == ["plugged", "rights"])
    }
  }

  /// Polling continues, too, when the reader returns.
  @Test func pollContinuesWhenRightsComeLate() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let poll = try await USBProgram.nfc(
        ["poll", "--json", "--count", "2", "--timeout", "20"], on: reader,
        .unpluggedAndBack(120, milliseconds: 300), .rightsComeLate(milliseconds: 1500))
      poll.expectSuccess()
      #expect(
        events(poll.output) == ["arrived", "left", "arrived"], "\(poll.output)\(poll.errors)")
      #expect(
        reader.history.filter { $0 != "reset" } == ["plugged", "unplugged", "plugged", "rights"])
    }
  }

  /// In a container or under WSL, the first USB device creates the bus. libusb 0.1, which libnfc uses,
  /// searches for buses only once per process.
  @Test func watchFindsTheFirstBus() async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let watch = try await USBProgram.shell(
        USBProgram.watches(), on: reader, .busArrives, .arrives(milliseconds: 2000))
      #expect(events(watch.output).first == "tap", "\(watch.output)\(watch.errors)")
      #expect(reader.history.filter { $0 != "reset" } == ["plugged"])
    }
  }

  /// There is no reader, and none is connected.
  @Test func watchWaitsForAReader() async throws {
    let reader = try reader(.acr122u)
    let watch = try await USBProgram.nfc(
      ["watch", "--json"], endedAfter: .seconds(3), on: reader, .arrives(milliseconds: 60_000))
    #expect(events(watch.output) == [] && reader.history == [], "\(watch.output)\(watch.errors)")
  }

  /// The reader is unplugged at any transfer of a write. The tag holds the old message, none, or the new
  /// one, and can be written again.
  @Test(arguments: [2, 9, 18, 22, 26, 31, 44])
  func unpluggedWhileWriting(_ transfer: Int) async throws {
    try await forEachModel { model in
      let reader = try reader(model)
      let text = "a text that takes several pages of the tag"
      let write = try await USBProgram.nfc("write", "text", text, on: reader, .unplugged(transfer))
      #expect([0, 69, 74].contains(write.status), "\(write.status) \(write.output)\(write.errors)")
      // Unplugging also switches its supply off.
      reader.reader.cyclePower()
      let read = try await USBProgram.nfcAgain("read", "--json", on: reader)
      read.expectSuccess()
      let isKnown =
        read.output.contains("example.org") || read.output.contains(text)
        || read.output.contains("\"records\":[]")
      #expect(isKnown, "\(read.output)")
      if write.status == 0 { #expect(read.output.contains(text)) }
      try await USBProgram.nfcAgain("write", "text", text, "--verify", on: reader).expectSuccess()
    }
  }

  // MARK: Hanging readers and modules of the kernel

  /// A reader that is free but does not answer is reset when it is opened. libnfc itself resets an
  /// ACR122U.
  @Test(arguments: models) func aReaderThatHangsIsReset(_ model: USBReader.Model) async throws {
    let reader = try reader(model)
    let read = try await USBProgram.nfc("read", on: reader, .hangs)
    read.expectSuccess()
    #expect(read.output.contains("example.org"))
    #expect(reader.history.contains("reset"), "\(reader.history)")
  }

  @Test(arguments: models) func theDoctorResets(_ model: USBReader.Model) async throws {
    let reader = try reader(model)
    let doctor = try await USBProgram.nfc("doctor", "--reset", on: reader, .hangs)
    #expect(reader.history.contains("reset"), "\(doctor.output)\(doctor.errors)")
    #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
  }

  /// A reader that is in use is not reset.
  @Test(arguments: models) func aBusyReaderIsNotReset(_ model: USBReader.Model) async throws {
    let reader = try reader(model)
    let doctor = try await USBProgram.nfc("doctor", "--reset", on: reader, .busy)
    #expect(doctor.status == 69, "\(doctor.output)\(doctor.errors)")
    #expect(!reader.history.contains("reset"), "\(reader.history)")
  }

  @Test(arguments: models) func aModuleOfTheKernelIsUnbound(_ model: USBReader.Model) async throws {
    let reader = try reader(model)
    let read = try await USBProgram.nfc(
      "read", "--reader", "usb:1-1", on: reader, .kernelDriver(stays: false))
    read.expectSuccess()
    #expect(reader.history.contains("detached"), "\(reader.history)")
  }

  @Test(arguments: models)
  func aModuleOfTheKernelThatStaysIsNamed(_ model: USBReader.Model) async throws {
    let reader = try reader(model)
    let read = try await USBProgram.nfc(
      "read", "--reader", "usb:1-1", on: reader, .kernelDriver(stays: true))
    #expect(read.status == 69)
    #expect(read.errors.contains("module of the kernel"), "\(read.errors)")
    #expect(!reader.history.contains("detached"))
  }
}
