import NDEF
import Testing

@Suite struct HandoverRecordTests {
  private func record(_ type: String, _ payload: String) -> NDEFRecord {
    NDEFRecord(typeNameFormat: .wellKnown, type: type, payload: hex(payload))
  }

  // The payloads are laid out as Connection Handover 1.5 says; ndeflib's tests have them too.
  @Test func select() throws {
    let payload = "12 91 02 04 6163 01 01 63 00 51 03 02 657272 0110"
    let handover = try HandoverSelectRecord(record("Hs", payload))
    #expect(handover.version == HandoverVersion(major: 1, minor: 2))
    #expect(
      handover.carriers == [
        AlternativeCarrierRecord(powerState: .active, carrierDataReference: Array("c".utf8))
      ])
    #expect(
      handover.error
        == HandoverErrorRecord(.temporarilyOutOfMemory(retryAfterMilliseconds: 0x10)))
    #expect(handover.record.payload == hex(payload))
    #expect(
      "\(handover)"
        == "handover to carrier c (active); temporarily out of memory, retry after 16 ms")
  }

  @Test func request() throws {
    let payload = "13 91 02 02 6372 1234 51 02 0A 6163 02 01 63 02 02 6131 02 6132"
    let handover = try HandoverRequestRecord(record("Hr", payload))
    #expect(handover.collisionResolution?.randomNumber == 0x1234)
    #expect(
      handover.carriers == [
        AlternativeCarrierRecord(
          powerState: .activating, carrierDataReference: Array("c".utf8),
          auxiliaryDataReferences: [Array("a1".utf8), Array("a2".utf8)])
      ])
    #expect(handover.record.payload == hex(payload))
  }

  @Test func versionsBefore12NeedNoCollisionResolution() throws {
    let handover = try HandoverRequestRecord(record("Hr", "11 D1 02 04 6163 01 01 63 00"))
    #expect(handover.collisionResolution == nil)
    #expect(handover.carriers.count == 1)
  }

  @Test func carrier() throws {
    let carrier = HandoverCarrierRecord(
      carrierTypeFormat: .media, carrierType: "a/b", carrierData: [9], identifier: [0x30])
    #expect(carrier.record.payload == hex("02 03 612F62 09"))
    #expect(try carrier.record.decoded as? HandoverCarrierRecord == carrier)
  }

  @Test func everythingIsPreserved() throws {
    let carriers = AlternativeCarrierRecord.PowerState.allCases.map {
      AlternativeCarrierRecord(powerState: $0, carrierDataReference: [$0.rawValue])
    }
    let other = NDEFRecord.media("text/plain", [1])
    let request = HandoverRequestRecord(
      randomNumber: 0xFFFF, carriers: carriers, otherRecords: [other], identifier: [1])
    #expect(try HandoverRequestRecord(request.record) == request)
    let reasons: [HandoverErrorRecord.Reason] = [
      .temporarilyOutOfMemory(retryAfterMilliseconds: 1),
      .permanentlyOutOfMemory(maximumLength: 0x0102_0304),
      .carrierSpecific(retryAfterMilliseconds: 255), .reserved(code: 9, data: [1, 2]),
    ]
    for reason in reasons {
      let select = HandoverSelectRecord(
        carriers: carriers, error: HandoverErrorRecord(reason), otherRecords: [other])
      var tolerance = NDEFTolerance.lenient
      #expect(try HandoverSelectRecord(select.record, tolerance: &tolerance) == select)
      if case .reserved = reason {
        #expect(tolerance.firstError?.code == .reservedValue)
      } else {
        #expect(tolerance.firstError == nil)
      }
    }
    let none = HandoverSelectRecord(carriers: [])
    #expect(none.record.payload == [0x15])
    #expect(try HandoverSelectRecord(none.record) == none)
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("20", .unsupportedVersion, at: 0),
    Malformed("12 D1", .truncated, at: 2),
    // The carrier's reference is longer than its record.
    Malformed("12 D1 02 02 6163 01 05", .truncated, at: 8),
    Malformed("12 D1 02 01 6163 01", .truncated, at: 7),
    Malformed("12 D1 02 03 6163 01 00 01", .truncated, at: 9),
    Malformed("12 91 03 02 657272 0110 51 03 02 657272 0110", .repeatedField, at: 15),
    Malformed("12 D1 03 01 657272 00", .invalidValue, at: 7),
    Malformed("12 D1 03 03 657272 010000", .trailingData, at: 9),
    Malformed("12 D1 03 02 657272 0200", .truncated, at: 8),
  ])
  func refusesSelect(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: HandoverSelectRecord.self, .wellKnown, "Hs")
  }

  @Test(arguments: [
    Malformed("12", .missingField, at: 1),
    Malformed("12 D1 02 03 6372 123400", .trailingData, at: 8),
    Malformed("12 D1 02 01 6372 12", .truncated, at: 6),
    Malformed("12 91 02 02 6372 1234 51 02 02 6372 1234", .repeatedField, at: 13),
  ])
  func refusesRequest(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: HandoverRequestRecord.self, .wellKnown, "Hr")
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("00 00", .invalidValue, at: 0),
    Malformed("05 00", .invalidValue, at: 0),
    Malformed("07 00", .invalidValue, at: 0),
    Malformed("02 05 61", .truncated, at: 2),
  ])
  func refusesCarrier(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: HandoverCarrierRecord.self, .wellKnown, "Hc")
  }

  @Test func aHandoverPointsToItsCarriers() throws {
    let handover = HandoverSelectRecord(carriers: [
      AlternativeCarrierRecord(powerState: .active, carrierDataReference: Array("0".utf8))
    ])
    var bluetooth = BluetoothRecord(
      address: try #require(BluetoothAddress("01:02:03:04:05:06")), name: "Loudspeaker")
    bluetooth.identifier = Array("0".utf8)
    let message = try NDEFMessage(
      decoding: NDEFMessage(handover.record, bluetooth.record).encoded())
    let select = try #require(try message.records.first?.decoded as? HandoverSelectRecord)
    let reference = select.carriers.first?.carrierDataReference
    let carrier = message.records.first { $0.identifier == reference }
    #expect(try carrier?.decoded as? BluetoothRecord == bluetooth)
  }
}
