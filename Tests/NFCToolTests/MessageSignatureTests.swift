import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// `nfc encode sign`, and `--trust` and `--verify` of `nfc read` and `nfc decode`.
@Suite struct MessageSignatureTests {
  /// A folder with a message, `key.pem` and `signer.pem` of one signer, and `other.key` and `other.pem` of another;
  /// `old.pem` is a certificate for `key.pem` that has expired.
  private static func with(
    _ body: (
      _ folder: URL, _ nfc: @escaping (_ line: String, _ status: Int32) async throws -> Tool.Result
    ) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let script = """
        cd '\(folder.path)'
        for n in key other; do
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
            -keyout $n.key -out $n.pem -subj "/CN=$n"
          chmod 600 $n.key
        done
        mv key.pem signer.pem; mv key.key key.pem
        openssl req -new -key key.pem -subj /CN=old -out old.csr
        openssl x509 -req -in old.csr -signkey key.pem -days -1 -out old.pem
        openssl pkey -in key.pem -aes256 -passout pass:x -out secret.key
        """
      let made = try await FinishedProgram.run(("/bin/sh", ["-ec", script]))
      made.expectSuccess()
      try await body(folder) { line, status in
        let words = line.split(separator: " ").map {
          $0.hasPrefix("@") ? folder.path + "/" + $0.dropFirst() : String($0)
        }
        let result = try await Tool.run(words)
        #expect(result.status == status, "\(line): \(result.output)\(result.errors)")
        if status > 64 {
          #expect(result.errorLines.count == 1 && result.errors.hasPrefix("nfc: "), "\(line)")
        }
        return result
      }
    }
  }

  @Test func signedReadAndVerified() async throws {
    try await Self.with { folder, nfc async throws in
      _ = try await nfc("encode uri https://a.example --output @m.ndef", 0)
      let signed = try await nfc(
        "encode sign @m.ndef --key @key.pem --certificate @signer.pem --output @s.ndef", 0)
      #expect(signed.output == "" && signed.errors == "")
      let text = try await nfc("decode @s.ndef --trust @signer.pem --verify", 0)
      #expect(text.lines.last == "signature of record 1: unchanged, signed by CN=key, trusted")
      let plain = try await nfc("decode @s.ndef --json", 0)
      #expect(!plain.output.contains("signatures"))
      // On a tag, as on the command line.
      let message = [UInt8](try Data(contentsOf: folder.appending(path: "s.ndef")))
      let tag = try VirtualTag.ntag216(ndef: NDEFMessage(decoding: message))
      try await Tool.with([tag]) { tool async throws in
        let trust = ["--trust", folder.path + "/signer.pem"]
        let read = try await tool(["read", "--json", "--verify"] + trust)
        #expect(read.status == 0)
        let verdict =
          #""signatures":[{"record":1,"covers":[0],"content":"unchanged","issuer":"trusted","signer":"CN=key"}]"#
        #expect(read.output.contains(verdict))
        let other = try await tool(["read", "--verify", "--trust", folder.path + "/other.pem"])
        #expect(other.status == 77)
        #expect(other.errors.contains("which no trusted certificate confirms"))
      }
    }
  }

  @Test func whatIsNotTrusted() async throws {
    try await Self.with { folder, nfc async throws in
      _ = try await nfc("encode uri https://a.example --output @m.ndef", 0)
      _ = try await nfc(
        "encode sign @m.ndef --key @key.pem --certificate @signer.pem --output @s.ndef", 0)
      #expect(try await nfc("decode @m.ndef --verify", 77).errors.contains("it is not signed"))
      let nobody = try await nfc("decode @s.ndef --verify", 77)
      #expect(nobody.errors.contains("--trust"))
      // Without --verify, a signer who is not known is only told.
      #expect(try await nfc("decode @s.ndef --trust @other.pem", 0).output.contains("confirms"))
      // One letter of the link.
      let file = folder.appending(path: "s.ndef")
      var bytes = [UInt8](try Data(contentsOf: file))
      bytes[5] ^= 0x02
      try Data(bytes).write(to: file)
      let changed = try await nfc("decode @s.ndef --trust @signer.pem", 65)
      #expect(changed.output.contains("changed since the signature"))
      #expect(changed.errors.contains("record 1 of the message: changed"))
      // A second record that is not signed.
      bytes[5] ^= 0x02
      var message = try NDEFMessage(decoding: bytes)
      message.records.append(.uri("https://b.example"))
      try Data(message.encoded()).write(to: file)
      let more = try await nfc("decode @s.ndef --trust @signer.pem --verify", 77)
      #expect(more.output.contains("not signed: record 3"))
    }
  }

  @Test func mistakesOfSigning() async throws {
    try await Self.with { folder, nfc async throws in
      _ = try await nfc("encode uri https://a.example --output @m.ndef", 0)
      let start = "encode sign @m.ndef --output @s.ndef"
      let other = try await nfc(start + " --key @other.key --certificate @signer.pem", 64)
      #expect(other.errors.contains("signer.pem: the certificate is for another key"))
      let malformed = try await nfc(start + " --key @signer.pem --certificate @signer.pem", 64)
      #expect(malformed.errors.contains("not a private key"))
      let secret = try await nfc(start + " --key @secret.key --certificate @signer.pem", 64)
      #expect(secret.errors.contains("openssl pkey -in FILE -out FILE removes it"))
      let old = try await nfc(start + " --key @key.pem --certificate @old.pem", 65)
      #expect(old.errors.contains("expired") && old.errors.contains("--as-is"))
      _ = try await nfc(start + " --key @key.pem --certificate @none.pem", 66)
      _ = try await nfc(start + " --key @key.pem --certificate @m.ndef", 65)
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/s.ndef"))
      _ = try await nfc(start + " --key @key.pem --certificate @old.pem --as-is", 0)
      let expired = try await nfc("decode @s.ndef --trust @old.pem --verify", 77)
      #expect(expired.errors.contains("not valid now"))
      let again = "encode sign @s.ndef --output @t.ndef --key @key.pem --certificate @signer.pem"
      #expect(try await nfc(again, 65).errors.contains("no record to sign"))
      _ = try await nfc("decode @s.ndef --trust @none.pem", 66)
      _ = try await nfc(start + " --key @key.pem --certificate @signer.pem", 64)
    }
  }
}
