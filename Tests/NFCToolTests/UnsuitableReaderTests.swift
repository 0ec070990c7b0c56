import NFC
import TestSupport
import Testing
import VirtualNFC

/// Tests of commands for a tag that the reader can only identify: another reader may do what this one cannot.
@Suite struct UnsuitableReaderTests {
  @Test func isNotTheTagsFault() async throws {
    let field = VirtualField()
    field.place(.feliCaLiteS())
    let virtual = VirtualPCSCReader(field, dialect: .storageCard)
    let daemon = try PrivatePCSCD(name: "Some Reader")
    let client = try VirtualPCSCClient(virtual, port: daemon.port)
    defer { client.close() }
    for command in [
      ["read"], ["read", "--json"], ["write", "uri", "https://example.com"], ["erase"],
      ["lock", "--permanently"], ["felica", "read", "--all"],
    ] {
      let result = try await daemon.nfc(arguments: command)
      #expect(result.status == 69, "\(command): \(result.errors)")
      #expect(result.output == "", "\(command)")
      #expect(result.errorLines.count == 1, "\(command)")
      #expect(result.errors.contains("accepts no commands for it"), "\(command): \(result.errors)")
      #expect(result.errors.contains("use another reader"), "\(command): \(result.errors)")
    }
    // What is known is still shown.
    let info = try await daemon.nfc("info")
    #expect(info.status == 0, "\(info.errors)")
    #expect(info.output.contains("FeliCa card"), "\(info.output)")
    #expect(info.output.contains("accepts no commands for it"), "\(info.output)")
  }

  /// The kind says how many blocks there are, which the tag cannot be asked.
  @Test func readsATagOfKnownSize() async throws {
    let field = VirtualField()
    let chip = VirtualTag.icodeSLIX2()
    field.place(chip)
    let virtual = VirtualPCSCReader(field, dialect: .storageCard)
    let daemon = try PrivatePCSCD(name: "Some Reader")
    let client = try VirtualPCSCClient(virtual, port: daemon.port)
    defer { client.close() }
    let result = try await daemon.nfc("iso15693", "read", "--json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.count == 80)
    #expect(result.lines.first == #"{"block":0,"data":"E1402701"}"#)
  }
}
