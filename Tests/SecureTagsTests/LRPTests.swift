import SwiftNFCCore
import SUNMessage
import Testing
import VirtualNFC

@testable import SecureTags

/// LRP between reader and chip: NXP AN12343 (MIFARE DESFire Light features and hints), 7.2.
@Suite struct LRPTests {
  private static let zeroKey = [UInt8](repeating: 0, count: 16)

  /// Tables 19 and 20. The text of the table says key 3, its bytes say key 0.
  private static let authentication = """
    7100 9D
    710006020000000000 AF0156109A31977C855319CD4618C9D2AED2
    AF74D7DF6A2CEC0B72B412DE0D2B1117E6189B59DCEDC31A3D3F38EF8D4810B3B4 \
    00F4FC209D9D60623588B299FA5D6B2D710125F8547D9FB8D572C90D2C2A14E235
    """

  private static func exchanges(_ changed: (String) -> String = { $0 }) -> String {
    changed(authentication.replacingOccurrences(of: "7100 9D", with: "710000 9D"))
  }

  @Test func publishedAuthentication() throws {
    let card = try RecordedCard(
      Self.exchanges(), challenges: ["74D7DF6A2CEC0B72B412DE0D2B1117E6"])
    var procedure = card.procedure(.fixed)
    try procedure.authenticateAsConfigured(0, .factory(.aes))
    let messaging = try #require(procedure.state.session?.messaging as? LRPMessaging)
    #expect(try messaging.transactionIdentifier == hex("58EE9424"))
    #expect(messaging.blockCounter == 1 && messaging.commandCounter == 0)
    #expect(procedure.state.usesLRP)
    #expect(card.deviations == [] && card.remaining == 0)
    // The mode is known from now on.
    let again = try RecordedCard(
      "710106020000000000 AE", challenges: [])
    var next = again.procedure(.fixed)
    next.state.usesLRP = true
    #expect(throws: NFCError.self) { try next.authenticateAsConfigured(1, .factory(.aes)) }
    #expect(again.deviations == [] && again.remaining == 0)
  }

