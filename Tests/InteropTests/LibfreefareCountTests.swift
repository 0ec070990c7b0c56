import Foundation
import NFC
import SecureTags
import Synchronization
import Testing
import VirtualNFC

extension Interop {
  /// The same work by libfreefare and by this package, on the same virtual reader: exchanges and bytes on the air.
  @Suite struct LibfreefareCountTests {
    /// The frames that went to a tag, and when, by the clock that Python reads too.
    private final class AirLog: Sendable {
      private struct Entry {
        let time: UInt64
        let bytes: Int
        let isSent: Bool
      }
      private let entries = Mutex<[Entry]>([])

      static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
      }

      @Sendable func note(_ event: TraceEvent) {
        let (bytes, isSent): (Int, Bool)
        switch event {
        case .sent(let frame): (bytes, isSent) = (frame.bytes.count, true)
        case .received(let frame): (bytes, isSent) = (frame?.bytes.count ?? 0, false)
        default: return
        }
        let now = Self.now
        entries.withLock { $0.append(Entry(time: now, bytes: bytes, isSent: isSent)) }
      }

      func cost(_ interval: ClosedRange<UInt64>) -> Cost {
        entries.withLock { entries in
          let own = entries.filter { interval.contains($0.time) }
          return Cost(
            exchanges: own.count(where: \.isSent), bytes: own.reduce(0) { $0 + $1.bytes })
        }
      }
    }

    struct Cost: Hashable, CustomStringConvertible {
      let exchanges: Int
      let bytes: Int
      var description: String { "\(exchanges) exchanges, \(bytes) bytes" }
    }

    /// Notes what each step of ours takes.
    private final class Meter: Sendable {
      private let log: AirLog
      private let state = Mutex<[(String, Cost)]>([])

      init(_ log: AirLog) { self.log = log }

      var steps: [(String, Cost)] { state.withLock { $0 } }

      @discardableResult func step<Result>(
        _ name: String, _ body: () async throws -> Result
      ) async throws -> Result {
        let start = AirLog.now
        let result = try await body()
        let cost = log.cost(start...AirLog.now)
        state.withLock { $0.append((name, cost)) }
        return result
      }
    }

    /// A step of a script: its output is recognized by name.
    private static let steps = """
      import time
      def step(name, body):
          start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
          body()
          print('STEP', name.replace(' ', '_'), start, time.clock_gettime_ns(time.CLOCK_MONOTONIC))

      """

    private static func theirs(
      _ family: String, _ tag: VirtualTag, _ script: String
    ) async throws -> [String: Cost] {
      let log = AirLog()
      let bench = try InteropBench(tag, trace: log.note)
      let result = try await bench.run(
        "python3",
        [
          "-c", LibfreefareScript.connecting(family) + steps + script,
          bench.reader.connectionString,
        ])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      var pairs: [(String, Cost)] = []
      for line in result.output.split(whereSeparator: \.isNewline) {
        let words = line.split(separator: " " as Character).map { String($0) }
        guard words.count == 4, words[0] == "STEP", let start = UInt64(words[2]),
          let end = UInt64(words[3])
        else { continue }
        let name = words[1].split(separator: "_" as Character).joined(separator: " ")
        pairs.append((name, log.cost(start...end)))
      }
      return Dictionary(pairs) { first, _ in first }
    }

    private static func ours(
      _ tag: VirtualTag, _ body: (any MiFareTag, Meter) async throws -> Void
    ) async throws -> [(String, Cost)] {
      let log = AirLog()
      let bench = try InteropBench(tag, trace: log.note)
      let reader = try await Reader.open(bench.reader.connectionString)
      let found = try #require(try await reader.tagsInField().first)
      try await found.connect()
      guard case .miFare(let card) = found else { throw NFCError(.wrongTag, "no MIFARE") }
      let meter = Meter(log)
      try await body(card, meter)
      await reader.close()
      return meter.steps
    }

