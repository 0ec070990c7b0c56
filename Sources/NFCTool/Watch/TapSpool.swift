import SwiftNFCJSONText
import NFC
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stores messages on disk until the broker has received them. No reported tap is lost, even if the process
/// ends.
///
/// The spool consists of two files. The first contains one line of JSON per entry. A line is appended and
/// synchronized to the disk before ``append(topic:payload:)`` returns. An incomplete last line was never
/// reported, and is removed. The second file, with the suffix `.sent`, contains the number of the last entry
/// that the broker has acknowledged. It is always replaced completely, and may be out of date: a message that
/// is published again has the same id. When the broker has received all entries, the first file is emptied. A third
/// file, with the suffix `.refused`, contains entries that the broker never accepts.
///
/// The file system is sufficient as a store, because entries are only added at the end and removed from the
/// front.
final class TapSpool: Sendable {
  struct Entry: Hashable, Sendable {
    /// The number of the entry, counted from 1 and never used twice.
    let number: UInt64
    let topic: String
    let payload: String
  }

  /// The reason why the spool cannot be used.
  enum Problem: Error, Hashable, Sendable {
    /// Another process is using the spool.
    case inUse
    /// The file exists and is not a spool.
    case notASpool(path: String)
    /// An operation on a file failed with this errno.
    case system(path: String, errno: Int32)
  }

  let path: String
  /// The maximum size of the first file in bytes.
  let capacity: Int
  private let descriptor: Int32
  /// A function that is called before each system call that changes a file. A process that is killed can stop
  /// at these points.
  private let beforeChange: (@Sendable () -> Void)?
  private let state: Mutex<State>

  /// Called with the reason when entries can only be kept in memory, and with `nil` when they are on disk again.
  /// `nil` for a spool whose errors are thrown.
  private let onFault: (@Sendable (Problem?) -> Void)?

  private struct State {
    var size: Int
    var nextNumber: UInt64
    /// The entries that are not acknowledged, oldest first. The first elements of a slice can be removed
    /// without moving the others.
    var entries: ArraySlice<Entry>
    /// The numbers of those `entries` that were acknowledged before an older entry was.
    var acknowledged: Set<UInt64> = []
    /// Those `entries`, the last ones, that could not be written to the disk.
    var unwritten: ArraySlice<Entry> = []
    /// Whether a fault was reported, and no return since.
    var isFaulty = false
  }

  /// The number of entries that the broker has not acknowledged.
  var count: Int { state.withLock { $0.entries.count } }

  /// Returns the oldest entries that the broker has not acknowledged.
  func entries(upTo count: Int) -> [Entry] { state.withLock { Array($0.entries.prefix(count)) } }

  /// Returns the oldest entries that the broker has not acknowledged, as many as there are until they exceed a size in
  /// bytes; at least one if there is one.
  func entries(upTo count: Int, size: Int) -> [Entry] {
    var total = 0
    return entries(upTo: count).prefix { entry in
      defer { total += entry.topic.utf8.count + entry.payload.utf8.count }
      return total < size
    }
  }

  /// The standard capacity in bytes, which is enough for some hundred thousand taps.
  static let standardCapacity = 64 << 20

  /// Opens a spool. If it does not exist, it is created.
  ///
  /// - Parameter makesFolder: whether missing folders of the path are created, too.
  init(
    path: String, makesFolder: Bool = false, capacity: Int = standardCapacity,
    beforeChange: (@Sendable () -> Void)? = nil
  ) throws(Problem) {
    self.path = path
    self.beforeChange = beforeChange
    self.capacity = capacity
    onFault = nil
    let opened = try Self.opened(path, makesFolder: makesFolder, beforeChange: beforeChange)
    descriptor = opened.descriptor
    state = Mutex(opened.state)
  }

