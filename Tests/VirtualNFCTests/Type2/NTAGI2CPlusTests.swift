import SwiftNFCCore
import Testing
import VirtualNFC

/// NTAG I²C plus: data sheet NT3H2111/NT3H2211, sections 8 and 10.
@Suite struct NTAGI2CPlusTests {
  /// A selected chip that answers commands without check bytes.
  private final class Bench {
    var chip: NTAGI2CPlus

    init(_ product: NTAGI2CPlus.Product, _ change: (inout [UInt8]) -> Void = { _ in }) {
      chip = NTAGI2CPlus(product)
      var memory = chip.memory
      change(&memory)
      chip.memory = memory
      chip.powerOn()
      select()
    }

    func select() {
      chip.powerOff()
      chip.powerOn()
      _ = chip.receive(.typeA(bare: [0x26], bitsInLastByte: 7))
      for (code, level) in [(UInt8(0x93), 0), (0x95, 1)] {
        let uid = chip.identifier
        let part = level == 0 ? [0x88] + uid.prefix(3) : Array(uid.suffix(4))
        _ = chip.receive(.typeA([code, 0x70] + part + [part.reduce(0, ^)]))
      }
    }

    /// Sends a command; `nil` for silence, four bits for ACK and NAK.
    func send(_ command: [UInt8]) -> [UInt8]? {
      guard let answer = chip.receive(.typeA(command)) else { return nil }
      return answer.bitsInLastByte == 4 ? answer.bytes : Array(answer.bytes.dropLast(2))
    }

    func isRefused(_ command: [UInt8]) -> Bool {
      let answer = send(command)
      select()
      return answer == [0x00] || answer == [0x04]
    }
  }

  private static let products = NTAGI2CPlus.Product.allCases

