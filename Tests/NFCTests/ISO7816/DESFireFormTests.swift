import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// A DESFire keeps to the form of the first command after its activation, and GetVersion in an APDU recognizes it.
@Suite(.replayed) struct DESFireFormTests {
  private static let message = NDEFMessage(.uri("https://swift.org"))

  private static func card(_ reader: Reader) async throws -> any MiFareTag {
    let tag = try await reader.firstTag(within: .seconds(10))
    try await tag.connect()
    guard case .miFare(let card) = tag else { throw NFCError(.wrongTag, "no DESFire") }
    return card
  }

  private static func check(_ card: any MiFareTag) async throws {
    #expect(card.family == .desfire)
    // GetVersion, with the native answer.
    #expect(
      try await card.sendMiFareCommand([0x60]) == [0xAF, 0x04, 0x01, 0x01, 0x01, 0x00, 0x18, 0x05])
    #expect(try await card.sendMiFareCommand([0xAF]).first == 0xAF)
    // NDEF's APDUs, and an APDU in place of a native command.
    #expect(try await card.readNDEF() == message)
    #expect(
      try await card.sendMiFareCommand([0x90, 0x6E, 0x00, 0x00, 0x00]).suffix(2) == [0x91, 0x00])
    #expect(try await card.sendMiFareCommand([0x5A, 0x00, 0x00, 0x00]) == [0x00])
    #expect(try await card.sendMiFareCommand([0x5A, 0x77, 0x00, 0x00]) == [0xA0])
    // Bytes that are neither.
    await #expect(throws: NFCError.self) { try await card.sendMiFareCommand([]) }
    await #expect(throws: NFCError.self) {
      try await card.sendMiFareCommand([0x90] + [UInt8](repeating: 0x3D, count: 300))
    }
    // A command that the card refuses at its first frame.
    #expect(try await card.sendMiFareCommand([UInt8](repeating: 0x3D, count: 300)) != [0x00])
  }

  /// What follows after the first frame of a native command is sent with AF.
  @Test(arguments: [DESFireModel.ev1, .ev3], [7 + 47, 7 + 48, 7 + 100, 7 + 300])
  func longCommands(_ model: DESFireModel, _ length: Int) async throws {
    ReplayedReaders.begin()
    let field = VirtualField()
    field.place(VirtualTag(DESFire(model, formatted: false)))
    let virtual = VirtualPCSCReader(field)
    let sent = Mutex<[[UInt8]]>([])
    let reader = try await Reader.open(over: {
      InterposedService(
        virtual.service(),
        answer: { command, pass throws(SmartCardFailure) in
          sent.withLock { $0.append(command) }
          return try pass(command)
        })
    })
    let card = try await Self.card(reader)
    // An application with one DES key, and a file that everyone may write.
    #expect(try await card.sendMiFareCommand([0xCA, 1, 0, 0, 0x0F, 0x01]) == [0x00])
    #expect(try await card.sendMiFareCommand([0x5A, 1, 0, 0]) == [0x00])
    #expect(
      try await card.sendMiFareCommand([0xCD, 1, 0x00, 0xEE, 0xEE, 0x00, 0x02, 0x00]) == [0x00])
    let data = (0..<length - 7).map { UInt8(truncatingIfNeeded: $0) }
    let size = [UInt8(truncatingIfNeeded: data.count), UInt8(data.count >> 8), 0]
    sent.withLock { $0 = [] }
    #expect(try await card.sendMiFareCommand([0x3D, 1, 0, 0, 0] + size + data) == [0x00])
    let frames = sent.withLock { $0 }
    #expect(frames.count == (length + 53) / 54)
    #expect(frames.allSatisfy { $0.count <= 54 + 6 })
    #expect(frames.dropFirst().allSatisfy { $0[1] == 0xAF })
    var answer = try await card.sendMiFareCommand([0xBD, 1, 0, 0, 0] + size)
    var content = Array(answer.dropFirst())
    while answer.first == 0xAF {
      answer = try await card.sendMiFareCommand([0xAF])
      content += answer.dropFirst()
    }
    #expect(answer.first == 0x00)
    #expect(content == data)

    // The card leaves between two frames.
    virtual.setFaults([.init(.tagLeaves, at: 1)])
    let long = [0x3D, 1, 0, 0, 0, 200, 0, 0] + [UInt8](repeating: 7, count: 200)
    let error = await #expect(throws: NFCError.self) { try await card.sendMiFareCommand(long) }
    #expect(error?.code == .tagConnectionLost)
    await reader.close()
  }

  @Test func overLibNFC() async throws {
    ReplayedReaders.begin()
    let field = VirtualField()
    field.place(try .desfire(ndef: Self.message))
    let virtual = try VirtualReader(field)
    let reader = try await Reader.open(virtual.connectionString)
    try await Self.check(Self.card(reader))
    await reader.close()
    virtual.close()
  }

  @Test func overPCSC() async throws {
    ReplayedReaders.begin()
    let field = VirtualField()
    field.place(try .desfire(ndef: Self.message))
    let virtual = VirtualPCSCReader(field)
    let reader = try await Reader.open(over: { virtual.service() })
    try await Self.check(Self.card(reader))
    await reader.close()
  }
}
