import ArgumentParser
import NFC
import SecureTags

/// The privileges of a key as they are written on the command line: its number, a colon, and words.
struct GivenPrivileges: Sendable {
  let number: Int
  let privileges: NTAG5Privileges

  private static let words: KeyValuePairs<String, NTAG5Privileges> = [
    "read": .read, "write": .write, "privacy": .privacy, "destroy": .destroy,
    "eas": .surveillance, "limit": .cryptoConfiguration, "area-read": .areaRead,
    "area-write": .areaWrite,
  ]
  static let (none, all) = ("none", "all")
  /// All words, for help and errors.
  static let list = ([none, all] + words.map(\.key)).joined(separator: ", ")

  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw ValidationError("--privileges is like 0:read,write.")
    }
    number = try ICODEKeyPlace(parts[0], "--privileges").number
    var privileges: NTAG5Privileges = []
    for word in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
      switch Self.words.first(where: { $0.key == word })?.value {
      case let privilege?: privileges.insert(privilege)
      case nil where word == Self.all: privileges.formUnion(.init(Self.words.map(\.value)))
      case nil where word == Self.none && parts[1] == Self.none: break
      case nil:
        throw ValidationError("--privileges takes \(Self.list), not \(word).")
      }
    }
    self.privileges = privileges
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Runs `body`. What to do is added to errors about the keys of an NTAG 5.
  func namingKeys(_ body: () async throws -> Void) async throws {
    do {
      try await showingProgress(body)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      switch error.code {
      case .authenticationFailed where error.recovery == nil:
        failure.advice = "give the key that the tag has now"
      case .tagRefused where error.recovery == nil:
        failure.status = .notAllowed
        failure.advice = "a key must be active, and have the privilege"
      case .unsupported where error.recovery == nil && error.cause != .unsupportedByReader:
        failure.advice = "nfc iso15693 secrets keys makes an NTAG 5 link or boost use keys"
      default: break
      }
      throw failure
    }
  }
}