  /// A card with a wrong proof is refused.
  @Test(arguments: [
    // The MAC is wrong.
    ("0125F8547D9F", "0125F8547D9E"),
    // The data covered by the MAC is wrong.
    ("00F4FC209D", "00F4FC209C"),
    // The mode and the lengths are wrong.
    ("AF0156109A", "AF0256109A"), ("C9D2AED2\n", "C9D2AED2D2\n"), ("2A14E235", "2A14E2"),
  ])
  func cardsThatAreCopies(_ there: String, _ changed: String) throws {
    let card = try RecordedCard(
      Self.exchanges { $0.replacingOccurrences(of: there, with: changed) },
      challenges: ["74D7DF6A2CEC0B72B412DE0D2B1117E6"])
    var procedure = card.procedure(.fixed)
    let error = #expect(throws: NFCError.self) {
      try procedure.authenticateAsConfigured(0, .factory(.aes))
    }
    #expect([.authenticationFailed, .tagResponseError].contains(error?.code))
    #expect(card.deviations == [] && procedure.state.session == nil)
  }

  /// Table 18: the switch to LRP.
  @Test func publishedSwitch() throws {
    let card = try RecordedCard(
      "5C0541B2BA963075730426D0858D2AA6C4982F579E77FAB49F83 00", challenges: [])
    var procedure = card.procedure(.fixed)
    #expect(throws: NFCError.self) { try procedure.switchToLRP() }
    let messaging = try EV2Messaging(
      encryptionKey: SecretKey(hex("66A8CB93269DC9BC2885B7A91B9C697B")),
      codeKey: SecretKey(hex("7DE5F7E244A46D22E536804D07E8D70E")),
      transactionIdentifier: hex("ED56F6E6"))
    procedure.state.session = DESFireSession(keyNumber: 0, messaging: messaging)
    try procedure.switchToLRP()
    #expect(procedure.state.session == nil && procedure.state.usesLRP)
    #expect(card.deviations == [] && card.remaining == 0)
  }

  // MARK: DESFire Light

  private static func light() throws -> (VirtualCard, DESFireProcedure) {
    let card = VirtualCard(DESFire(.light, formatted: false))
    return (card, card.procedure(.fixed))
  }

  /// Every command of a chip that was switched, and faults at each exchange.
  @Test func everyCommand() throws {
    var (card, procedure) = try Self.light()
    func select() throws {
      _ = card.select([
        0xA0, 0x00, 0x00, 0x03, 0x96, 0x56, 0x43, 0x41, 0x03, 0xF0, 0x15, 0x40, 0x00, 0x00, 0x00,
        0x0B,
      ])
    }
    try select()
    try procedure.authenticateAsConfigured(0, .factory(.aes))
    try procedure.switchToLRP()
    try procedure.authenticateAsConfigured(0, .factory(.aes))
    #expect(procedure.state.session?.messaging is LRPMessaging)
    let error = #expect(throws: NFCError.self) {
      try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    }
    #expect(error?.cause == .desfireStatus(0x9D))
    try procedure.authenticateAsConfigured(0, .factory(.aes))
    #expect(try procedure.cardUID() == DESFireModel.light.defaultUID)
    #expect(try procedure.files() == [0x0F, 0x1F, 0x03, 0x00, 0x01, 0x04])
    let key = try DESFireKey(.aes, bytes: [UInt8](repeating: 7, count: 16), version: 3)
    try procedure.changeKey(3, from: .factory(.aes), to: key, isCard: false)
    #expect(try procedure.keyVersion(3) == 3)
    try procedure.authenticate(3, key, by: .lrpNonFirst)
    let data = (0..<200).map { UInt8($0) }
    try procedure.writeData(4, offset: 20, data)
    #expect(try procedure.readData(4, offset: 20, count: 200) == data)
    for fault in VirtualCard.Fault.allCases where !fault.losesTag {
      var (spare, reading) = (card, procedure)
      spare.setFault((1, fault))
      let read = try? reading.readData(4, offset: 20, count: 40)
      #expect(read == nil || read == Array(data.prefix(40)), "\(fault)")
      spare.setFault()
      try select()
      spare = card
      try procedure.authenticateAsConfigured(3, key)
    }
    let wrong = #expect(throws: NFCError.self) {
      try procedure.authenticateAsConfigured(3, .factory(.aes))
    }
    #expect(wrong?.code == .authenticationFailed)
    #expect(throws: NFCError.self) {
      try procedure.authenticate(3, key, by: .lrpNonFirst)
    }
  }

  /// The keys of a transaction's code are derived by LRP, too.
  @Test func signedTransaction() throws {
    let (card, _) = try Self.light()
    var procedure = card.procedure(.fixed)
    _ = card.select([
      0xA0, 0x00, 0x00, 0x03, 0x96, 0x56, 0x43, 0x41, 0x03, 0xF0, 0x15, 0x40, 0x00, 0x00, 0x00,
      0x0B,
    ])
    try procedure.authenticateAsConfigured(0, .factory(.aes))
    try procedure.switchToLRP()
    let uid = DESFireModel.light.defaultUID
    for _ in 0..<2 {
      try procedure.authenticateAsConfigured(3, .factory(.aes))
      try procedure.beginSigning()
      try procedure.changeValue(3, .credit(5))
      try procedure.authenticate(1, .factory(.aes), by: .lrpNonFirst)
      let receipt = try procedure.commitSigned(reader: [UInt8](repeating: 0x5C, count: 16))
      #expect(try receipt.isValid(key: .factory(.aes), uid: uid))
      #expect(try !receipt.isValid(key: .factory(.aes), uid: uid.dropLast() + [0xFF]))
      let error = #expect(throws: NFCError.self) {
        try receipt.previousReader(key: .factory(.aes), uid: uid)
      }
      #expect(error?.code == .unsupported)
      let forged = DESFireTransactionReceipt(
        mac: receipt.mac, input: receipt.input.dropLast() + [0x77], encryptedPreviousReader: nil)
      #expect(try !forged.isValid(key: .factory(.aes), uid: uid))
    }
    #expect(try procedure.value(3) == 10)
  }

  @Test func othersAreAES() throws {
    let (card, _) = try Self.light()
    var procedure = card.procedure(.fixed)
    _ = card.select([
      0xA0, 0x00, 0x00, 0x03, 0x96, 0x56, 0x43, 0x41, 0x03, 0xF0, 0x15, 0x40, 0x00, 0x00, 0x00,
      0x0B,
    ])
    let error = #expect(throws: NFCError.self) {
      try procedure.authenticate(0, .factory(.aes), by: .lrpFirst)
    }
    #expect(error?.code == .unsupported && !procedure.state.usesLRP)
    #expect(throws: NFCError.self) { try procedure.authenticate(0, .factory(.des), by: .lrpFirst) }
  }
}
