import ArgumentParser
import NFC
import NFCPasses
import PassMessage
import SwiftNFCJSONText

/// The command `nfc pass decrypt`.
struct PassDecryptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Decrypts what a phone has sent of a pass of Apple Wallet.",
    usage: "nfc pass decrypt --pass-type <id> --key <file> <hex> [--json]",
    discussion: """
      Needs no reader. The argument is the encrypted content, which is the value of 9F27, or the whole answer of \
      the phone. Its time is printed and not judged: whoever accepts a pass has to refuse an old one, and one \
      that was there before.

      Example:
        nfc pass decrypt --pass-type pass.com.example.card --key private.pem 8be590bc19962c1d…
      """)

  @Option(
    name: .customLong("pass-type"),
    help: ArgumentHelp("The identifier of the pass.", valueName: "id"))
  var passType: String

  @Option(
    help: ArgumentHelp("The private key of the pass, a PEM or DER file.", valueName: "file"),
    completion: .file())
  var key: String

  @Argument(
    help: ArgumentHelp("The encrypted content.", valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "The content") })
  var content: [UInt8]

  @Flag(help: "Print one JSON object.") var json = false

  @OptionGroup private var ignored: IgnoredReaderOptions

  mutating func validate() throws {
    guard !passType.isEmpty else { throw ValidationError("--pass-type is empty.") }
  }

  func run() async throws {
    let key = try PassKeyFile.read(key)
    if let warning = PassKeyFile.warning(self.key) { Output.printNotice("nfc: " + warning) }
    let message: VASMessage
    do throws(PassError) {
      message = try VASMessage(cryptogram: cryptogram, passType: passType, key: key)
    } catch {
      throw Failure(
        .content, error.description,
        advice: error.isOtherKey ? "use the key whose public key is in the pass" : nil)
    }
    let identifier = key.identifier.hexadecimal.lowercased()
    guard !json else {
      return try Output.line(
        JSONValue.members([
          "passType": .string(passType), "message": message.text.map { .string($0) },
          "data": message.text == nil ? .bytes(message.message) : nil,
          "time": .string(PassReport.time(message.secondsSince1970)), "keyID": .string(identifier),
        ]).text)
    }
    try Output.line(PassReport.message(message.message).onOneLine)
    try Output.line(PassReport.time(message.secondsSince1970))
  }

  /// The content, of a whole answer too. A key's identifier may begin with the same byte: then it is no answer.
  private var cryptogram: [UInt8] {
    let answer = content.suffix(2) == [0x90, 0x00] ? Array(content.dropLast(2)) : content
    guard let response = try? VASResponse(answer), !response.cryptogram.isEmpty else {
      return content
    }
    return response.cryptogram
  }
}

extension PassError {
  fileprivate var isOtherKey: Bool { if case .otherKey = self { true } else { false } }
}
