// A driver as somebody outside this package writes one: it imports the product NFC and nothing of its inside.
import DriverConformance
import NFC
import Synchronization

/// A reader in memory with one kind of tag, which answers READ with its number.
final class MemoryReader: Sendable {
  struct State {
    var tag: [UInt8]?
    var isSilent = false
    var isPluggedIn = true
  }

  let state = Mutex(State())

  /// Every reader that there is, by its number.
  private static let all = Mutex<[Int: MemoryReader]>([:])

  let number: Int

  init() {
    number = Self.all.withLock { $0.count }
    Self.all.withLock { $0[number] = self }
  }

  static func numbered(_ number: Int) -> MemoryReader? { all.withLock { $0[number] } }
  static var numbers: [Int] { all.withLock { $0.keys.sorted() } }
}

struct MemorySource: ReaderSource {
  let name = "memory"
  let schemes = ["memory"]

  func readers() -> [FoundReader] {
    MemoryReader.numbers.map { FoundReader(ReaderAddress("memory:\($0)")) }
  }

  func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    guard let reader = address.rest.flatMap(Int.init).flatMap(MemoryReader.numbered) else {
      throw NFCError(.readerNotFound, "\(address) is no reader in memory")
    }
    return MemoryDriver(reader)
  }

  func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch { Watch() }

  func findings(about address: ReaderAddress) -> [ReaderFinding] {
    guard let reader = address.rest.flatMap(Int.init).flatMap(MemoryReader.numbered) else {
      return [ReaderFinding(.notThere, "no reader has this number")]
    }
    guard reader.state.withLock(\.isPluggedIn) else {
      return [ReaderFinding(.notThere, "it was unplugged", advice: "plug it in again")]
    }
    return []
  }

  private final class Watch: ReaderSourceWatch {
    func readers() -> [FoundReader] { MemorySource().readers() }
    func wait(atMost timeout: Duration) -> Bool { false }
    var cancel: @Sendable () -> Void { {} }
  }
}

final class MemoryDriver: ReaderDriver {
  private let reader: MemoryReader
  private let isAborted: Aborted
  let abort: @Sendable () -> Void

  private final class Aborted: Sendable {
    let flag = Mutex(false)
  }

  init(_ reader: MemoryReader) {
    self.reader = reader
    let isAborted = Aborted()
    self.isAborted = isAborted
    abort = { isAborted.flag.withLock { $0 = true } }
  }

  var name: String { "Memory \(reader.number)" }
  var connectionString: String { "memory:\(reader.number)" }
  let canReconnect = true
  let capabilities = ReaderCapabilities(
    technologies: [.iso14443a], bitRates: [.iso14443a: [106]], maximumCommandLength: 64,
    maximumResponseLength: 64)

  func begin() { isAborted.flag.withLock { $0 = false } }
  func end() {}

  /// The tag that is there.
  private func tag() throws -> [UInt8]? {
    if isAborted.flag.withLock({ $0 }) { throw CancellationError() }
    return try reader.state.withLock { state in
      guard state.isPluggedIn else { throw NFCError(.readerLost, "\(name) was unplugged") }
      return state.tag
    }
  }

  func resetField() throws { _ = try tag() }

  func list(_ technology: TagTechnology) throws -> [Target] {
    guard technology == .iso14443a else {
      throw NFCError(.unsupported, "\(name) cannot poll \(technology.rawValue)")
    }
    return try tag().map { [.iso14443a(ISO14443ATarget(uid: $0, atqa: [0, 0x44], sak: 0))] } ?? []
  }

  func select(_ target: Target) throws {
    guard try tag() == target.identifier else {
      throw NFCError(.tagConnectionLost, "the tag has left")
    }
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    guard command.count <= capabilities.maximumCommandLength else {
      throw NFCError(.commandTooLong, "\(command.count) bytes")
    }
    guard let tag = try tag(), !reader.state.withLock({ $0.isSilent }), command.first == 0x30
    else { throw NFCError(.tagResponseError, "no answer", cause: .noAnswer) }
    return tag + [UInt8](repeating: 0, count: 16 - tag.count)
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    throw NFCError(.unsupported, "\(name) has no MIFARE Classic")
  }

  func close() {}
}

/// Puts tags before a reader in memory.
struct MemoryBench: DriverBench {
  let reader = MemoryReader()
  let source: (any ReaderSource)? = MemorySource()
  let isFoundAutomatically = true
  let technologies: [TagTechnology] = [.iso14443a]
  var address: ReaderAddress { ReaderAddress("memory:\(reader.number)") }

  func makeDriver() throws -> any ReaderDriver { MemoryDriver(reader) }

  func present(_ technology: TagTechnology) throws -> BenchTag {
    let uid: [UInt8] = [0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06]
    reader.state.withLock { $0 = MemoryReader.State(tag: uid) }
    return BenchTag(identifier: uid, command: [0x30, 0x00], answer: uid)
  }

  func removeTags() throws { reader.state.withLock { $0.tag = nil } }

  func cause(_ fault: BenchFault) throws -> Bool {
    reader.state.withLock { state in
      switch fault {
      case .answersAreLost: state.isSilent = true
      case .readerUnplugged: state.isPluggedIn = false
      case .readerPluggedInAgain: state = MemoryReader.State()
      default: return false
      }
      return true
    }
  }
}
