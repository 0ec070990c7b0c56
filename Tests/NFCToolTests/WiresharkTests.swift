import Foundation
import Testing
import VirtualNFC

/// Tests of captures, as Wireshark parses them.
@Suite struct WiresharkTests {
  /// Returns the fields of each packet, as `tshark` prints them.
  private static func packets(
    _ file: String, _ fields: [String], _ options: [String] = []
  ) async throws -> [[String]] {
    let arguments = ["-n", "-r", file, "-T", "fields"] + options + fields.flatMap { ["-e", $0] }
    let tshark = try RunningTool(arguments, program: "/usr/bin/tshark")
    let result = try await tshark.end()
    #expect(result.status == 0, "\(result.errors)")
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private static let feliCa = [
    "-o", #"uat:user_dlts:"User 0 (DLT=147)","felica","1","","2","""#,
  ]

  /// Runs a command with `--pcap`, and gives the fields of its packets.
  private static func capture(
    _ words: [String], _ fields: [String], _ options: [String] = []
  ) async throws -> [[String]] {
    var found: [[String]] = []
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.pcapng").path
      let result = try await Tool.run(words + ["--pcap", file])
      #expect(result.status == 0, "\(result.errors)")
      found = try await packets(file, fields, options)
    }
    return found
  }

  /// Cards of every protocol that Wireshark knows, with answers of one byte among them: that of a MIFARE Plus to
  /// a command it does not have, the acknowledges of a MIFARE Classic.
  @Test(arguments: [
    "mifare-plus", "mifare-plus-sl1", "desfire-ev3", "type4b", "emrtd", "classic-1k",
    "ultralight-c",
    "suica", "icode-slix2",
  ])
  func nothingIsMalformed(_ tag: String) async throws {
    let packets = try await Self.capture(
      ["--virtual", tag, "info"], ["_ws.malformed", "_ws.col.Info"], Self.feliCa)
    #expect(packets.count > 5)
    #expect(packets.filter { !$0[0].isEmpty || $0[1].contains("Malformed") } == [])
  }