  @Test(arguments: products) func saysWhatItIs(_ product: NTAGI2CPlus.Product) {
    let bench = Bench(product)
    #expect(
      bench.send([0x60])
        == [0x00, 0x04, 0x04, 0x05, 0x02, 0x02, product == .nt3h2111 ? 0x13 : 0x15, 0x03])
    #expect(bench.send([0x3C, 0x00])?.count == 32)
    // The UID without check bytes, SAK, ATQA, lock bits; then the capability container and an empty
    // message.
    #expect(
      bench.send([0x30, 0x00])
        == bench.chip.identifier + [0x00, 0x44, 0x00, 0x00, 0x00, 0xE1, 0x10, 0x6D, 0x00])
    #expect(bench.send([0x30, 0x04])?.prefix(3) == [0x03, 0x00, 0xFE])
  }

  /// Pages E3 to ED: password settings, configuration, a gap, session registers.
  @Test func memoryMap() {
    let bench = Bench(.nt3h2111)
    #expect(bench.send([0x3A, 0xE3, 0xE7])?.count == 20)
    #expect(
      bench.send([0x3A, 0xE3, 0xE7])
        == [0x00, 0x00, 0x00, 0xFF] + [UInt8](repeating: 0, count: 16))
    #expect(
      bench.send([0x30, 0xE8]) == [1, 0, 0xF8, 0x48, 8, 1, 0, 0] + [UInt8](repeating: 0, count: 8))
    #expect(bench.send([0x30, 0xEC])?.prefix(8) == [1, 0, 0xF8, 0x48, 8, 1, 0x21, 0])
    for page in [UInt8(0xEA), 0xEB, 0xEE, 0xF0, 0xFF] {
      #expect(bench.isRefused([0x30, page]))
      #expect(bench.isRefused([0xA2, page, 1, 2, 3, 4]))
    }
    // Sector 3 contains the session registers too, and a 1K has no sector 1.
    #expect(bench.send([0xC2, 0xFF]) == [0x0A])
    #expect(bench.send([0x03, 0, 0, 0]) == nil)
    #expect(bench.send([0x30, 0xF8])?.prefix(8) == [1, 0, 0xF8, 0x48, 8, 1, 0x21, 0])
    bench.select()
    _ = bench.send([0xC2, 0xFF])
    #expect(bench.isRefused([0x01, 0, 0, 0]))
    // SRAM is accessible only with power from the I²C side.
    #expect(bench.isRefused([0xA6, 0xF0, 0xFF] + [UInt8](repeating: 0, count: 64)))
  }

  @Test func sectorOne() {
    var bench = Bench(.nt3h2211)
    func selectSector(_ bench: Bench) -> [UInt8]? {
      _ = bench.send([0xC2, 0xFF])
      return bench.send([0x01, 0, 0, 0])
    }
    #expect(selectSector(bench) == nil)
    #expect(bench.send([0xA2, 0xFF, 1, 2, 3, 4]) == [0x0A])
    #expect(bench.send([0x3A, 0xFE, 0xFF]) == [0, 0, 0, 0, 1, 2, 3, 4])
    #expect(Array(bench.chip.memory.suffix(4)) == [1, 2, 3, 4])
    // NFC_DIS_SEC1 hides it.
    bench = Bench(.nt3h2211) { $0[0xE4 * 4] = 0x20 }
    #expect(selectSector(bench) == [0x00])
    // 2K_PROT requires the password for writing, and with NFC_PROT also for reading.
    for (access, isReadable) in [(UInt8(0x00), true), (0x80, false)] {
      bench = Bench(.nt3h2211) {
        $0[0xE4 * 4] = access
        $0[0xE7 * 4] = 0x08
      }
      _ = selectSector(bench)
      let answer = bench.send([0x30, 0x10])
      #expect((answer?.count == 16) == isReadable)
      bench.select()
      _ = selectSector(bench)
      #expect(bench.send([0xA2, 0x10, 1, 2, 3, 4]) == [0x00])
      bench.select()
      #expect(bench.send([0x1B, 0xFF, 0xFF, 0xFF, 0xFF]) == [0x00, 0x00])
      _ = selectSector(bench)
      #expect(bench.send([0xA2, 0x10, 1, 2, 3, 4]) == [0x0A])
    }
  }

  /// AUTH0 to EB, for writing or for both; lock bits and session registers remain accessible.
  @Test(arguments: [false, true]) func password(protectsReading: Bool) {
    let bench = Bench(.nt3h2111) {
      $0[0xE3 * 4 + 3] = 0x10
      $0[0xE4 * 4] = protectsReading ? 0x82 : 0x02
      $0.replaceSubrange(0xE5 * 4..<0xE6 * 4 + 2, with: [0x12, 0x34, 0x56, 0x78, 0xAB, 0xCD])
    }
    #expect(bench.send([0xA2, 0x0F, 1, 2, 3, 4]) == [0x0A])
    // Protected pages after an open page are zero.
    #expect(bench.send([0x30, 0x0F])?.prefix(4) == [1, 2, 3, 4])
    #expect(bench.isRefused([0xA2, 0x10, 1, 2, 3, 4]))
    #expect(bench.isRefused([0x30, 0x10]) == protectsReading)
    #expect(bench.isRefused([0x3A, 0x0F, 0x10]) == protectsReading)
    #expect(bench.send([0x30, 0xE2])?.count == 16)
    #expect(bench.send([0x30, 0xEC])?.count == 16)
    #expect(bench.send([0x1B, 0x12, 0x34, 0x56, 0x78]) == [0xAB, 0xCD])
    #expect(bench.send([0xA2, 0x10, 1, 2, 3, 4]) == [0x0A])
    #expect(bench.send([0x30, 0xE5])?.prefix(8) == [0, 0, 0, 0, 0, 0, 0, 0])
    // AUTHLIM 2: four wrong passwords.
    bench.select()
    for _ in 0..<4 { #expect(bench.isRefused([0x1B, 0, 0, 0, 0])) }
    #expect(bench.isRefused([0x1B, 0x12, 0x34, 0x56, 0x78]))
  }

  /// Through the library: the chip is recognized, protected pages are named, written and read.
  @Test func messages() throws {
    let message = [UInt8](repeating: 0x41, count: 868)
    let tag = try VirtualTag.ntagI2CPlus1K(ndef: message)
    #expect(tag.memory.count == 936)
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 868)) {
      _ = try VirtualTag.ntagI2CPlus2K(ndef: message + [0x41])
    }
    #expect(VirtualTag.ntagI2CPlus2K().memory.count == 2048)
  }
}
