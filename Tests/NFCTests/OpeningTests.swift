import SwiftNFCSeededRandom
import Foundation
import NFC
import Synchronization
import Testing

@testable import VirtualNFC

/// Opening what is no reader ends in an error within seconds.
@Suite struct OpeningTests {
  private func failure(_ connectionString: String) async throws -> NFCError {
    try await #require(throws: NFCError.self) {
      try await within(.seconds(12)) { try await Reader.open(connectionString) }
    }
  }

  @Test(arguments: [
    ("", NFCError.Code.readerNotFound), ("nonsense", .readerNotFound),
    ("pn532_uart", .readerNotFound), ("pn532_uart:", .readerNotFound),
    ("pn532_uart:/dev/does-not-exist", .readerNotFound), ("pn532_uart:/", .readerNotFound),
    ("pn532_uart:/dev/null", .readerNotFound), ("pn532_uart:/etc/hostname", .readerNotFound),
    // Without a whole address libnfc would open whatever USB device it comes across.
    ("acr122_usb", .readerNotFound), ("pn53x_usb:", .readerNotFound), ("usb", .readerNotFound),
    ("acr122_usb:001", .readerNotFound), ("pn53x_usb:001:", .readerNotFound),
    ("usb:001:004:1", .readerNotFound),
    (String(repeating: "x", count: 5000), .invalidParameter),
    ("pn532_uart:/dev/tty\u{0}USB0", .invalidParameter),
  ])
  func whatIsNotAReader(_ connectionString: String, _ code: NFCError.Code) async throws {
    #expect(try await failure(connectionString).code == code)
  }

  @Test func aUSBReaderThatIsNotThere() async throws {
    #expect(try await failure("acr122_usb:099:099").code == .readerNotFound)
  }

  /// libnfc opens a chip that answers its first command and not those by which libnfc knows what it is.
  @Test(arguments: 0..<4) func aChipThatDoesNotReportItsFirmware(_ command: Int) async throws {
    let virtual = try VirtualReader(VirtualField())
    defer { virtual.close() }
    virtual.setFaults((0..<3).map { Fault(.replyLost, at: .command(command + $0)) })
    do {
      let reader = try await Reader.open(virtual.connectionString)
      #expect(!reader.capabilities.technologies.isEmpty)
      await reader.close()
    } catch let error as NFCError {
      #expect(error.code == .readerUnavailable)
    }
    virtual.setFaults([])
    await (try await Reader.open(virtual.connectionString)).close()
  }

  /// libnfc's drivers for serial ports and buses open a chip that has not answered SetParameters, and take its
  /// parameters from memory that nobody has written. A search would send them to the chip.
  @Test(arguments: [Fault.Effect.replyBroken, .replyLost, .commandBroken])
  func aChipWithoutParametersIsOpenedOnceMore(_ effect: Fault.Effect) async throws {
    let commands = Mutex<[[UInt8]]>([])
    let virtual = try VirtualReader(VirtualField()) { event in
      if case .command(let command) = event { commands.withLock { $0.append(command) } }
    }
    defer { virtual.close() }
    func open() async throws -> [[UInt8]] {
      commands.withLock { $0 = [] }
      let reader = try await Reader.open(virtual.connectionString)
      let sent = commands.withLock { $0 }
      await reader.close()
      return sent
    }
    // The first opening also ends LowVbat mode.
    _ = try await open()
    let sent = try await open()
    let place = try #require(sent.firstIndex { $0.first == Self.setParameters })
    virtual.setFaults([Fault(effect, at: .command(place))])
    let again = try await open()
    #expect(again.count { $0.first == Self.getFirmwareVersion } == 2)
    let parameters = again.filter { $0.first == Self.setParameters }
    #expect(!parameters.isEmpty && parameters.allSatisfy { $0 == sent[place] })
  }

  private static let getFirmwareVersion: UInt8 = 0x02
  private static let setParameters: UInt8 = 0x12

  /// What stands at the other end of the line.
  enum Peer: String, CaseIterable, Sendable {
    case silent, noise, endlessNoise, endlessAcknowledge, endlessZeros, drops
  }

  @Test(arguments: Peer.allCases)
  func aPortWithoutAPN532(_ peer: Peer) async throws {
    let terminal = try PseudoTerminal()
    let isDone = Flag()
    let thread = try VirtualReaderThread {
      var generator = SplitMix64(seed: 7)
      while !isDone.isSet {
        guard case .bytes = terminal.wait(milliseconds: 20) else {
          if peer == .endlessNoise { terminal.send(generator.bytes(64)) }
          if peer == .endlessZeros { terminal.send([UInt8](repeating: 0, count: 64)) }
          if peer == .endlessAcknowledge { terminal.send(PN532Frame.acknowledge) }
          continue
        }
        switch peer {
        case .silent, .drops: break
        case .noise, .endlessNoise: terminal.send(generator.bytes(200))
        case .endlessAcknowledge: terminal.send(PN532Frame.acknowledge)
        case .endlessZeros: terminal.send([UInt8](repeating: 0, count: 300))
        }
        if peer == .drops { return }
      }
    }
    defer {
      isDone.set()
      terminal.wake()
      thread.join()
    }
    #expect(try await failure("pn532_uart:\(terminal.path)").code == .readerUnavailable)
  }

  @Test func aClosedPseudoTerminal() async throws {
    let virtual = try VirtualReader(VirtualField())
    // As long as this end is open, nobody else is given the number.
    let file = try #require(FileHandle(forUpdatingAtPath: virtual.path))
    virtual.close()
    #expect(try await failure(virtual.connectionString).code == .readerNotFound)
    try file.close()
  }

  @Test func aReaderThatIsInUseNamesItsHolder() async throws {
    let bench = try await Bench()
    let error = try await failure(bench.virtual.connectionString)
    #expect(error.code == .readerUnavailable)
    #expect(error.reason.contains("in use"))
    await bench.reader.close()
    let again = try await Reader.open(bench.virtual.connectionString)
    await again.close()
  }

  @Test func aFaultAtEveryCommandOfOpening() async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    virtual.setFaults([])
    let first = try await Reader.open(virtual.connectionString)
    await first.close()
    let commands = virtual.statistics.commands
    #expect(commands > 10)
    for effect in [Fault.Effect.replyBroken, .commandBroken] {
      for index in 0..<commands {
        virtual.setFaults([Fault(effect, at: .command(index))])
        // One broken frame does not keep a reader from being opened.
        let reader = try await within(.seconds(12)) {
          try await Reader.open(virtual.connectionString)
        }
        #expect(reader.capabilities.technologies.contains(.iso14443a), "\(effect) at \(index)")
        virtual.setFaults([])
        await reader.close()
      }
    }
  }

  /// Whatever is lost when a reader is closed, the carrier is switched off and the chip sleeps.
  @Test(arguments: [Fault.Effect.replyBroken, .replyLost, .commandBroken, .acknowledgeLost], 0..<3)
  func aFaultAtEveryCommandOfClosing(_ effect: Fault.Effect, _ index: Int) async throws {
    let commands = Mutex<[[UInt8]]>([])
    let virtual = try VirtualReader(VirtualField()) { event in
      if case .command(let command) = event { commands.withLock { $0.append(command) } }
    }
    defer { virtual.close() }
    let reader = try await Reader.open(virtual.connectionString)
    virtual.setFaults([Fault(effect, at: .command(index))])
    commands.withLock { $0 = [] }
    await reader.close()
    let sent = commands.withLock { $0 }
    #expect(sent.contains { $0.starts(with: [0x32, 0x01]) && $0.last == 0x00 }, "\(sent)")
    #expect(sent.contains { $0.first == 0x16 }, "\(sent)")
  }

  @Test func capabilitiesAreLibnfcs() async throws {
    let bench = try await Bench()
    let capabilities = bench.reader.capabilities
    #expect(
      capabilities.technologies == Set(TagTechnology.allCases).subtracting([.iso15693]))
    #expect(capabilities.bitRates[.feliCa] == [212, 424])
    #expect(capabilities.bitRates[.iso14443a]?.contains(106) == true)
    #expect(capabilities.maximumCommandLength == 262)
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }
}
