import ArgumentParser
import NFC
import PassMessage
import SignedMessages

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The command `nfc encode sign`.
struct EncodeSignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Encodes a message with a signature record.",
    usage: "nfc encode sign <message> --key <file> --certificate <file> -o <file>",
    discussion: """
      The signature covers the records since the last one, or all. Records of version 2.0 of the NFC Forum's \
      specification are written, with SHA-256: for RSA and DSA keys of 1024 or 2048 bits, and for the curves P-192, \
      P-224, P-256, K-233 and B-233. The certificates go into the record, except those that authorities have \
      given themselves; a small tag has room for one of a curve only. nfc read --trust verifies it.

      Example:
        nfc encode sign message.ndef --key key.pem --certificate signer.pem --output signed.ndef
      """)

  @Argument(
    help: "The message: as nfc encode or nfc read --raw saves it, or JSON; - for standard input.",
    completion: .file())
  var message: String

  @Option(
    help: ArgumentHelp(
      "The private key: PEM or DER, without a passphrase.", valueName: "file"), completion: .file())
  var key: String

  @Option(
    help: ArgumentHelp(
      "The certificate of the key, then those above it: PEM or DER.",
      discussion: "May be given more than once.", valueName: "file"), completion: .file())
  var certificate: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file for the message; - for standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @Flag(help: "Sign with a certificate that is not valid now, too.")
  var asIs = false

  @Flag(help: "Overwrite a file that is there already.")
  var force = false

  @OptionGroup private var ignored: IgnoredReaderOptions
  @OptionGroup private var ignoredJSON: IgnoredJSONOption

  func run() async throws {
    try File.checkNew(output, isForced: force)
    let message = try readMessage()
    let signer = try signer()
    if !asIs, let problem = signer.problem(at: time(nil)) {
      throw Failure(
        .content, "the certificate in \(File.name(certificate.first ?? "")): \(problem)",
        advice: "insist with --as-is")
    }
    let signed: NDEFMessage
    do throws(SigningError) {
      signed = try signer.sign(message)
    } catch {
      throw Failure(.content, "\(File.name(self.message)): \(error)", advice: "nothing was written")
    }
    try MessageCheck.check(signed, of: RawKind.self, isForced: asIs)
    let bytes = signed.encoded()
    try File.write(bytes, to: output, isPublic: !Credentials.mayBe(in: bytes))
    if let warning = PassKeyFile.warning(key) { Output.printError("nfc: " + warning) }
  }

  private static let jsonStarts = Array("{[".utf8)

  private func readMessage() throws -> NDEFMessage {
    let bytes = try File.read(message)
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first.map(Self.jsonStarts.contains) ?? false
      ? try MessageFile.json(bytes, message) : try MessageFile.raw(bytes, message)
  }

  /// - Throws: a ``Failure`` that shows nothing of the key.
  private func signer() throws -> MessageSigner {
    var bytes = try File.readSecretBytes(key)
    defer { bytes.wipe() }
    let certificates = try TrustFiles.certificates(certificate).certificates
    do throws(SigningError) {
      return try MessageSigner(key: bytes, certificates: certificates)
    } catch {
      let isCertificate = [.malformedCertificate, .otherKey].contains(error)
      throw Failure(
        .usage, "\(File.name(isCertificate ? certificate.first ?? "" : key)): \(error)")
    }
  }
}
