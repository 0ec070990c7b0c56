import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// A virtual Ultralight AES on a virtual reader, used through the real libnfc.
struct UltralightAESBench: Sendable {
  static let factoryKey = SecretKey([UInt8](repeating: 0, count: 16))
  static let newKey = SecretKey((0..<16).map { UInt8($0 * 3 + 1) })

  let field = VirtualField()
  let virtual: VirtualReader
  let reader: Reader
  let tag: VirtualTag

  /// - Parameter settings: bytes of pages 29h and 2Ah, by their place from page 29h on.
  init(_ settings: [Int: UInt8] = [:]) async throws {
    tag = .ultralightAES()
    for (place, value) in settings { tag.memory[0x29 * 4 + place] = value }
    field.place(tag)
    virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    reader = try await Reader.open(virtual.connectionString)
  }

  func close() async {
    await reader.close()
    virtual.close()
  }

  /// Finds and connects the tag without knowledge of earlier sessions.
  func found() async throws -> any MiFareTag {
    for try await tag in reader.tags(polling: .iso14443a) {
      try await tag.connect()
      guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
      return tag
    }
    throw NFCError(.noTag, "polling ended")
  }

  func chip() async throws -> UltralightAESTag { try await UltralightAESTag(found()) }

  /// Returns the number of exchanges of `body`.
  func counting(_ body: () async throws -> Void) async throws -> Int {
    virtual.setFaults([])
    try await body()
    return virtual.statistics.exchanges
  }
}
