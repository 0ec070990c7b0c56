import NFC
import SecureTags
import Testing
import VirtualNFC

extension Interop {
  /// DESFire EV1: the exchanges and bytes of libfreefare's functions, and of the commands here.
  @Suite struct LibfreefareDESFireCountTests {
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
        step('change key settings', lambda: check('mifare_desfire_change_key_settings', tag, c_uint8(0x0B)))
        uid = c_void_p()
        step('the UID', lambda: check('mifare_desfire_get_card_uid', tag, byref(uid)))
        step('change the own key', lambda: check('mifare_desfire_change_key', tag, c_uint8(0), new, none))
        def again():
            check('mifare_desfire_select_application', tag, app)
            check('\(authenticate)', tag, c_uint8(0), new)
        step('open it again', again)
        step('back to the card', root)
        size = c_uint32()
        step('free memory', lambda: check('mifare_desfire_free_mem', tag, byref(size)))
        aids = c_void_p()
        step('list applications', lambda: check('mifare_desfire_get_application_ids', tag, byref(aids), byref(count)))
        """
    }

    private static func endingScript(_ card: DESFireAuthentication) -> String {
      let open =
        card == .iso ? "mifare_desfire_authenticate_iso" : "mifare_desfire_authenticate"
      return """
        none = c_void_p()
        des = key('des', bytes(8))
        new = key('3des', bytes(range(2, 34, 2)))
        app = aid(0x123456)
        def root():
            check('mifare_desfire_select_application', tag, none)
            check('\(open)', tag, c_uint8(0), des)
        root()
        step('default key', lambda: check('mifare_desfire_set_default_key', tag, new))
        check('mifare_desfire_create_application', tag, app, c_uint8(0x0F), c_uint8(1))
        check('mifare_desfire_create_application', tag, aid(0x654321), c_uint8(0x0F), c_uint8(1))
        check('mifare_desfire_select_application', tag, app)
        check('\(open)', tag, c_uint8(0), new)
        check('mifare_desfire_create_std_data_file', tag, c_uint8(0), c_uint8(3), c_uint16(0x0000), c_uint32(300))
        step('delete a file', lambda: check('mifare_desfire_delete_file', tag, c_uint8(0)))
        root()
        step('delete the application', lambda: check('mifare_desfire_delete_application', tag, app))
        aids = c_void_p(); count = c_size_t()
        check('mifare_desfire_get_application_ids', tag, byref(aids), byref(count))
        assert count.value == 1, count.value
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
      let theirs = try await LibfreefareCount.theirs(
        "desfire", .desfire(formatted: false),
        Self.desfireScript(cipher))
      let ours = try await LibfreefareCount.ours(.desfire(formatted: false)) { tag, meter in
        try await Self.desfireSteps(DetectedTag.miFare(tag), cipher, meter)
      }
      LibfreefareCount.compare(ours, theirs)
    }