  @Test func typeA() async throws {
    let packets = try await Self.capture(
      ["--virtual", "ntag213", "mifare", "send", "3004"],
      [
        "iso14443.event", "_ws.col.Info", "frame.packet_flags_direction", "iso14443.uid_cln",
        "frame.interface_name",
      ])
    let infos = packets.map { $0[1] }
    #expect(
      infos.prefix(10) == [
        "REQA", "ATQA", "Anticollision", "UID", "Select", "SAK", "Anticollision", "UID", "Select",
        "SAK",
      ])
    // The command and its answer, which Wireshark has no names for.
    #expect(packets.count == 12)
    for (index, packet) in packets.enumerated() {
      let isSent = index % 2 == 0
      #expect(packet[0] == (isSent ? "0xfe" : "0xff"))
      #expect(packet[2].hasSuffix(isSent ? "2" : "1"))
      #expect(packet[4] == "ISO 14443")
    }
    let uid = VirtualTag.ntag213().identifier
    #expect(packets[3][3].isEmpty == false)
    #expect(packets[7][3].isEmpty == false)
    #expect(uid.count == 7)
  }

  @Test func frames() async throws {
    let packets = try await Self.capture(
      ["--virtual", "ntag213", "mifare", "send", "3004"],
      ["frame.len", "frame.comment"], ["-Y", "frame.number > 10"])
    // Four bytes of pseudo-header, the command with its check, 16 bytes with theirs.
    #expect(packets.map { $0[0] } == ["8", "22"])
    #expect(packets.allSatisfy { $0[1].isEmpty })
    let activation = try await Self.capture(
      ["--virtual", "ntag213", "mifare", "send", "3004"], ["frame.comment"],
      ["-Y", "frame.number <= 10"])
    #expect(activation.allSatisfy { $0[0].contains("reconstructed") })
  }

  @Test(arguments: ["type4", "type4b", "desfire"])
  func smartCards(_ tag: String) async throws {
    let packets = try await Self.capture(
      ["--virtual", tag, "apdu", "00A4040007D276000085010100"],
      ["_ws.col.Info", "iso14443.inf", "iso14443.resp_to", "iso14443.crc"])
    let infos = packets.map { $0[0] }
    #expect(infos.contains(tag == "type4b" ? "ATQB" : "RATS"))
    #expect(infos.contains(tag == "type4b" ? "Attrib" : "ATS"))
    let blocks = packets.filter { $0[0].hasPrefix("I-block") }
    #expect(blocks.count >= 2)
    #expect(blocks.count % 2 == 0)
    let command = try #require(blocks.firstIndex { $0[1].contains("00a4040007d276000085010100") })
    #expect(!blocks[command + 1][2].isEmpty)
    #expect(!blocks[command][3].isEmpty)
    #expect(blocks[command + 1][1].hasSuffix("9000") || tag == "desfire")
  }

  @Test func feliCa() async throws {
    let packets = try await Self.capture(
      ["--virtual", "suica", "felica", "read", "--service", "090F", "0"],
      ["_ws.col.Info", "_ws.col.Protocol", "frame.interface_name"], Self.feliCa)
    #expect(packets.allSatisfy { $0[1] == "FeliCa" && $0[2] == "FeliCa" })
    #expect(packets.first?[0].hasPrefix("Polling") == true)
    #expect(packets.count >= 4)
    #expect(packets.allSatisfy { !$0[0].isEmpty })
  }

  @Test func vicinityTagsAreBytes() async throws {
    let packets = try await Self.capture(
      ["--virtual", "icode-slix2", "iso15693", "send", "022000"],
      ["frame.interface_name", "frame.len", "frame.packet_flags_direction"])
    #expect(packets.count >= 2)
    #expect(packets.suffix(2).map { $0[0] } == ["ISO 15693", "ISO 15693"])
    #expect(packets.suffix(2).map { $0[1] } == ["5", "7"])
    #expect(packets.suffix(2).map { $0[2].suffix(1) } == ["2", "1"])
  }

  /// Those that Wireshark knows nothing of are there, too.
  @Test(arguments: [("topaz96", "read", 2), ("srix4k", "info", 0), ("barcode", "info", 1)])
  func otherTagsAreBytes(_ tag: String, _ command: String, _ least: Int) async throws {
    let packets = try await Self.capture(
      ["--virtual", tag, command], ["frame.interface_name", "frame.protocols", "_ws.malformed"])
    let others = packets.filter { $0[0] == "other tags" }
    #expect(others.count >= least)
    #expect(others.allSatisfy { $0[1] == "user_dlt:data" }, "\(others)")
    #expect(packets.allSatisfy { $0[2].isEmpty })
  }

  /// What was recorded elsewhere can be looked at.
  @Test func aRecordingBecomesACapture() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let recording = directory.appending(path: "session.jsonl").path
      let words = ["mifare", "send", "3004"]
      _ = try await Tool.run(["--virtual", "ntag213", "--record", recording] + words)
      let packets = try await Self.capture(["--replay", recording] + words, ["_ws.col.Info"])
      #expect(packets.count == 12)
      #expect(packets[0][0] == "REQA")
    }
  }

  /// Every frame of a virtual reader, while the real libnfc uses it.
  @Test(arguments: [("desfire", "RATS"), ("type4b", "Attrib"), ("ntag213", "HLTA")])
  func virtualReaders(_ tag: String, _ info: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.pcapng").path
      let virtual = try RunningTool(["virtual", tag, "--pcap", file])
      let reader = try #require(try await virtual.waitForLines(1).first)
      let result = try await Tool.run("poll", "--count", "1", "--reader", reader)
      #expect(result.status == 0)
      virtual.interrupt()
      #expect(try await virtual.end().status == 0)
      let packets = try await Self.packets(
        file, ["_ws.col.Info", "iso14443.event", "frame.interface_name"])
      let infos = packets.map { $0[0] }
      #expect(infos.contains("Field on"))
      #expect(infos.contains(info) || info == "HLTA")
      #expect(infos.contains(tag == "type4b" ? "ATQB" : "ATQA"))
      // All frames but those of FeliCa's search.
      #expect(packets.allSatisfy { $0[2] == "FeliCa" || $0[1].hasPrefix("0xf") })
    }
  }

  @Test func pcapIsForThePN532() async throws {
    let result = try await Tool.run("virtual", "ntag213", "--pcsc", "--pcap", "x")
    #expect(result.status == 64)
    let unwritable = try await Tool.run("virtual", "ntag213", "--pcap", "/nowhere/x")
    #expect(unwritable.status == 66)
    #expect(unwritable.errorLines.count == 1)
  }
}
