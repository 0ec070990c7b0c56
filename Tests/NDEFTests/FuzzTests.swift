import SwiftNFCSeededRandom
import Foundation
import NDEF
import Testing

/// Seeded, bounded runs of mutated messages: whatever the bytes, decoding ends with a value or an
/// error, and what it accepts comes back from its encoding.
@Suite struct FuzzTests {
  static let corpus: [NDEFRecord] = {
    let address = BluetoothAddress("01:02:03:04:05:06")
    let carrier = AlternativeCarrierRecord(
      powerState: .active, carrierDataReference: [0x30], auxiliaryDataReferences: [[0x31]])
    let typed: [(any NDEFTypedRecord)?] = [
      URIRecord("https://www.example.com/path?q=1"),
      TextRecord("Hello, wörld", language: "en-GB", identifier: Array("id".utf8)),
      TextRecord("Grüße 😀", language: "de", encoding: .utf16),
      SmartPosterRecord(
        uri: URIRecord("tel:+1"), titles: [TextRecord("A"), TextRecord("B", language: "de")],
        action: .save, size: 1000, mediaType: "text/html",
        icons: [MIMERecord(mediaType: "image/png", payload: [1, 2, 3])]),
      HandoverSelectRecord(
        carriers: [carrier], error: HandoverErrorRecord(.permanentlyOutOfMemory(maximumLength: 9))),
      HandoverRequestRecord(randomNumber: 0x1234, carriers: [carrier, carrier]),
      HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: "a/b", carrierData: [1, 2]),
      SignatureRecord(
        algorithm: .ecdsaP256, signature: .bytes([1, 2, 3, 4]), certificates: [[5, 6], [7]],
        certificateURI: "https://c"),
      DeviceInformationRecord(
        vendorName: "Vendor", modelName: "Model", uniqueName: "Name", uuid: Array(0..<16),
        versionString: "1.0"),
      AndroidApplicationRecord("com.example.app"),
      WiFiRecord(
        credentials: [
          WiFiCredential(
            ssid: Array("net".utf8), authentication: .wpa2Personal, encryption: .aes,
            networkKey: Array("password".utf8), isNetworkKeyShareable: true)
        ], version: 0x20, otherAttributes: [WiFiAttribute(.outOfBandDevicePassword, [1])]),
      address.map { BluetoothRecord(address: $0, name: "Speaker") },
      address.map { BluetoothLERecord(address: $0, role: .peripheral, name: "Keys") },
      VCardRecord(name: "Jane Doe", telephones: ["+1"], emails: ["j@example.com"]),
      MIMERecord(mediaType: "application/octet-stream", payload: Array(0..<20)),
      HandoverMediationRecord(carriers: [carrier]),
      HandoverInitiateRecord(carriers: [carrier, carrier]),
      WindowsLaunchAppRecord(
        apps: [.init(platform: "Windows", identifier: "a!b")], arguments: "c"),
      AbsoluteURIRecord("https://example.com", payload: [1]),
      ExternalRecord(type: "example.com:t", payload: [1, 2]),
      UnknownRecord(payload: [9, 9]),
    ]
    return typed.compactMap { $0?.record } + [
      .empty,
      .media(
        "application/vnd.openprinttag",
        hex("A10214 BF 0A 6141 181C 83 01 F93CF6 FA3F800000 FF A10001")),
      .media("application/opentag3d", hex("07D2 504C410000 4346000000 506F6C6172")),
    ]
  }()

  /// Makes one to eight changes: bytes set, bits turned, pieces cut, doubled, moved from elsewhere.
  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let interesting: [UInt8] = [0x00, 0x01, 0x02, 0x10, 0x7F, 0x80, 0xD1, 0xD2, 0xFE, 0xFF]
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &random)) }
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[index] = interesting[Int.random(in: 0..<interesting.count, using: &random)]
      case 3: bytes.removeSubrange(index..<min(bytes.count, index + 3))
      case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
      case 5: bytes[index] = bytes[index] &+ 1
      default: bytes.removeSubrange(index...)
      }
    }
  }

  /// The typed record's own record must read back as the same value.
  private static func survives<Typed: NDEFTypedRecord>(_ typed: Typed) -> Bool {
    (try? Typed(typed.record)) == typed
  }

  ///
  /// - Returns: whether the record was read.
  @discardableResult
  private static func check(
    _ record: NDEFRecord, _ comment: @autoclosure () -> Comment
  ) -> Bool {
    do throws(NDEFError) {
      if let typed = try record.decoded {
        if !survives(typed) { Issue.record(comment()) }
        if typed.identifier != record.identifier { Issue.record(comment()) }
      }
      return true
    } catch {
      let longest = max(record.payload.count, record.type.count)
      if !(0...longest).contains(error.offset) { Issue.record(comment()) }
      return false
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func messages(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var accepted = 0
    for round in 0..<1_500 {
      let records = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
      }
      let chunkSize = round.isMultiple(of: 3) ? Int.random(in: 1...20, using: &random) : 0
      var bytes = NDEFMessage(records: records).encoded(chunkSize: chunkSize)
      Self.mutate(&bytes, &random)
      let comment = "seed \(seed), round \(round)" as Comment

      let (message, error) = NDEFMessage.decodeLeniently(bytes)
      do throws(NDEFError) {
        let strict = try NDEFMessage(decoding: bytes)
        if strict != message || error != nil { Issue.record(comment) }
        accepted += 1
      } catch let strictError {
        if strictError != error { Issue.record(comment) }
        if !(0...bytes.count).contains(strictError.offset) { Issue.record(comment) }
      }

      let canonical = message.encoded()
      if canonical.count != message.encodedLength { Issue.record(comment) }
      try message.validate()
      let again = try NDEFMessage(decoding: canonical)
      if again != message || again.encoded() != canonical { Issue.record(comment) }
      for record in message.records { Self.check(record, comment) }
    }
    #expect((150...1_350).contains(accepted))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func typedRecords(_ seed: UInt64) {
    var random = SplitMix64(seed: seed &+ 1000)
    var accepted = 0
    for round in 0..<2_500 {
      var record = Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
      Self.mutate(&record.payload, &random)
      if Self.check(record, "seed \(seed), round \(round)") { accepted += 1 }
    }
    // Both the accepted and the refused must be many, or the run would prove nothing.
    #expect((500...2_000).contains(accepted))
  }

  @Test func jsonAndDescriptions() throws {
    var random = SplitMix64(seed: 2000)
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    for round in 0..<1_000 {
      var record = Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
      if record.typeNameFormat != .empty { Self.mutate(&record.payload, &random) }
      if record.typeNameFormat.rawValue % 5 != 0 { Self.mutate(&record.type, &random) }
      let comment = "round \(round)" as Comment
      if record.description.unicodeScalars.contains(where: { $0.value < 0x20 }) {
        Issue.record(comment)
      }
      guard (try? record.validate()) != nil else { continue }
      let back = try decoder.decode(NDEFRecord.self, from: encoder.encode(record))
      if back != record { Issue.record(comment) }
    }
  }

  @Test func mutatedJSONEndsInAValueOrAnError() throws {
    var random = SplitMix64(seed: 3000)
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    var values = 0
    for _ in 0..<1_000 {
      let record = Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
      var bytes = Array(try encoder.encode(record))
      Self.mutate(&bytes, &random)
      guard let value = try? decoder.decode(NDEFRecord.self, from: Data(bytes)) else { continue }
      try value.validate()
      values += 1
    }
    #expect(values > 0)
  }
}