    /// What deletes: files, applications, and everything. The default key is that of the applications created
    /// after it was set.
    @Test(arguments: [DESFireAuthentication.legacy, .iso])
    func desfireDeletes(_ method: DESFireAuthentication) async throws {
      let theirs = try await LibfreefareCount.theirs(
        "desfire", .desfire(formatted: false), Self.endingScript(method))
      let ours = try await LibfreefareCount.ours(.desfire(formatted: false)) { tag, meter in
        let card = try await DESFireCard(DetectedTag.miFare(tag))
        let new = try DESFireKey(.des, bytes: (1...16).map { UInt8($0 * 2) })
        let identifier = try #require(DESFireApplicationIdentifier(0x12_3456))
        let other = try #require(DESFireApplicationIdentifier(0x65_4321))
        let application = card.application(identifier)
        try await card.root.authenticate(0, .factory(.des), by: method)
        try await meter.step("default key") { try await card.setDefaultKey(new) }
        for number in [identifier, other] {
          try await card.createApplication(
            DESFireApplicationDescription(number, keyCount: 1, kind: .des))
        }
        try await application.authenticate(0, new, by: method)
        try await application.createFile(
          0,
          DESFireFileSettings(
            communication: .encrypted,
            rights: DESFireAccessRights(
              read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0)),
            content: .standardData(size: 300)))
        try await meter.step("delete a file") { try await application.deleteFile(0) }
        #expect(try await application.files() == [])
        try await card.root.authenticate(0, .factory(.des), by: method)
        try await meter.step("delete the application") {
          try await card.deleteApplication(identifier)
        }
        #expect(try await card.applications() == [other])
        try await meter.step("format") { try await card.formatPermanently() }
        #expect(try await card.applications() == [])
      }
      LibfreefareCount.compare(ours, theirs)
    }

    /// Names of ISO/IEC 7816-4, and the configuration that shows a random UID.
    @Test func desfireNames() async throws {
      let theirs = try await LibfreefareCount.theirs(
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
      let ours = try await LibfreefareCount.ours(.desfire(formatted: false)) { tag, meter in
        let card = try await DESFireCard(DetectedTag.miFare(tag))
        try await card.root.authenticate(0, .factory(.des))
        let application = card.application(try #require(DESFireApplicationIdentifier(0x12_3456)))
        try await meter.step("create a named application") {
          try await card.createApplication(
            DESFireApplicationDescription(
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
          try await card.perform(
            try card.configurationPlan([.showsRandomUID]), accepting: [.showsRandomUID])
        }
        try await meter.step("the UID") {
          let uid = try await card.cardUID()
          #expect(uid == DESFireModel.ev1.defaultUID)
        }
      }
      LibfreefareCount.compare(ours, theirs)
    }

    private static func desfireSteps(
      _ tag: DetectedTag, _ cipher: Cipher, _ meter: LibfreefareCount.Meter
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
      try await meter.step("version") { () async throws in
        #expect(try await card.version().uid == DESFireModel.ev1.defaultUID)
      }
      try await meter.step("open the card") {
        try await card.root.authenticate(0, .factory(.des), by: cipher.card)
      }
      try await meter.step("create an application") {
        try await card.createApplication(
          DESFireApplicationDescription(identifier, keyCount: 3, kind: cipher.kind))
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
                lowerLimit: 0, upperLimit: 1000, initialValue: 5, allowsLimitedCredit: true))))
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
      try await meter.step("settings") { () async throws in
        #expect(try await application.fileSettings(3).rights.change == .key(1))
      }
      try await meter.step("write") { try await application.writeData(file: 0, data) }
      try await meter.step("read") { () async throws in
        #expect(try await application.readData(file: 0, offset: 0, count: 196) == data)
      }
      try await meter.step("write a little") {
        try await application.writeData(file: 0, offset: 5, Array("abc".utf8))
      }
      try await meter.step("read a little") {
        let little = try await application.readData(file: 0, offset: 5, count: 3)
        #expect(little == Array("abc".utf8))
      }
      try await meter.step("credit") { try await application.changeValue(file: 1, .credit(10)) }
      try await meter.step("commit") { try await application.commit() }
      try await meter.step("value") { () async throws in
        #expect(try await application.value(file: 1) == 15)
      }
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
        let backup = try await application.readData(file: 3, offset: 0, count: 36)
        #expect(backup == Array(data.prefix(36)))
      }
      try await meter.step("write a list") {
        try await application.writeRecord(file: 4, Array(data.prefix(8)))
      }
      try await meter.step("commit a list") { try await application.commit() }
      try await meter.step("read a list") { () async throws in
        #expect(try await application.readRecords(file: 4, count: 1) == [Array(data.prefix(8))])
      }
      try await meter.step("write a record") {
        try await application.writeRecord(file: 2, Array(data.prefix(20)))
      }
      try await meter.step("commit it") { try await application.commit() }
      try await meter.step("read a record") { () async throws in
        #expect(try await application.readRecords(file: 2, count: 1) == [Array(data.prefix(20))])
      }
      try await meter.step("clear records") { try await application.clearRecords(file: 2) }
      try await meter.step("commit the clearing") { try await application.commit() }
      try await meter.step("list files") { () async throws in
        #expect(try await application.files().sorted() == [0, 1, 2, 3, 4])
      }
      try await meter.step("key version") { () async throws in
        #expect(try await application.keyVersion(1) == 0)
      }
      try await meter.step("change a key") {
        try await application.changeKey(1, from: factory, to: new)
      }
      try await meter.step("key settings") { () async throws in
        #expect(try await application.keySummary().keyCount == 3)
      }
      try await meter.step("change key settings") {
        try await application.changeKeySettings(DESFireKeySettings(createsFreely: false))
      }
      try await meter.step("the UID") { () async throws in
        #expect(try await card.cardUID() == DESFireModel.ev1.defaultUID)
      }
      try await meter.step("change the own key") { try await application.changeKey(0, to: new) }
      try await meter.step("open it again") {
        try await application.authenticate(0, new, by: cipher.method)
      }
      try await meter.step("back to the card") {
        try await card.root.authenticate(0, .factory(.des), by: cipher.card)
      }
      try await meter.step("free memory") { () async throws in
        #expect(try await card.freeMemory() > 0)
      }
      try await meter.step("list applications") { () async throws in
        #expect(try await card.applications() == [identifier])
      }
    }
  }
}
