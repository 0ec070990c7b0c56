import NFC
import SwiftNFCBackground
import ReaderThread
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program that connects to a Unix socket; one at a time. While there is none, the card has no application.
final class ConnectedCard: CardProgram {
  private struct State {
    var client: LocalSocket?
    var questions = LineQuestions()
    var uid: [UInt8]?
    var isStopped = false
  }

  private let listener: LocalSocket
  private let state: Mutex<State>

  private static let noApplication: [UInt8] = [0x6A, 0x82]
  private static let periodMilliseconds: Int32 = 200
  /// The maximum length of a line, more than an answer takes.
  private static let longestLine = 4096

  init(at path: String) throws {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
      throw Failure(
        .usage, "\(File.name(path)) is not a socket", advice: "give --socket a name of its own")
    }
    guard path.utf8.count <= LocalSocket.longestPath else {
      throw Failure(
        .usage, "the name of a socket has at most \(LocalSocket.longestPath) bytes",
        advice: "give --socket a shorter one")
    }
    guard let listener = LocalSocket.listen(at: path) else {
      throw Failure(
        .lost, "there can be no socket at \(File.name(path)): \(String(cString: strerror(errno)))")
    }
    self.listener = listener
    state = Mutex(State())
    try startThread { [weak self, listener] in
      while let self, !self.isStopped { self.serve(listener) }
    }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Waits a moment for a client, and passes its lines on until it leaves.
  private func serve(_ listener: LocalSocket) {
    guard Self.isReadable(listener.descriptor), let client = listener.accept() else { return }
    let questions = LineQuestions()
    state.withLock { state in
      state.client = client
      state.questions = questions
    }
    if let uid = state.withLock({ $0.uid }) {
      _ = client.send(Array("+ \(uid.hexadecimal)\n".utf8))
    }
    var rest: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: Self.longestLine)
    while !isStopped {
      guard Self.isReadable(client.descriptor) else { continue }
      let count = recv(client.descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { break }
      rest += bytes.prefix(count)
      while let end = rest.firstIndex(of: 0x0A) {
        questions.take(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeSubrange(...end)
      }
      if rest.count > Self.longestLine { break }
    }
    state.withLock { $0.client = nil }
    questions.end()
  }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, periodMilliseconds) > 0
  }

  private func send(_ line: String) {
    let client = state.withLock { $0.client }
    _ = client?.send(Array((line + "\n").utf8))
  }

  func begin(_ uid: [UInt8]) {
    state.withLock { $0.uid = uid }
    send("+ " + uid.hexadecimal)
  }

  func answer(to command: [UInt8], within limit: Duration) async -> [UInt8] {
    let (client, questions) = state.withLock { ($0.client, $0.questions) }
    guard let client else { return Self.noApplication }
    return LineQuestions.answer(
      await questions.ask(within: limit) {
        _ = client.send(Array((command.hexadecimal + "\n").utf8))
      })
  }

  func end(_ release: EmulationRelease) {
    state.withLock { $0.uid = nil }
    send("- " + release.rawValue)
  }

  func stop() async {
    state.withLock { $0.isStopped = true }
    listener.removeName()
  }
}