  /// Opens a spool that never fails: what cannot be written to the disk is kept in memory, and lost with the process.
  ///
  /// - Parameter onFault: called with the reason when that begins, and with `nil` when it has ended.
  /// - Throws: `inUse` and `notASpool`, which another name for the file mends.
  init(
    path: String, makesFolder: Bool, capacity: Int = standardCapacity,
    keepingInMemory onFault: @escaping @Sendable (Problem?) -> Void
  ) throws(Problem) {
    self.path = path
    beforeChange = nil
    self.capacity = capacity
    self.onFault = onFault
    var opened = (
      descriptor: Int32(-1), state: State(size: 0, nextNumber: 1, entries: [], isFaulty: true)
    )
    do throws(Problem) {
      opened = try Self.opened(path, makesFolder: makesFolder, beforeChange: nil)
    } catch {
      guard case .system = error else { throw error }
      onFault(error)
    }
    descriptor = opened.descriptor
    state = Mutex(opened.state)
  }

  private static func opened(
    _ path: String, makesFolder: Bool, beforeChange: (@Sendable () -> Void)?
  ) throws(Problem) -> (descriptor: Int32, state: State) {
    if makesFolder, let number = File.makeFolder(of: path) {
      throw .system(path: path, errno: number)
    }
    let descriptor = open(File.systemName(of: path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw .system(path: path, errno: errno) }
    do {
      try Self.lock(descriptor, path)
      // A device may have no end, so only a regular file is accepted.
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw Problem.system(path: path, errno: ENOTSUP)
      }
      let text = try Self.contents(descriptor, path)
      // An entry may be incomplete. A file that begins in another way contains something that the user needs.
      guard zip(text, Entry.beginning).allSatisfy(==) else { throw Problem.notASpool(path: path) }
      // Messages may contain the password of a network.
      guard File.keepFromOthers(descriptor) else {
        throw Problem.system(path: path, errno: EPERM)
      }
      let sent = Self.sent(path)
      let whole = text.lastIndex(of: 0x0A).map { text[...$0] } ?? []
      if whole.count < text.count {
        beforeChange?()
        guard ftruncate(descriptor, off_t(whole.count)) == 0 else {
          throw Problem.system(path: path, errno: errno)
        }
      }
      let found = whole.split(separator: 0x0A).compactMap { Entry(line: $0) }
      // The name is on disk only after the folder has been synchronized.
      Self.synchronizeFolder(of: path)
      return (
        descriptor,
        State(
          size: whole.count, nextNumber: max(sent, found.last?.number ?? 0) + 1,
          entries: found.filter { $0.number > sent }[...])
      )
    } catch {
      _ = closeFile(descriptor)
      throw error as? Problem ?? .system(path: path, errno: EIO)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // A helper that is just being started has, until it runs, a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    _ = closeFile(descriptor)
  }

  /// The size of the longest entry that a tag can cause: its message twice in hexadecimal, and the decoded
  /// message.
  private static let maximumEntrySize = 1 << 20

  /// Whether there may not be enough space for another entry.
  var isFull: Bool {
    onFault == nil && state.withLock { $0.size + Self.maximumEntrySize > capacity }
  }

  /// Adds an entry. After this method has returned, the entry survives the end of the process and a restart
  /// of the computer.
  @discardableResult
  func append(topic: String, payload: String) throws(Problem) -> Entry {
    if let onFault { return appendInMemory(topic, payload, onFault) }
    return try state.withLock { state throws(Problem) in
      let entry = Entry(number: state.nextNumber, topic: topic, payload: payload)
      let line = entry.line
      guard write(line, at: state.size), fdatasync(descriptor) == 0 else {
        let number = errno
        // An incomplete line must not precede the next one.
        _ = ftruncate(descriptor, off_t(state.size))
        throw .system(path: path, errno: number)
      }
      beforeChange?()
      state.size += line.count
      state.nextNumber += 1
      state.entries.append(entry)
      return entry
    }
  }

  /// The maximum size in bytes of the entries that are only in memory. The oldest are dropped above it.
  private static let longestMemory = 32 << 20

  /// Adds an entry, and writes it and those that could not be written before.
  private func appendInMemory(
    _ topic: String, _ payload: String, _ onFault: @Sendable (Problem?) -> Void
  ) -> Entry {
    let (entry, isNews, problem) = state.withLock { state in
      let entry = Entry(number: state.nextNumber, topic: topic, payload: payload)
      state.nextNumber += 1
      state.entries.append(entry)
      state.unwritten.append(entry)
      let problem = writeAll(&state)
      var size = state.unwritten.reduce(0) { $0 + $1.payload.utf8.count }
      while size > Self.longestMemory, let oldest = state.unwritten.popFirst() {
        size -= oldest.payload.utf8.count
        state.entries.removeAll { $0.number == oldest.number }
      }
      defer { state.isFaulty = problem != nil }
      return (entry, state.isFaulty != (problem != nil), problem)
    }
    if isNews { onFault(problem) }
    return entry
  }

  /// Writes the entries that are only in memory, as far as the disk takes them.
  private func writeAll(_ state: inout State) -> Problem? {
    guard descriptor >= 0 else { return .system(path: path, errno: EBADF) }
    let start = state.size
    var count = 0
    var problem: Problem?
    for entry in state.unwritten {
      let line = entry.line
      guard state.size + line.count <= capacity else {
        problem = .system(path: path, errno: ENOSPC)
        break
      }
      guard write(line, at: state.size) else {
        problem = .system(path: path, errno: errno)
        break
      }
      state.size += line.count
      count += 1
    }
    if count > 0, fdatasync(descriptor) != 0 {
      problem = .system(path: path, errno: errno)
      (state.size, count) = (start, 0)
    }
    // An incomplete line must not precede the next one.
    if problem != nil { _ = ftruncate(descriptor, off_t(state.size)) }
    state.unwritten = state.unwritten.dropFirst(count)
    return problem
  }

  /// Handles the broker's acknowledgement of an entry.
  ///
  /// - Returns: the number of entries that were removed from the front.
  func acknowledge(_ number: UInt64) throws(Problem) -> Int {
    try state.withLock { state throws(Problem) -> Int in
      state.acknowledged.insert(number)
      let count = state.entries.prefix { state.acknowledged.contains($0.number) }.count
      guard count > 0, let last = state.entries.prefix(count).last else { return 0 }
      for entry in state.entries.prefix(count) { state.acknowledged.remove(entry.number) }
      state.entries = state.entries.dropFirst(count)
      while let first = state.unwritten.first, first.number <= last.number {
        state.unwritten.removeFirst()
      }
      guard onFault == nil else {
        forgetOnDisk(&state, last.number)
        return count
      }
      try write(sent: last.number, isFinal: state.entries.isEmpty)
      guard state.entries.isEmpty else { return count }
      // The order matters: the number of the last entry has to be on disk before the entries are removed.
      beforeChange?()
      guard ftruncate(descriptor, 0) == 0 else { throw .system(path: path, errno: errno) }
      state.size = 0
      return count
    }
  }

  /// Removes acknowledged entries from the disk. A disk that does not take that has them again after a restart, and the
  /// broker gets them twice.
  private func forgetOnDisk(_ state: inout State, _ number: UInt64) {
    guard descriptor >= 0, state.size > 0 else { return }
    let isWritten: Void? = try? write(sent: number, isFinal: state.entries.isEmpty)
    guard state.entries.isEmpty, isWritten != nil, ftruncate(descriptor, 0) == 0 else { return }
    state.size = 0
  }

  private static let refusedSuffix = ".refused"

  /// Moves the oldest entry to the end of the third file. It is not published again.
  ///
  /// - Returns: the path of that file.
  func setAside(_ entry: Entry) throws(Problem) -> String {
    let target = path + Self.refusedSuffix
    let file = open(
      File.systemName(of: target), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o600)
    guard file >= 0 else { throw .system(path: target, errno: errno) }
    guard File.keepFromOthers(file) else {
      _ = closeFile(file)
      throw .system(path: target, errno: EPERM)
    }
    var problem = (try? Output.writeAll(entry.line, to: file)) ?? nil
    if problem == nil, fdatasync(file) != 0 { problem = errno }
    _ = closeFile(file)
    if let problem { throw .system(path: target, errno: problem) }
    _ = try acknowledge(entry.number)
    return target
  }

  /// Handles the end of a connection to the broker. Entries that were acknowledged out of order are published
  /// again.
  func forgetUnorderedAcknowledgements() { state.withLock { $0.acknowledged = [] } }

  // MARK: Files

  private static let lockAttempts = 20

  /// Locks the file for this process. A program that was killed may have left a copy of its descriptor to a
  /// helper that it was just starting.
  private static func lock(_ descriptor: Int32, _ path: String) throws(Problem) {
    for attempt in 1...lockAttempts {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(path: path, errno: errno) }
      if attempt < lockAttempts { usleep(10_000) }
    }
    throw .inUse
  }

