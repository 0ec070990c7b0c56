import NFC
import Testing
import VirtualNFC

extension LibNFCTests {
  /// Waiting for one tag, and what may be asked of it then.
  @Suite struct FirstTagTests {
    private let field = VirtualField()
    private let virtual: VirtualReader
    private let reader: Reader

    init() async throws {
      virtual = try VirtualReader(field)
      reader = try await Reader.open(virtual.connectionString)
    }

    /// The commands that the chip is given for `body`.
    private func commands(_ body: () async throws -> Void) async throws -> Int {
      virtual.setFaults([])
      try await body()
      return virtual.statistics.commands
    }

    @Test func onlyWhatIsRequestedIsPolledAndTheFirstTagIsConnected() async throws {
      field.place(.ntag216())
      let cost = try await commands {
        let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(5))
        guard case .miFare(let tag) = tag else {
          Issue.record("not a MIFARE tag")
          return
        }
        #expect(try await tag.sendMiFareCommand([0x30, 0x03]).count == 16)
      }
      // One search and one READ; what sets up the chip for each goes with it.
      #expect(cost <= 5)
    }

    @Test func noTagComes() async throws {
      let error = await #expect(throws: NFCError.self) {
        _ = try await reader.firstTag(polling: .iso14443a, within: .milliseconds(300))
      }
      #expect(error?.code == .noTag)
      let once = await #expect(throws: NFCError.self) {
        _ = try await reader.firstTag(within: .zero)
      }
      #expect(once?.code == .noTag)
    }

    @Test func aTagThatComesLater() async throws {
      let tag = VirtualTag.suica()
      let wait = Task { try await reader.firstTag(polling: .iso18092, within: .seconds(10)) }
      try await Task.sleep(for: .milliseconds(250))
      field.place(tag)
      #expect(try await wait.value.identifier == tag.identifier)
    }

    @Test func aTagThatDoesNotFitIsPassedOver() async throws {
      let first = VirtualTag.ntag213(uid: [4, 1, 2, 3, 4, 5, 6])
      let second = VirtualTag.ntag213(uid: [4, 9, 2, 3, 4, 5, 6])
      field.place(first)
      field.place(second)
      for wanted in [first, second] {
        let tag = try await reader.firstTag(within: .seconds(5)) {
          $0.identifier == wanted.identifier
        }
        #expect(tag.identifier == wanted.identifier)
        guard case .miFare(let tag) = tag else { continue }
        let header = try await tag.sendMiFareCommand([0x30, 0x00])
        #expect(Array(header[0..<3] + header[4..<8]) == wanted.identifier)
      }
      let error = await #expect(throws: NFCError.self) {
        _ = try await reader.firstTag(within: .zero) { _ in false }
      }
      #expect(error?.code == .wrongTag)
    }

    @Test func aTechnologyThatTheReaderHasNot() async throws {
      let error = await #expect(throws: NFCError.self) {
        _ = try await reader.firstTag(polling: .iso15693)
      }
      #expect(error?.code == .unsupported)
    }

    @Test func aCancelledWaitEnds() async throws {
      let wait = Task { try await reader.firstTag() }
      try await Task.sleep(for: .milliseconds(100))
      wait.cancel()
      await #expect(throws: CancellationError.self) { _ = try await wait.value }
    }

    @Test(arguments: [VirtualTag.ntag213(), .suica(), .type4(), .classic1K()])
    func otherTagsAreFoundAndTheFirstStaysConnected(_ tag: VirtualTag) async throws {
      field.place(tag)
      let found = try await reader.firstTag(within: .seconds(5))
      #expect(try await reader.otherTags(like: found).isEmpty)
      field.place(.ntag215(uid: [4, 7, 7, 7, 7, 7, 7]))
      let others = try await reader.otherTags(like: found)
      let isTypeA = found.technology == .iso14443a
      #expect(others.map(\.identifier) == (isTypeA ? [[4, 7, 7, 7, 7, 7, 7]] : []))
      #expect(try await found.isPresent())
    }

    /// The card is restarted for the second search, and then has another PUPI (ISO/IEC 14443-3, 7.9.2).
    @Test(arguments: [[], .choosesPUPI] as [ISO7816Card.Quirks])
    func aTypeBCardIsStillConnectedAfterTheSearchForOthers(
      _ quirks: ISO7816Card.Quirks
    ) async throws {
      field.place(.type4B(quirks: quirks))
      let found = try await reader.firstTag(polling: .iso14443b, within: .seconds(5))
      virtual.setFaults([])
      let others = try await reader.otherTags(like: found)
      let cost = virtual.statistics.commands
      #expect(others.isEmpty)
      // InDeselect, two attempts from now on, and a search that finds nothing; the carrier off and on, and a search that
      // finds the card.
      #expect(cost == 6)
      #expect(try await found.isPresent())
      let message = NDEFMessage(.uri("https://swift.org"))
      let ndef = try #require(found.ndef)
      try await ndef.writeNDEF(message)
      #expect(try await ndef.readNDEF() == message)
    }

    @Test(arguments: [
      VirtualTag.ntag213(), .suica(), .type4(), .type4B(), .classic1K(), .topaz96(),
    ])
    func aTagThatIsTakenAwayIsNoLongerPresent(_ tag: VirtualTag) async throws {
      field.place(tag)
      let found = try await reader.firstTag(within: .seconds(5))
      for _ in 0..<3 { #expect(try await found.isPresent()) }
      field.remove(tag)
      #expect(try await !found.isPresent())
      #expect(try await !found.isPresent())
      #expect(await !found.tag.isAvailable)
      let error = await #expect(throws: NFCError.self) {
        try await found.exclusively { try $0.wake() }
      }
      #expect(error?.code == .tagConnectionLost)
    }

    @Test func aPresenceCheckLosesNoSelectedApplication() async throws {
      field.place(.type4())
      guard case .iso7816(let card) = try await reader.firstTag(within: .seconds(5)) else {
        Issue.record("not an ISO 7816 card")
        return
      }
      #expect(try await card.sendCommand(.select(aid: "D2760000850101")).isSuccess)
      #expect(try await card.isPresent())
      let file = APDU(
        instructionClass: 0, instructionCode: 0xA4, p1: 0, p2: 0x0C, data: [0xE1, 0x03])
      #expect(try await card.sendCommand(file).isSuccess)
    }

    @Test func commandsInAnExclusiveScopeAreNotSeparated() async throws {
      field.place(.ntag213())
      let tag = try await reader.firstTag(within: .seconds(5))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for page in UInt8(4)..<8 {
          group.addTask {
            for round in UInt8(0)..<10 {
              try await tag.exclusively { link in
                _ = try link.transceive([0xA2, 10, page, round, 0, 0])
                #expect(Array(try link.transceive([0x30, 10]).prefix(2)) == [page, round])
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }

    @Test func anExclusiveScopeCanContinueAfterARefusal() async throws {
      field.place(.ntag213())
      let tag = try await reader.firstTag(within: .seconds(5))
      let bytes = try await tag.exclusively { link in
        #expect(throws: NFCError.self) { try link.transceive([0x30, 0xF0]) }
        try link.wake()
        return try link.transceive([0x30, 0x03], timeout: .milliseconds(50))
      }
      #expect(bytes.count == 16)
    }
  }
}
