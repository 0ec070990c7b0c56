import ArgumentParser

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An option for the tag's password. An error does not show it.
protocol TagPasswordOptions: ParsableArguments, Sendable {
  /// - Throws: ``Failure`` for a file that cannot be read.
  var bytes: [UInt8]? { get throws }
}

/// The options `--tag-password`, which is also called `--password`, and `--password-file`, or the environment.
struct TagPassword: TagPasswordOptions {
  @Option(
    name: [.customLong("tag-password"), .customLong("password")],
    help: TagPasswordText.help, transform: { try TagPasswordText.argument($0, "the password") })
  var value: [UInt8]?

  @OptionGroup var file: TagPasswordFile

  mutating func validate() throws {
    guard value == nil || file.file == nil else {
      throw ValidationError("Give either --tag-password or --password-file.")
    }
  }

  var bytes: [UInt8]? { get throws { try value ?? file.bytes } }

  /// Whether the command line names a password.
  var isGiven: Bool { value != nil || file.file != nil }
}

/// The same options for a command whose `--password` is another one.
struct TagPasswordBesideAnother: TagPasswordOptions {
  @Option(
    help: TagPasswordText.help, transform: { try TagPasswordText.argument($0, "the password") })
  var tagPassword: [UInt8]?

  @OptionGroup var file: TagPasswordFile

  mutating func validate() throws {
    guard tagPassword == nil || file.file == nil else {
      throw ValidationError("Give either --tag-password or --password-file.")
    }
  }

  var bytes: [UInt8]? { get throws { try tagPassword ?? file.bytes } }
}

/// The option `--password-file`, or the environment.
struct TagPasswordFile: TagPasswordOptions {
  @Option(
    name: .customLong("password-file"),
    help: ArgumentHelp(
      "A file with the tag's password in the same form; - for standard input.", valueName: "file"),
    completion: .file())
  var file: String?

  private static let variable = "NFC_PASSWORD"

  var bytes: [UInt8]? {
    get throws {
      if let file {
        switch TagPasswordText.parse(try File.readSecrets(file)) {
        case .success(let bytes): return bytes
        case .failure(let problem):
          throw Failure(
            .content, "\(File.name(file)) is not a password in hexadecimal: \(problem.reason)",
            advice: TagPasswordText.advice)
        }
      }
      guard let text = getenv(Self.variable).map({ String(cString: $0) }), !text.isEmpty else {
        return nil
      }
      switch TagPasswordText.parse(text) {
      case .success(let bytes): return bytes
      case .failure(let problem):
        throw Failure(
          .usage, "\(Self.variable) is not hexadecimal: \(problem.reason)",
          advice: TagPasswordText.advice)
      }
    }
  }
}
