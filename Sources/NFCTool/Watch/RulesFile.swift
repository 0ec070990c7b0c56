import NFC
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file of rules that may be changed while it is in use.
final class RulesFile: Sendable {
  private struct State {
    var content: Content
  }

  /// What was read, and the versions of the files before they were read, so that no change is missed.
  private struct Content {
    var rules: TapRules
    /// The file of rules, and those of badges that it names.
    var versions: [String: Version?]
  }

  /// The properties that change when a file is written or replaced.
  private struct Version: Hashable {
    let device: UInt64
    let file: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  let path: String
  private let permitsPublishing: Bool
  private let state: Mutex<State>

  private static let period = Duration.milliseconds(500)
  /// The maximum size in bytes, which is that of thousands of rules. A larger file takes longer than a change of the
  /// rules may take.
  private static let maximumSize = 1 << 20

  /// - Throws: a ``Failure`` with the line if the file is not valid.
  init(path: String, permitsPublishing: Bool) async throws {
    self.path = path
    self.permitsPublishing = permitsPublishing
    let content = try await Self.read(path, permitsPublishing: permitsPublishing)
    state = Mutex(State(content: content))
  }

  /// The name in messages.
  var name: String { File.name(path) }

  var current: TapRules { state.withLock { $0.content.rules } }

  /// Reloads the rules when the file changes, until the task is cancelled. If the file is not valid, the
  /// rules do not change, and the error is reported once.
  func follow() async throws {
    while true {
      try await Task.sleep(for: Self.period)
      let known = state.withLock { $0.content.versions }
      var versions = known
      for file in known.keys {
        // A file that is being replaced may be missing for a moment.
        if let version = Self.version(of: file) { versions[file] = version }
      }
      guard versions != known else { continue }
      state.withLock { $0.content.versions = versions }
      do {
        let content = try await Self.read(path, permitsPublishing: permitsPublishing)
        state.withLock { $0.content = content }
      } catch let failure as Failure {
        Output.printError(failure.line + "; the old rules stay in force")
      }
    }
  }

  private static func read(
    _ path: String, permitsPublishing: Bool
  ) async throws -> Content {
    let versions = Mutex<[String: Version?]>([path: version(of: path)])
    let bytes = try File.read(path)
    guard bytes.count <= maximumSize else {
      throw Failure(
        .content, "\(path) is longer than \(maximumSize) bytes",
        advice: "check the name of the file")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.content, "\(path) is not UTF-8")
    }
    do {
      let rules = try await TapRules(yaml: text, permitsPublishing: permitsPublishing) { file in
        let place = file.hasPrefix("/") ? file : folder(of: path) + file
        versions.withLock { $0[place] = version(of: place) }
        return try BadgeFile.read(place)
      }
      return Content(rules: rules, versions: versions.withLock { $0 })
    } catch let error as TapRulesError {
      throw Failure(.content, "\(path), \(error)")
    }
  }

  /// Returns the folder of a file with its slash, to which the names in the file refer.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  private static func version(of path: String) -> Version? {
    var status = stat()
    guard stat(File.systemName(of: path), &status) == 0 else { return nil }
    return Version(
      device: UInt64(status.st_dev), file: UInt64(status.st_ino), size: Int64(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}
