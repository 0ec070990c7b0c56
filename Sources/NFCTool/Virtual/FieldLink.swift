import Dispatch
import SwiftNFCBackground
import ReaderThread
import Synchronization
import VirtualNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Two virtual readers of two processes whose antennas face each other: what one sends, the other receives.
///
/// A message is its kind, a number, the length of its content, and the content; most significant bytes first.
final class FieldLink: FacingAntenna {
  private enum Kind: UInt8 {
    case fieldOn = 1
    case fieldOff
    case frame
    case answer
  }

  private struct State {
    var next: UInt32 = 0
    /// The frames that are waiting for an answer.
    var waiting: [UInt32: Waiting] = [:]
    var isClosed = false
  }

  private final class Waiting: Sendable {
    let isDone = DispatchSemaphore(value: 0)
    let answer = Mutex<RadioFrame?>(nil)
  }

  private let socket: LocalSocket
  private let local: any FacingAntenna
  private let state = Mutex(State())
  /// The chip of this process answers one frame at a time, and may take its time for it.
  private let frames = DispatchQueue(label: "nfc.field.frames")

  private static let headerLength = 9
  /// More than any frame has.
  private static let longestContent = 4096
  private static let periodMilliseconds = 20
  private static let slack = Duration.seconds(1)

  /// - Parameters:
  ///   - local: the antenna of this process, which the other one sends to.
  ///   - onEnd: called when the other process has gone.
  init(
    _ socket: LocalSocket, facing local: any FacingAntenna, onEnd: @escaping @Sendable () -> Void
  ) throws {
    self.socket = socket
    self.local = local
    try startThread { [weak self, socket] in
      while let message = Self.receive(from: socket.descriptor), let self { self.take(message) }
      self?.close()
      onEnd()
    }
  }

  private func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for each in waiting { each.isDone.signal() }
    local.setField(false)
  }

  // MARK: FacingAntenna

  func setField(_ isOn: Bool) { send(isOn ? .fieldOn : .fieldOff, 0, []) }

  func exchange(
    _ frame: RadioFrame, limit: Duration, isInterrupted: @Sendable () -> Bool
  ) -> RadioFrame? {
    let waiting = Waiting()
    let number = state.withLock { state -> UInt32? in
      guard !state.isClosed else { return nil }
      state.next &+= 1
      state.waiting[state.next] = waiting
      return state.next
    }
    guard let number else { return nil }
    defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    let milliseconds = UInt32(clamping: Int(limit / .milliseconds(1)) + 1)
    send(.frame, number, Self.bytes(milliseconds) + Self.encoded(frame))
    let end = ContinuousClock.now + limit + Self.slack
    while ContinuousClock.now < end, !isInterrupted() {
      if waiting.isDone.wait(timeout: .now() + .milliseconds(Self.periodMilliseconds)) == .success {
        return waiting.answer.withLock { $0 }
      }
    }
    return nil
  }

  // MARK: Messages

  private struct Message {
    let kind: Kind
    let number: UInt32
    let content: [UInt8]
  }

  private func send(_ kind: Kind, _ number: UInt32, _ content: [UInt8]) {
    _ = socket.send(
      [kind.rawValue] + Self.bytes(number) + Self.bytes(UInt32(content.count)) + content)
  }

  private func take(_ message: Message) {
    switch message.kind {
    case .fieldOn: local.setField(true)
    case .fieldOff: local.setField(false)
    case .frame:
      guard message.content.count > 4, let frame = Self.decoded(message.content.dropFirst(4)) else {
        return send(.answer, message.number, [])
      }
      let limit = Duration.milliseconds(Int(Self.number(message.content.prefix(4))))
      frames.async { [weak self] in
        guard let self else { return }
        let answer = self.local.exchange(frame, limit: limit) {
          self.state.withLock { $0.isClosed }
        }
        self.send(.answer, message.number, answer.map(Self.encoded) ?? [])
      }
    case .answer:
      let waiting = state.withLock { $0.waiting[message.number] }
      waiting?.answer.withLock { $0 = Self.decoded(message.content[...]) }
      waiting?.isDone.signal()
    }
  }

  private static func receive(from descriptor: Int32) -> Message? {
    guard let header = read(headerLength, from: descriptor), let kind = Kind(rawValue: header[0])
    else { return nil }
    let length = Int(number(header[5..<9]))
    guard length <= longestContent else { return nil }
    guard let content = length == 0 ? [] : read(length, from: descriptor) else { return nil }
    return Message(kind: kind, number: number(header[1..<5]), content: content)
  }

  /// Reads exactly this many bytes, however long they take; `nil` when the other side has closed.
  private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let number = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: done), count - done, 0)
      }
      if number > 0 {
        done += number
      } else if number == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) {
        return nil
      }
    }
    return bytes
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static let modulations: [RadioFrame.Modulation] = [.typeA, .typeB, .feliCa, .iso15693]

  private static func encoded(_ frame: RadioFrame) -> [UInt8] {
    let modulation = modulations.firstIndex(of: frame.modulation) ?? 0
    return [UInt8(modulation), UInt8(truncatingIfNeeded: frame.bitRate / 106)]
      + [UInt8(truncatingIfNeeded: frame.bitsInLastByte)] + frame.bytes
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> RadioFrame? {
    let bytes = Array(bytes)
    guard bytes.count >= 3, modulations.indices.contains(Int(bytes[0])), (1...8).contains(bytes[2])
    else { return nil }
    return RadioFrame(
      Array(bytes[3...]), modulation: modulations[Int(bytes[0])], bitRate: 106 * Int(bytes[1]),
      bitsInLastByte: Int(bytes[2]))
  }
}

/// The place where another `nfc virtual` puts its reader in front of the one of this process.
enum FacingReaders {
  /// The name of a virtual reader's socket; `nil` for what is no terminal's name.
  private static func path(of terminal: String, in folder: String) -> String? {
    let prefix = "/dev/pts/"
    guard terminal.hasPrefix(prefix), let number = UInt32(terminal.dropFirst(prefix.count)) else {
      return nil
    }
    return "\(folder)/field-\(number)"
  }

  /// Lets other processes put their readers in front of this one. Without a folder for that, nobody can.
  ///
  /// - Returns: the socket, to be kept while the reader exists.
  static func listen(for reader: VirtualReader) -> LocalSocket? {
    guard let folder = try? RuntimeFolder.make(), let path = path(of: reader.path, in: folder),
      let listener = LocalSocket.listen(at: path)
    else { return nil }
    let started = try? startThread { [weak reader, weak listener] in
      var link: FieldLink?
      while true {
        guard let descriptor = listener?.descriptor, reader != nil else { break }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 200) > 0 else { continue }
        guard let socket = listener?.accept(), let reader else { continue }
        link = try? FieldLink(socket, facing: reader.antenna) { [weak reader] in reader?.face(nil) }
        reader.face(link)
      }
      withExtendedLifetime(link) {}
    }
    return started == nil ? nil : listener
  }

  /// Puts a reader in front of the virtual reader of another process.
  ///
  /// - Throws: ``Failure`` if there is none with this connection string.
  static func connect(_ reader: VirtualReader, to connectionString: String) throws {
    let parts = connectionString.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 1, let folder = try? RuntimeFolder.make(),
      let path = path(of: String(parts[1]), in: folder),
      let socket = LocalSocket.connect(to: path)
    else {
      throw Failure(
        .noReader, "\(connectionString) is not the reader of a running nfc virtual",
        advice: "start it first, and give --facing the connection string that it prints")
    }
    reader.face(
      try FieldLink(socket, facing: reader.antenna) { [weak reader] in reader?.face(nil) })
  }
}
