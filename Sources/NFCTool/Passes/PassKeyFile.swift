import NFC
import PassMessage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Files with the private keys of those who issue passes.
enum PassKeyFile {
  /// Reads a key.
  ///
  /// - Throws: a ``Failure`` `usage` for a file that is not such a key. It shows nothing of the file.
  static func read(_ path: String) throws -> MerchantKey {
    var bytes = try File.readSecretBytes(path)
    defer { bytes.wipe() }
    do throws(PassError) {
      return try MerchantKey(file: bytes)
    } catch {
      throw Failure(
        .usage, "\(File.name(path)): \(error.description)",
        advice: "nfc pass key --output FILE makes one")
    }
  }

  /// Returns a warning about a key that others can read.
  static func warning(_ path: String) -> String? {
    var status = stat()
    let others = mode_t(0o077)
    guard path != File.standard, stat(File.systemName(of: path), &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_mode & others != 0
    else { return nil }
    return "\(File.name(path)): others can read this key; chmod 600 changes that"
  }
}
