import SwiftNFCBackground

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A lock that permits one `nfc watch` per user and reader. It is released when the process ends.
final class WatchLock: Sendable {
  private let path: String
  private let descriptor: Int32

  /// - Throws: a ``Failure`` if another process watches this reader.
  init(reader: String) throws {
    let folder: String
    do {
      folder = try RuntimeFolder.make()
    } catch {
      throw Failure(.notAllowed, "\(error)")
    }
    path = "\(folder)/watch-\(MQTTTopic.level(of: reader)).lock"
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        throw Failure(.lost, "cannot make \(path): \(SystemErrorText.of(errno))")
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        _ = close(descriptor)
        throw Failure(
          .noReader, "another nfc watch has the reader \(reader)", advice: "end that one first")
      }
      // The process that had the lock may have removed the file after it was opened here.
      if FileIdentity(of: path) == FileIdentity(of: descriptor) {
        self.descriptor = descriptor
        return
      }
      _ = close(descriptor)
    }
  }

  deinit {
    unlink(path)
    // A helper that is just being started has, until it runs, a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