  private func write(_ bytes: [UInt8], at offset: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      beforeChange?()
      let count = bytes.withUnsafeBytes {
        pwrite(
          descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done,
          off_t(offset + done))
      }
      if count < 0 {
        guard errno == EINTR else { return false }
      } else {
        done += count
      }
    }
    return true
  }

  private static let sentSuffix = ".sent"

  private static func sent(_ path: String) -> UInt64 {
    let descriptor = open(File.systemName(of: path + sentSuffix), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { _ = closeFile(descriptor) }
    let bytes = (try? contents(descriptor, path)) ?? []
    let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return UInt64(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Replaces the second file by renaming, so that it contains either the old or the new number.
  ///
  /// On a disk without space for it, the old number stays: the entries have to be removed so that there is space
  /// again. The next process may then publish entries again, or use the number of an entry that was removed again.
  ///
  /// - Parameter isFinal: whether the entries are removed next.
  private func write(sent number: UInt64, isFinal: Bool) throws(Problem) {
    let target = path + Self.sentSuffix
    let temporary = target + ".new"
    guard let problem = replace(target, by: temporary, "\(number)\n", isFinal: isFinal) else {
      return
    }
    unlink(File.systemName(of: temporary))
    guard [ENOSPC, EDQUOT].contains(problem) else {
      throw .system(path: target, errno: problem)
    }
  }

  /// - Returns: the error number of the system, or `nil` if the file was replaced.
  private func replace(
    _ target: String, by temporary: String, _ text: String, isFinal: Bool
  ) -> Int32? {
    beforeChange?()
    let file = open(File.systemName(of: temporary), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return errno }
    beforeChange?()
    var problem = Output.write(text, to: file)
    // The number is synchronized to disk before the entries are removed, even if the machine stops. If the
    // number was lost, it would be used twice. As long as the entries are there, it only saves repetitions, and a
    // memory card takes longer to synchronize than a broker takes to acknowledge.
    if problem == nil, isFinal, fdatasync(file) != 0 { problem = errno }
    _ = closeFile(file)
    if let problem { return problem }
    beforeChange?()
    return rename(File.systemName(of: temporary), File.systemName(of: target)) == 0 ? nil : errno
  }

  private static func contents(_ descriptor: Int32, _ path: String) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        guard errno == EINTR else { throw .system(path: path, errno: errno) }
      } else if count == 0 {
        return bytes
      } else {
        bytes += buffer.prefix(count)
      }
    }
  }

  /// Synchronizes the folder, as far as the file system supports it.
  private static func synchronizeFolder(of path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let folder = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
    let descriptor = open(File.systemName(of: folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    _ = closeFile(descriptor)
  }
}

private let closeFile: @Sendable (Int32) -> Int32 = { close($0) }

extension TapSpool.Entry: Codable {
  /// The bytes with which every line begins.
  fileprivate static let beginning = Array(#"{"number":"#.utf8)

  /// The entry as a line of the file, with its newline.
  fileprivate var line: [UInt8] {
    let json = JSONValue.members([
      "number": .integer(number), "topic": .string(topic), "payload": .string(payload),
    ])
    return Array((json.text + "\n").utf8)
  }

  /// Parses a line, or returns `nil` for a line that is not an entry. In a file that was edited, such a line is
  /// left out.
  fileprivate init?(line: ArraySlice<UInt8>) {
    guard let entry = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = entry
  }
}
