import ArgumentParser
import NFC
import PassMessage
import SwiftNFCJSONText

/// The command `nfc pass key`.
struct PassKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Makes the key pair of a pass.",
    usage: "nfc pass key --output <file> [--json]",
    discussion: """
      The private key is saved, and only its owner can read the file. The public key is printed as it belongs \
      in pass.json, where it is nfc.encryptionPublicKey; for Google Wallet, enter it in the console. An \
      existing file is never replaced: passes that were issued for its key could not be read any more.

      Example:
        nfc pass key --output private.pem
      """)

  @Option(
    help: ArgumentHelp("Save the private key in this new file.", valueName: "file"),
    completion: .file())
  var output: String

  @Flag(help: "Print one JSON object.") var json = false

  @OptionGroup private var ignored: IgnoredReaderOptions

  mutating func validate() throws {
    guard output != File.standard else {
      throw ValidationError("--output names a file: a private key is not printed.")
    }
  }

  func run() async throws {
    guard !File.exists(output) else {
      throw Failure(
        .usage, "\(File.name(output)) exists, and a key is never replaced",
        advice: "choose another name; nothing was written")
    }
    let key = try generated()
    var text = Array(key.pem.utf8)
    defer { text.wipe() }
    try File.write(text, to: output)
    let identifier = key.identifier.hexadecimal.lowercased()
    guard !json else {
      return try Output.line(
        JSONValue.members([
          "file": .string(File.name(output)), "keyID": .string(identifier),
          "encryptionPublicKey": .string(key.publicKeyForPass),
        ]).text)
    }
    try Output.line(key.publicKeyForPass)
  }

  private func generated() throws -> MerchantKey {
    do {
      return try MerchantKey.generate()
    } catch {
      throw Failure(.program, "OpenSSL makes no key")
    }
  }
}
