import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// libfreefare itself, called from Python: its authentications, files, values, records and key changes on a virtual
  /// card, and our driver on what it has left.
  @Suite struct LibfreefareLibraryTests {
    private static func run(_ bench: InteropBench, _ script: String) async throws {
      let result = try await bench.run(
        "python3",
        ["-c", LibfreefareScript.connecting("desfire") + script, bench.reader.connectionString])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    struct Cipher: Sendable, CustomTestStringConvertible {
      let name: String
      let kind: DESFireKey.Kind
      /// How libfreefare proves the key.
      let authenticate: String
      let bits: Int
      var testDescription: String { "\(name) \(authenticate)" }
      var size: Int { kind == .threeKeyTripleDES ? 24 : 16 }
    }

    static let ciphers = [
      Cipher(name: "des", kind: .des, authenticate: "mifare_desfire_authenticate", bits: 0x00),
      Cipher(name: "des", kind: .des, authenticate: "mifare_desfire_authenticate_iso", bits: 0x00),
      Cipher(
        name: "3k3des", kind: .threeKeyTripleDES,
        authenticate: "mifare_desfire_authenticate_iso", bits: 0x40),
      Cipher(name: "aes", kind: .aes, authenticate: "mifare_desfire_authenticate_aes", bits: 0x80),
    ]

    /// Data that fill whole blocks are left out: over those that it reads, the library expects the first generation's
    /// MAC to cover a block of zeros more (libfreefare 0.4.0, `mifare_cryto_postprocess_data`: it counts a CRC that
    /// is not there), over those that it writes it does not.
    @Test(arguments: ciphers) func everyFile(_ cipher: Cipher) async throws {
      let tag = VirtualTag.desfire(formatted: false)
      let bench = try InteropBench(tag)
      let newName = cipher.name == "des" ? "3des" : cipher.name
      try await Self.run(
        bench,
        """
        zero = key('\(cipher.name)', bytes(24))
        new = key('\(newName)', bytes(range(2, 2 + 2 * \(cipher.size), 2)), 0x42)
        app = aid(0x123456)
        check('mifare_desfire_create_application', tag, app, c_uint8(0x0F), c_uint8(\(cipher.bits) | 3))
        check('mifare_desfire_select_application', tag, app)
        check('\(cipher.authenticate)', tag, c_uint8(0), zero)
        data = bytes(i * 7 % 256 for i in range(196))
        buffer = create_string_buffer(1000)
        for n, comm in enumerate((0, 1, 3)):
            check('mifare_desfire_create_std_data_file', tag, c_uint8(n), c_uint8(comm), c_uint16(0x1200), c_uint32(196))
            check('mifare_desfire_write_data', tag, c_uint8(n), c_long(0), c_size_t(196), data)
            assert check('mifare_desfire_read_data', tag, c_uint8(n), c_long(0), c_size_t(196), buffer) == 196
            assert buffer.raw[:196] == data
            check('mifare_desfire_create_backup_data_file', tag, c_uint8(3 + n), c_uint8(comm), c_uint16(0x1200), c_uint32(20))
            check('mifare_desfire_write_data', tag, c_uint8(3 + n), c_long(5), c_size_t(3), b'abc')
            check('mifare_desfire_read_data', tag, c_uint8(3 + n), c_long(0), c_size_t(20), buffer)
            assert buffer.raw[:20] == bytes(20)
            check('mifare_desfire_create_value_file', tag, c_uint8(6 + n), c_uint8(comm), c_uint16(0x1200), c_int32(-10), c_int32(1000), c_int32(5), c_uint8(1))
            check('mifare_desfire_credit', tag, c_uint8(6 + n), c_int32(100))
            check('mifare_desfire_debit', tag, c_uint8(6 + n), c_int32(7))
            check('mifare_desfire_create_linear_record_file', tag, c_uint8(9 + n), c_uint8(comm), c_uint16(0x1200), c_uint32(4), c_uint32(10))
            check('mifare_desfire_create_cyclic_record_file', tag, c_uint8(12 + n), c_uint8(comm), c_uint16(0x1200), c_uint32(70), c_uint32(3))
            check('mifare_desfire_commit_transaction', tag)
            value = c_int32()
            check('mifare_desfire_get_value', tag, c_uint8(6 + n), byref(value))
            assert value.value == 98, value.value
            for r in range(3):
                check('mifare_desfire_write_record', tag, c_uint8(9 + n), c_long(0), c_size_t(4), bytes([r, 1, 2, 3]))
                check('mifare_desfire_write_record', tag, c_uint8(12 + n), c_long(0), c_size_t(70), bytes([r]) * 70)
                check('mifare_desfire_commit_transaction', tag)
            check('mifare_desfire_read_records', tag, c_uint8(9 + n), c_long(0), c_size_t(3), buffer)
            assert buffer.raw[:12] == bytes([0, 1, 2, 3, 1, 1, 2, 3, 2, 1, 2, 3])
            check('mifare_desfire_read_records', tag, c_uint8(12 + n), c_long(0), c_size_t(2), buffer)
            assert buffer.raw[:140] == bytes([1]) * 70 + bytes([2]) * 70
            check('mifare_desfire_limited_credit', tag, c_uint8(6 + n), c_int32(7))
            check('mifare_desfire_commit_transaction', tag)
        check('mifare_desfire_change_file_settings', tag, c_uint8(0), c_uint8(3), c_uint16(0xE200))
        check('mifare_desfire_change_key', tag, c_uint8(1), new, zero)
        version = c_uint8()
        check('mifare_desfire_get_key_version', tag, c_uint8(1), byref(version))
        check('mifare_desfire_change_key_settings', tag, c_uint8(0x0D))
        check('mifare_desfire_change_key', tag, c_uint8(0), new, zero)
        check('\(cipher.authenticate)', tag, c_uint8(0), new)
        check('mifare_desfire_disconnect', tag)
        """)
      // What libfreefare has left is what our driver finds.
      let reader = try await Reader.open(bench.reader.connectionString)
      let found = try await reader.firstDESFire()
      let application = found.application(try #require(DESFireApplicationIdentifier(0x12_3456)))
      let bytes = (0..<cipher.size).map { UInt8(2 + 2 * $0) }
      let new = try DESFireKey(cipher.kind, bytes: bytes, version: cipher.kind == .aes ? 0x42 : nil)
      try await application.authenticate(0, new)
      #expect(try await application.files().count == 15)
      #expect(try await application.keySummary().settings.byte == 0x0D)
      let data = (0..<196).map { UInt8(truncatingIfNeeded: $0 * 7 % 256) }
      for number in 0..<3 {
        #expect(try await application.readData(file: number) == data)
        #expect(
          try await application.readData(file: 3 + number, offset: 5, count: 3) == Array("abc".utf8)
        )
        #expect(try await application.value(file: 6 + number) == 105)
        #expect(try await application.readRecords(file: 9 + number).map { $0[0] } == [0, 1, 2])
        #expect(try await application.readRecords(file: 12 + number).map { $0[0] } == [1, 2])
      }
      await reader.close()
    }

    /// The programs that configure a card permanently: default key, answer to select, random UID.
    @Test func configuration() async throws {
      let bench = try InteropBench(.desfire(formatted: false))
      for (program, arguments) in [
        ("mifare-desfire-ev1-configure-default-key", ["-y"]),
        ("mifare-desfire-ev1-configure-ats", ["-y", "06", "75", "77", "81", "02", "A0"]),
        ("mifare-desfire-ev1-configure-random-uid", ["-y"]),
      ] {
        try await bench.run(program, arguments).expectSuccess()
      }
      let info = try await bench.run("mifare-desfire-info")
      info.expectSuccess()
      info.expectOutput("UID:                      0x00000000000000", "Use random UID: yes")
      let reader = try await Reader.open(bench.reader.connectionString)
      let card = try await reader.firstDESFire()
      #expect(card.tag.identifier.count == 4 && card.tag.identifier.first == 0x08)
      try await card.root.authenticate(0, .factory(.des))
      #expect(try await card.cardUID() == DESFireModel.ev1.defaultUID)
      await reader.close()
    }
  }
}

extension Reader {
  fileprivate func firstDESFire() async throws -> DESFireCard {
    for try await tag in tags(polling: .iso14443) {
      try await tag.connect()
      return try await DESFireCard(tag)
    }
    throw NFCError(.noTag, "polling ended")
  }
}
