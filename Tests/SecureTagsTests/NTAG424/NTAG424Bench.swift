import NFC
import SUNMessage
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// A virtual NTAG 424 DNA on a virtual reader, used through the real libnfc.
struct NTAG424Bench: Sendable {
  let field = VirtualField()
  let virtual: VirtualReader
  let reader: Reader
  let tag: VirtualTag

  init(_ chip: NTAG424 = NTAG424()) async throws {
    ReplayedReaders.begin()
    tag = VirtualTag(chip)
    field.place(tag)
    virtual = try VirtualReader(field)
    reader = try await Reader.open(virtual.connectionString)
  }

  func close() async {
    await reader.close()
    virtual.close()
  }

  /// Finds and connects the tag again, without knowledge of earlier connections.
  func found() async throws -> DetectedTag {
    for try await tag in reader.tags(polling: .iso14443) {
      try await tag.connect()
      return tag
    }
    throw NFCError(.noTag, "polling ended")
  }

  func chip() async throws -> DESFireApplication {
    try await DESFireCard(found()).application(.fixed)
  }

  /// The chip as a value: keys, settings and memory.
  var state: NTAG424 {
    get throws { try #require(tag.withChip(NTAG424.self) { $0 }) }
  }

  func restore(_ chip: NTAG424) { tag.withChip(NTAG424.self) { $0 = chip } }

  /// The link as a phone reads it; `nil` for an empty tag.
  func link() async throws -> String? {
    guard let record = try await found().ndef?.readNDEF()?.records.first else { return nil }
    return try (record.decoded as? URIRecord)?.uri
  }
}

extension NTAG424Link {
  init(_ text: String, _ change: (inout Options) -> Void = { _ in }) throws {
    var options = Options()
    change(&options)
    try self.init(SUNTemplate(text), options)
  }
}

func aes(_ byte: UInt8, version: UInt8 = 1) throws -> DESFireKey {
  try DESFireKey(.aes, bytes: [UInt8](repeating: byte, count: 16), version: version)
}

func sunKey(_ byte: UInt8) throws -> SUNKey {
  try #require(SUNKey([UInt8](repeating: byte, count: 16)))
}