    /// Each step of ours is one of theirs, and takes no more of anything.
    private static func compare(
      _ ours: [(String, Cost)], _ theirs: [String: Cost],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(Set(ours.map(\.0)) == Set(theirs.keys), sourceLocation: sourceLocation)
      for (name, cost) in ours {
        guard let other = theirs[name] else { continue }
        #expect(
          other.exchanges > 0 && cost.exchanges <= other.exchanges && cost.bytes <= other.bytes,
          "\(name): \(cost); libfreefare \(other)", sourceLocation: sourceLocation)
      }
    }

    private static let data = (0..<16).map { UInt8($0 * 11 + 1) }

    @Test func ultralightC() async throws {
      let theirs = try await Self.theirs(
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
      let ours = try await Self.ours(.ultralightC()) { tag, meter in
        let commands = try #require(tag.ultralight)
        try await meter.step("read") { _ = try await commands.readPage(40) }
        try await meter.step("write") { try await commands.writePage(30, Array("abcd".utf8)) }
        try await meter.step("authenticate") {
          try await commands.authenticate(key: Array("IEMKAERB!NACUOYF".utf8))
        }
        try await meter.step("read everything") { _ = try await commands.readPages(4..<40) }
      }
      Self.compare(ours, theirs)
    }

    /// The library of Debian 12 knows an NTAG as an Ultralight only.
    @Test func ntag() async throws {
      let theirs = try await Self.theirs(
        "ultralight", .ntag213(),
        """
        page = create_string_buffer(4)
        step('read', lambda: check('mifare_ultralight_read', tag, c_uint8(4), page))
        step('write', lambda: check('mifare_ultralight_write', tag, c_uint8(8), b'abcd'))
        """)
      let ours = try await Self.ours(.ntag213()) { tag, meter in
        let commands = try #require(tag.ultralight)
        try await meter.step("read") { _ = try await commands.readPage(4) }
        try await meter.step("write") { try await commands.writePage(8, Array("abcd".utf8)) }
      }
      Self.compare(ours, theirs)
    }

    @Test func classic() async throws {
      let theirs = try await Self.theirs(
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
      let ours = try await Self.ours(.classic1K(formatted: false)) { tag, meter in
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
      Self.compare(ours, theirs)
    }

    /// The directory, and the message of the application that it names.
    @Test func applicationDirectory() async throws {
      let message = [UInt8](repeating: 0x61, count: 40)
      let text = VirtualTag.classic1K()
      text.memory.replaceSubrange(
        64..<64 + 48, with: [0x03, 40] + message + [0xFE, 0, 0, 0, 0, 0])
      let memory = text.memory
      let theirs = try await Self.theirs(
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
      let ours = try await Self.ours(tag) { tag, meter in
        let found = try await meter.step("read the message") { try await tag.readNDEFBytes() }
        #expect(found == message)
      }
      Self.compare(ours, theirs)
    }

    private static func desfireScript(_ cipher: Cipher) -> String {
      let (kind, bits, authenticate) = (cipher.name, cipher.bits, cipher.authenticate)
      let card =
        cipher.card == .iso ? "mifare_desfire_authenticate_iso" : "mifare_desfire_authenticate"
      return """
        zero = key('\(kind)', bytes(24))
        des = key('des', bytes(8))
        new = key('\(kind == "des" ? "3des" : kind)', bytes(range(2, 50, 2)), 0x42)
        none = c_void_p()
        step('version', lambda: check('mifare_desfire_get_version', tag, create_string_buffer(64)))
        def root():
            check('mifare_desfire_select_application', tag, none)
            check('\(card)', tag, c_uint8(0), des)
        step('open the card', root)
        app = aid(0x123456)
        step('create an application', lambda: check('mifare_desfire_create_application', tag, app, c_uint8(0x0F), c_uint8(\(bits) | 3)))
        def open():
            check('mifare_desfire_select_application', tag, app)
            check('\(authenticate)', tag, c_uint8(0), zero)
        step('open the application', open)
        step('create a file', lambda: check('mifare_desfire_create_std_data_file', tag, c_uint8(0), c_uint8(3), c_uint16(0x0000), c_uint32(300)))
        step('create a value', lambda: check('mifare_desfire_create_value_file', tag, c_uint8(1), c_uint8(1), c_uint16(0x0000), c_int32(0), c_int32(1000), c_int32(5), c_uint8(1)))
        step('create records', lambda: check('mifare_desfire_create_cyclic_record_file', tag, c_uint8(2), c_uint8(0), c_uint16(0x0000), c_uint32(20), c_uint32(4)))
        step('create a backup file', lambda: check('mifare_desfire_create_backup_data_file', tag, c_uint8(3), c_uint8(1), c_uint16(0x0000), c_uint32(40)))
        step('create a list', lambda: check('mifare_desfire_create_linear_record_file', tag, c_uint8(4), c_uint8(3), c_uint16(0x0000), c_uint32(8), c_uint32(3)))
        step('change settings', lambda: check('mifare_desfire_change_file_settings', tag, c_uint8(3), c_uint8(1), c_uint16(0x0001)))
        step('settings', lambda: check('mifare_desfire_get_file_settings', tag, c_uint8(3), create_string_buffer(64)))
        data = bytes(i * 7 % 256 for i in range(196))
        buffer = create_string_buffer(1000)
        step('write', lambda: check('mifare_desfire_write_data', tag, c_uint8(0), c_long(0), c_size_t(196), data))
        step('read', lambda: check('mifare_desfire_read_data', tag, c_uint8(0), c_long(0), c_size_t(196), buffer))
        step('write a little', lambda: check('mifare_desfire_write_data', tag, c_uint8(0), c_long(5), c_size_t(3), b'abc'))
        step('read a little', lambda: check('mifare_desfire_read_data', tag, c_uint8(0), c_long(5), c_size_t(3), buffer))
        step('credit', lambda: check('mifare_desfire_credit', tag, c_uint8(1), c_int32(10)))
        step('commit', lambda: check('mifare_desfire_commit_transaction', tag))
        value = c_int32()
        step('value', lambda: check('mifare_desfire_get_value', tag, c_uint8(1), byref(value)))
        step('debit', lambda: check('mifare_desfire_debit', tag, c_uint8(1), c_int32(4)))
        step('commit a debit', lambda: check('mifare_desfire_commit_transaction', tag))
        step('limited credit', lambda: check('mifare_desfire_limited_credit', tag, c_uint8(1), c_int32(2)))
        step('abort', lambda: check('mifare_desfire_abort_transaction', tag))
        step('write a backup', lambda: check('mifare_desfire_write_data', tag, c_uint8(3), c_long(0), c_size_t(36), data[:36]))
        step('commit a backup', lambda: check('mifare_desfire_commit_transaction', tag))
        step('read a backup', lambda: check('mifare_desfire_read_data', tag, c_uint8(3), c_long(0), c_size_t(36), buffer))
        step('write a list', lambda: check('mifare_desfire_write_record', tag, c_uint8(4), c_long(0), c_size_t(8), data[:8]))
        step('commit a list', lambda: check('mifare_desfire_commit_transaction', tag))
        step('read a list', lambda: check('mifare_desfire_read_records', tag, c_uint8(4), c_long(0), c_size_t(1), buffer))
        step('write a record', lambda: check('mifare_desfire_write_record', tag, c_uint8(2), c_long(0), c_size_t(20), data[:20]))
        step('commit it', lambda: check('mifare_desfire_commit_transaction', tag))
        step('read a record', lambda: check('mifare_desfire_read_records', tag, c_uint8(2), c_long(0), c_size_t(1), buffer))
        step('clear records', lambda: check('mifare_desfire_clear_record_file', tag, c_uint8(2)))
        step('commit the clearing', lambda: check('mifare_desfire_commit_transaction', tag))
        files = c_void_p(); count = c_size_t()
        step('list files', lambda: check('mifare_desfire_get_file_ids', tag, byref(files), byref(count)))
        version = c_uint8()
        step('key version', lambda: check('mifare_desfire_get_key_version', tag, c_uint8(1), byref(version)))
        step('change a key', lambda: check('mifare_desfire_change_key', tag, c_uint8(1), new, zero))
        bits = c_uint8(); most = c_uint8()
        step('key settings', lambda: check('mifare_desfire_get_key_settings', tag, byref(bits), byref(most)))
        step('change key settings', lambda: check('mifare_desfire_change_key_settings', tag, c_uint8(0x0F)))
        uid = c_void_p()
        step('the UID', lambda: check('mifare_desfire_get_card_uid', tag, byref(uid)))
        step('change the own key', lambda: check('mifare_desfire_change_key', tag, c_uint8(0), new, none))
        def again():
            check('mifare_desfire_select_application', tag, app)
            check('\(authenticate)', tag, c_uint8(0), new)
        step('open it again', again)
        step('delete a file', lambda: check('mifare_desfire_delete_file', tag, c_uint8(0)))
        step('back to the card', root)
        size = c_uint32()
        step('free memory', lambda: check('mifare_desfire_free_mem', tag, byref(size)))
        aids = c_void_p()
        step('list applications', lambda: check('mifare_desfire_get_application_ids', tag, byref(aids), byref(count)))
        step('default key', lambda: check('mifare_desfire_set_default_key', tag, des))
        step('delete the application', lambda: check('mifare_desfire_delete_application', tag, app))
        step('format', lambda: check('mifare_desfire_format_picc', tag))
        """
    }

    struct Cipher: Sendable, CustomTestStringConvertible {
      let name: String
      let kind: DESFireKey.Kind
      let bits: Int
      let authenticate: String
      /// How both prove the application's key, and the card's.
      let method: DESFireAuthentication
      let card: DESFireAuthentication
      var testDescription: String { "\(name) \(method)" }
    }

    static let ciphers = [
      Cipher(
        name: "des", kind: .des, bits: 0x00, authenticate: "mifare_desfire_authenticate",
        method: .legacy, card: .legacy),
      Cipher(
        name: "des", kind: .des, bits: 0x00, authenticate: "mifare_desfire_authenticate_iso",
        method: .iso, card: .iso),
      Cipher(
        name: "3k3des", kind: .threeKeyTripleDES, bits: 0x40,
        authenticate: "mifare_desfire_authenticate_iso", method: .iso, card: .iso),
      Cipher(
        name: "aes", kind: .aes, bits: 0x80, authenticate: "mifare_desfire_authenticate_aes",
        method: .aes, card: .iso),
    ]

    /// libfreefare is asked to select the card first: this package always does, as another program may have left
    /// something else selected.
    @Test(arguments: ciphers) func desfire(_ cipher: Cipher) async throws {
      let theirs = try await Self.theirs(
        "desfire", .desfire(formatted: false),
        Self.desfireScript(cipher))
      let ours = try await Self.ours(.desfire(formatted: false)) { tag, meter in
        try await Self.desfireSteps(DetectedTag.miFare(tag), cipher, meter)
      }
      Self.compare(ours, theirs)
    }

    /// Names of ISO/IEC 7816-4, and the configuration that shows a random UID.
    @Test func desfireNames() async throws {
      let theirs = try await Self.theirs(
        "desfire", .desfire(formatted: false),
        """
        check('mifare_desfire_select_application', tag, c_void_p())
        check('mifare_desfire_authenticate_iso', tag, c_uint8(0), key('des', bytes(8)))
        app = aid(0x123456)
        step('create a named application', lambda: check('mifare_desfire_create_application_iso', tag, app, c_uint8(0x0F), c_uint8(0x82), 1, c_uint16(0xDF01), b'named', c_size_t(5)))
        def open():
            check('mifare_desfire_select_application', tag, app)
            check('mifare_desfire_authenticate_aes', tag, c_uint8(0), key('aes', bytes(16)))
        open()
        names = c_void_p(); count = c_size_t()
        def list():
            check('mifare_desfire_select_application', tag, c_void_p())
            check('mifare_desfire_get_df_names', tag, byref(names), byref(count))
            assert count.value == 1, count.value
        step('list names', list)
        open()
        step('create a named file', lambda: check('mifare_desfire_create_std_data_file_iso', tag, c_uint8(0), c_uint8(3), c_uint16(0x0000), c_uint32(30), c_uint16(0xEF01)))
        step('create a named backup file', lambda: check('mifare_desfire_create_backup_data_file_iso', tag, c_uint8(1), c_uint8(1), c_uint16(0x0000), c_uint32(30), c_uint16(0xEF02)))
        step('create a named list', lambda: check('mifare_desfire_create_linear_record_file_iso', tag, c_uint8(2), c_uint8(0), c_uint16(0x0000), c_uint32(8), c_uint32(3), c_uint16(0xEF03)))
        step('create named records', lambda: check('mifare_desfire_create_cyclic_record_file_iso', tag, c_uint8(3), c_uint8(0), c_uint16(0x0000), c_uint32(8), c_uint32(3), c_uint16(0xEF04)))
        check('mifare_desfire_select_application', tag, c_void_p())
        check('mifare_desfire_authenticate_iso', tag, c_uint8(0), key('des', bytes(8)))
        step('show a random UID', lambda: check('mifare_desfire_set_configuration', tag, c_bool(False), c_bool(True)))
        uid = c_void_p()
        step('the UID', lambda: check('mifare_desfire_get_card_uid', tag, byref(uid)))
        """)
      let ours = try await Self.ours(.desfire(formatted: false)) { tag, meter in
        let card = try await DESFireCard(DetectedTag.miFare(tag))
        try await card.root.authenticate(0, .factory(.des))
        let application = card.application(try #require(DESFireApplicationIdentifier(0x12_3456)))
        try await meter.step("create a named application") {
          try await card.createApplication(
            DESFireApplicationPlan(
              application.identifier, keyCount: 2, kind: .aes, isoIdentifier: 0xDF01,
              name: Array("named".utf8), namesFiles: true))
        }
        try await application.authenticate(0, .factory(.aes))
        try await meter.step("list names") {
          let names = try await card.applicationNames()
          #expect(names.map(\.isoIdentifier) == [0xDF01])
        }
        try await application.authenticate(0, .factory(.aes))
        let rights = DESFireAccessRights(
          read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0))
        let records = DESFireRecordSettings(recordSize: 8, maximumCount: 3)
        let files: [(String, DESFireCommunication, DESFireFileSettings.Content)] = [
          ("create a named file", .encrypted, .standardData(size: 30)),
          ("create a named backup file", .authenticated, .backupData(size: 30)),
          ("create a named list", .plain, .linearRecords(records)),
          ("create named records", .plain, .cyclicRecords(records)),
        ]
        for (number, file) in files.enumerated() {
          try await meter.step(file.0) {
            try await application.createFile(
              number,
              DESFireFileSettings(communication: file.1, rights: rights, content: file.2),
              isoIdentifier: UInt16(0xEF01 + number))
          }
        }
        try await card.root.authenticate(0, .factory(.des))
        try await meter.step("show a random UID") {
          try await card.configurePermanently([.showsRandomUID])
        }
        try await meter.step("the UID") {
          let uid = try await card.cardUID()
          #expect(uid == DESFireModel.ev1.defaultUID)
        }
      }
      Self.compare(ours, theirs)
    }

    private static func desfireSteps(
      _ tag: DetectedTag, _ cipher: Cipher, _ meter: Meter
    ) async throws {
      let card = try await DESFireCard(tag)
      let factory = DESFireKey.factory(cipher.kind)
      let size = cipher.kind == .threeKeyTripleDES ? 24 : 16
      let new = try DESFireKey(
        cipher.kind, bytes: (1...size).map { UInt8($0 * 2) },
        version: cipher.kind == .aes ? 0x42 : nil)
      let rights = DESFireAccessRights(
        read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0))
      let identifier = try #require(DESFireApplicationIdentifier(0x12_3456))
      let application = card.application(identifier)
      let data = (0..<196).map { UInt8(truncatingIfNeeded: $0 * 7) }
      try await meter.step("version") { _ = try await card.version() }
      try await meter.step("open the card") {
        try await card.root.authenticate(0, .factory(.des), by: cipher.card)
      }
      try await meter.step("create an application") {
        try await card.createApplication(
          DESFireApplicationPlan(identifier, keyCount: 3, kind: cipher.kind))
      }
      try await meter.step("open the application") {
        try await application.authenticate(0, factory, by: cipher.method)
      }
      try await meter.step("create a file") {
        try await application.createFile(
          0,
          DESFireFileSettings(
            communication: .encrypted, rights: rights, content: .standardData(size: 300)))
      }
      try await meter.step("create a value") {
        try await application.createFile(
          1,
          DESFireFileSettings(
            communication: .authenticated, rights: rights,
            content: .value(
              DESFireValueSettings(
                lowerLimit: 0, upperLimit: 1000, limitedCredit: 5, allowsLimitedCredit: true))))
      }
      try await meter.step("create records") {
        try await application.createFile(
          2,
          DESFireFileSettings(
            communication: .plain, rights: rights,
            content: .cyclicRecords(DESFireRecordSettings(recordSize: 20, maximumCount: 4))))
      }
      try await meter.step("create a backup file") {
        try await application.createFile(
          3,
          DESFireFileSettings(
            communication: .authenticated, rights: rights, content: .backupData(size: 40)))
      }
      try await meter.step("create a list") {
        try await application.createFile(
          4,
          DESFireFileSettings(
            communication: .encrypted, rights: rights,
            content: .linearRecords(DESFireRecordSettings(recordSize: 8, maximumCount: 3))))
      }
      try await meter.step("change settings") {
        try await application.changeFileSettings(
          3, communication: .authenticated,
          rights: DESFireAccessRights(
            read: .key(0), write: .key(0), readWrite: .key(0), change: .key(1)))
      }
      try await meter.step("settings") { _ = try await application.fileSettings(3) }
      try await meter.step("write") { try await application.writeData(file: 0, data) }
      try await meter.step("read") {
        _ = try await application.readData(file: 0, offset: 0, count: 196)
      }
      try await meter.step("write a little") {
        try await application.writeData(file: 0, offset: 5, [1, 2, 3])
      }
      try await meter.step("read a little") {
        _ = try await application.readData(file: 0, offset: 5, count: 3)
      }
      try await meter.step("credit") { try await application.changeValue(file: 1, .credit(10)) }
      try await meter.step("commit") { try await application.commit() }
      try await meter.step("value") { _ = try await application.value(file: 1) }
      try await meter.step("debit") { try await application.changeValue(file: 1, .debit(4)) }
      try await meter.step("commit a debit") { try await application.commit() }
      try await meter.step("limited credit") {
        try await application.changeValue(file: 1, .limitedCredit(2))
      }
      try await meter.step("abort") { try await application.abort() }
      try await meter.step("write a backup") {
        // libfreefare takes a legacy MAC over whole blocks for wrong when it reads.
        try await application.writeData(file: 3, Array(data.prefix(36)))
      }
      try await meter.step("commit a backup") { try await application.commit() }
      try await meter.step("read a backup") {
        _ = try await application.readData(file: 3, offset: 0, count: 36)
      }
      try await meter.step("write a list") {
        try await application.writeRecord(file: 4, Array(data.prefix(8)))
      }
      try await meter.step("commit a list") { try await application.commit() }
      try await meter.step("read a list") {
        _ = try await application.readRecords(file: 4, count: 1)
      }
      try await meter.step("write a record") {
        try await application.writeRecord(file: 2, Array(data.prefix(20)))
      }
      try await meter.step("commit it") { try await application.commit() }
      try await meter.step("read a record") {
        _ = try await application.readRecords(file: 2, count: 1)
      }
      try await meter.step("clear records") { try await application.clearRecords(file: 2) }
      try await meter.step("commit the clearing") { try await application.commit() }
      try await meter.step("list files") { _ = try await application.files() }
      try await meter.step("key version") { _ = try await application.keyVersion(1) }
      try await meter.step("change a key") {
        try await application.changeKey(1, from: factory, to: new)
      }
      try await meter.step("key settings") { _ = try await application.keySummary() }
      try await meter.step("change key settings") {
        try await application.changeKeySettings(DESFireKeySettings())
      }
      try await meter.step("the UID") { _ = try await card.cardUID() }
      try await meter.step("change the own key") { try await application.changeKey(0, to: new) }
      try await meter.step("open it again") {
        try await application.authenticate(0, new, by: cipher.method)
      }
      try await meter.step("delete a file") { try await application.deleteFile(0) }
      try await meter.step("back to the card") {
        try await card.root.authenticate(0, .factory(.des), by: cipher.card)
      }
      try await meter.step("free memory") { _ = try await card.freeMemory() }
      try await meter.step("list applications") { _ = try await card.applications() }
      try await meter.step("default key") { try await card.setDefaultKey(.factory(.des)) }
      try await meter.step("delete the application") {
        try await card.deleteApplication(identifier)
      }
      try await meter.step("format") { try await card.formatPermanently() }
    }
  }
}
