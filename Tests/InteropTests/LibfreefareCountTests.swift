import NFC
import Testing
import VirtualNFC

extension Interop {
  /// Ultralight, NTAG and Classic: the exchanges and bytes of libfreefare's functions, and of the commands here.
  @Suite struct LibfreefareCountTests {
    private static let data = Array("0123456789abcdef".utf8)

    @Test func ultralightC() async throws {
      let theirs = try await LibfreefareCount.theirs(
        "ultralight", .ultralightC(),
        """
        page = create_string_buffer(4)
        step('read', lambda: check('mifare_ultralight_read', tag, c_uint8(40), page))
        step('write', lambda: check('mifare_ultralight_write', tag, c_uint8(30), b'abcd'))
        k = key('3des', b'IEMKAERB!NACUOYF')
        step('authenticate', lambda: check('mifare_ultralightc_authenticate', tag, k))
        def pages():
            for n in range(4, 40): check('mifare_ultralight_read', tag, c_uint8(n), page)
        step('read everything', pages)
        """)
      let ours = try await LibfreefareCount.ours(.ultralightC()) { tag, meter in
        let commands = try #require(tag.ultralight)
        try await meter.step("read") {
          let page = try await commands.readPage(40)
          #expect(page.count == 4)
        }
        try await meter.step("write") { try await commands.writePage(30, Array("abcd".utf8)) }
        try await meter.step("authenticate") {
          try await commands.authenticate(key: Array("IEMKAERB!NACUOYF".utf8))
        }
        try await meter.step("read everything") { _ = try await commands.readPages(4..<40) }
      }
      LibfreefareCount.compare(ours, theirs)
    }

    /// The library of Debian 12 knows an NTAG as an Ultralight only.
    @Test func ntag() async throws {
      let theirs = try await LibfreefareCount.theirs(
        "ultralight", .ntag213(),
        """
        page = create_string_buffer(4)
        step('read', lambda: check('mifare_ultralight_read', tag, c_uint8(4), page))
        step('write', lambda: check('mifare_ultralight_write', tag, c_uint8(8), b'abcd'))
        """)
      let ours = try await LibfreefareCount.ours(.ntag213()) { tag, meter in
        let commands = try #require(tag.ultralight)
        try await meter.step("read") { _ = try await commands.readPage(4) }
        try await meter.step("write") { try await commands.writePage(8, Array("abcd".utf8)) }
      }
      LibfreefareCount.compare(ours, theirs)
    }

    @Test func classic() async throws {
      let theirs = try await LibfreefareCount.theirs(
        "classic", .classic1K(formatted: false),
        """
        k = b'\\xff' * 6
        block = create_string_buffer(16)
        step('authenticate', lambda: check('mifare_classic_authenticate', tag, c_uint8(4), k, 0))
        step('read', lambda: check('mifare_classic_read', tag, c_uint8(4), block))
        step('write', lambda: check('mifare_classic_write', tag, c_uint8(4), b'0123456789abcdef'))
        step('make a value', lambda: check('mifare_classic_init_value', tag, c_uint8(5), c_int32(100), c_uint8(5)))
        value = c_int32(); address = c_uint8()
        step('read a value', lambda: check('mifare_classic_read_value', tag, c_uint8(5), byref(value), byref(address)))
        step('increment', lambda: check('mifare_classic_increment', tag, c_uint8(5), c_uint32(7)))
        step('transfer', lambda: check('mifare_classic_transfer', tag, c_uint8(5)))
        step('restore', lambda: check('mifare_classic_restore', tag, c_uint8(5)))
        step('transfer to another', lambda: check('mifare_classic_transfer', tag, c_uint8(6)))
        step('authenticate again', lambda: check('mifare_classic_authenticate', tag, c_uint8(8), k, 1))
        """)
      let ours = try await LibfreefareCount.ours(.classic1K(formatted: false)) { tag, meter in
        let card = try #require(tag.classic)
        try await meter.step("authenticate") {
          try await card.authenticate(block: 4, with: .factory, as: .a)
        }
        try await meter.step("read") { _ = try await card.readBlock(4) }
        try await meter.step("write") { try await card.writeBlock(4, Self.data) }
        try await meter.step("make a value") {
          try await card.writeBlock(5, MiFareClassicValueBlock(value: 100, address: 5).bytes)
        }
        try await meter.step("read a value") { _ = try await card.readValue(5) }
        try await meter.step("increment") { try await card.increment(5, by: 7) }
        try await meter.step("transfer") { try await card.transfer(to: 5) }
        try await meter.step("restore") { try await card.loadValue(from: 5) }
        try await meter.step("transfer to another") { try await card.transfer(to: 6) }
        try await meter.step("authenticate again") {
          try await card.authenticate(block: 8, with: .factory, as: .b)
        }
      }
      LibfreefareCount.compare(ours, theirs)
    }

    /// The directory, and the message of the application that it names.
    @Test func applicationDirectory() async throws {
      let message = [UInt8](repeating: 0x61, count: 40)
      let text = VirtualTag.classic1K()
      text.memory.replaceSubrange(
        64..<64 + 48, with: [0x03, 40] + message + [0xFE, 0, 0, 0, 0, 0])
      let memory = text.memory
      let theirs = try await LibfreefareCount.theirs(
        "classic", text,
        """
        buffer = create_string_buffer(800)
        def read():
            mad = c_void_p(ptr(ff, 'mad_read')(tag))
            assert mad.value, 'no directory'
            class AID(Structure): _fields_ = [('code', c_uint8), ('cluster', c_uint8)]
            f = ff.mifare_application_read; f.restype = c_ssize_t
            n = f(tag, mad, AID(0x03, 0xE1), buffer, c_size_t(42), bytes([0xD3, 0xF7] * 3), 0)
            assert n == 42, n
        step('read the message', read)
        """)
      let tag = VirtualTag.classic1K()
      tag.memory = memory
      let ours = try await LibfreefareCount.ours(tag) { tag, meter in
        let found = try await meter.step("read the message") { try await tag.readNDEFBytes() }
        #expect(found == message)
      }
      LibfreefareCount.compare(ours, theirs)
    }
  }
}
