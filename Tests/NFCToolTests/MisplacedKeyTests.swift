import Foundation
import Testing

@testable import SwiftNFCTool

/// A key or password in the wrong place of a command line is in no error: a script's log keeps standard error.
@Suite struct MisplacedKeyTests {
  private static let key = "00112233445566778899AABBCCDDEEFF"

  /// KEY stands for the key; PASSWORD and PACK for those of an NTAG.
  private static let lines = [
    "desfire change-key 1:KEY --app F00001", "desfire change-key KEY --app F00001",
    "desfire change-key 1 --app KEY --new-key KEY", "desfire change-key 1 --new-key KEYF",
    "desfire change-key 1 --crypto KEY", "desfire change-key 0 --key-version KEY",
    "desfire read KEY --app F00001 --file 1", "desfire read --app KEY --file 1",
    "desfire read --app F00001 --file KEY", "desfire read --app F00001 --file 1 --offset KEY",
    "desfire read --app F00001 --file 1 --length KEY", "desfire read --app F00001 --fil=KEY",
    "desfire read --app F00001 --file 1 --key KEY", "desfire read --app F00001 --file 1 --keys KEY",
    "desfire write --app F00001 --file 1 1:KEY", "desfire value KEY --app F00001 --file 1",
    "desfire create-app KEY --keys 1 --crypto aes", "desfire create-app F00001 --keys 1:KEY",
    "desfire create-app F00001 --keys 1 --crypto KEY", "desfire delete-app KEY",
    "desfire create-file --app F00001 --file 1 --size KEY",
    "desfire delete-file --app KEY --file 1",
    "desfire create-file --app F00001 --file 1 --size 4 --read KEY", "desfire KEY",
    "desfire --key 0:KEY", "desfire --keyy 0:KEY info", "desfire info --timeout KEY",
    "--key 0:KEY", "plus change-key KEY --new-key KEY", "plus change-key 1A:KEY --new-key KEY",
    "plus read KEY", "plus read 4 KEY", "plus read 4 --key 1C:KEY", "plus write KEY 00",
    "plus value KEY", "plus level KEY", "plus personalize KEY", "plus personalize --key x:KEY",
    "sun verify https://a.example/ --template KEY --key KEY", "sun verify https://a.example/ KEY",
    "sun setup KEY --key 0:KEY", "sun setup https://a.example/?{picc}{mac} --key KEY",
    "sun setup https://a.example/?{picc}{mac} KEY", "iso15693 read KEY", "iso15693 write KEY 00",
    "iso15693 write 0 0 KEY", "iso15693 lock KEY --permanently", "iso15693 set-keys KEY",
    "iso15693 set-keys --new-key 0:KEY --privileges KEY --plan", "iso15693 privacy KEY",
    "iso15693 privacy on KEY --password KEY", "iso15693 prove KEY", "iso15693 set-password KEY x",
    "iso15693 eas KEY", "protect KEY", "protect PASSWORD", "protect --password KEYF",
    "protect --password PASSWORD --from PASSWORD", "protect --password PASSWORD PASSWORD",
    "protect --password PASSWORD --attempts PASSWORD", "protect PACK --password PASSWORD --pack 0",
    "protect --password PASSWORD --pack PACK --from PACK", "unprotect PASSWORD",
    "protect --password PASSWORD --pck PASSWORD", "unprotect --password KEYG",
    "mifare read KEY", "mifare read 1 --key KEY KEY", "mifare KEY",
  ]

  /// Numbers of documents are shorter than keys.
  @Test(arguments: [
    ("--can 123 456", "456"), ("--can 123 4567", "4567"), ("--can 12 L8989", "L8989"),
    ("--can 1 2", "'2'"), ("--document L898 902C --birth 690806 --expiry 940623", "902C"),
  ])
  func showsNoPartOfADocumentsNumber(_ options: String, _ part: String) async throws {
    let words = options.split(separator: " ").map(String.init)
    let result = try await Tool.run(["passport", "read"] + words + ["--virtual", "emrtd"])
    #expect(result.status == 64)
    #expect(!result.errors.contains(part), "\(result.errors)")
  }

  @Test(arguments: lines) func isNotShown(_ line: String) async throws {
    let secrets = [Self.key, "A1B2C3D4", "80F1"]
    let words = line.split(separator: " ").map {
      $0.replacing("KEY", with: secrets[0]).replacing("PASSWORD", with: secrets[1])
        .replacing("PACK", with: secrets[2])
    }
    let result = try await Tool.run(words.map(String.init) + ["--virtual", "classic-1k"])
    #expect([64, 65, 66, 69, 77].contains(result.status), "\(result.output)\(result.errors)")
    #expect(result.errors.hasPrefix("nfc: "))
    for secret in secrets where line != "--key 0:KEY" || secret == secrets[0] {
      // Also no part of it. Help texts show the beginning of an example.
      let part = secret == Self.key ? "445566778899AABBCCDDEEFF" : secret
      let shown = (result.output + result.errors).replacing("is like 0:\(Self.key)", with: "")
        .replacing("is like 4A:\(Self.key)", with: "")
      #expect(!shown.contains(part), "\(line): \(result.errors)")
    }
  }

  /// What is not a secret is shown as before.
  @Test func otherWordsAreShown() async throws {
    let number = try await Tool.run("desfire", "read", "--app", "F00001", "--file", "x")
    #expect(number.errors.contains(#"not "x""#))
    let uid = try await Tool.run(
      "desfire", "info", "--uid", "04112233445566", "--virtual", "desfire", "--timeout", "0")
    #expect(uid.status == 66 && uid.errors.contains("04112233445566"), "\(uid.errors)")
  }

  /// Options may precede the subcommand, and their values may be spelled like one.
  @Test func theValueOfAnOptionIsNotTakenForTheCommand() {
    let commands = DESFireSubcommand.configuration.subcommands.compactMap {
      $0.configuration.commandName
    }
    #expect(commands.count > 8)
    for command in commands {
      for words in [
        ["--app", "F00001", "--file", "x"], ["--key", "1"], ["--jsn"], ["x", "y", "z"], [],
      ] {
        let line = ["desfire", command] + words
        let before = OptionWords.failure(for: ["--virtual", "desfire"] + line)
        #expect(before == OptionWords.failure(for: line + ["--virtual", "desfire"]), "\(line)")
        #expect(
          OptionWords.failure(for: ["--reader", "poll"] + line)
            == OptionWords.failure(for: line + ["--reader", "poll"]), "\(line)")
      }
    }
  }
}
