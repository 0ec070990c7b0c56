import Testing

@testable import Recordings

/// Tests which bytes of a DESFire's commands a recording masks.
@Suite struct RecordingSecretsTests {
  /// ChangeKey, ChangeKeyEV2, a default key, and the key of transaction MACs.
  @Test(arguments: [0xC4, 0xC6, 0x5C, 0xCE] as [UInt8])
  func keysThatAreSentToACard(_ code: UInt8) {
    var secrets = RecordingSecrets()
    #expect(
      secrets.find(
        inCommand: [0x90, code, 0, 0, 4, 2, 7, 7, 7, 0], framing: .tagProtocol) == [6..<10])
    #expect(secrets.find(inCommand: [code, 2, 7, 7, 7], framing: .tagProtocol) == [2..<5])
    #expect(secrets.find(inAnswer: [0x91, 0x00]) == [])
  }

  /// A command without secrets.
  @Test func otherCommands() {
    var secrets = RecordingSecrets()
    #expect(
      secrets.find(
        inCommand: [0x90, 0xCD, 0, 0, 4, 2, 7, 7, 7, 0], framing: .tagProtocol) == [])
  }
}
