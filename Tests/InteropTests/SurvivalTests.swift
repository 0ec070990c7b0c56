import NFC
import SwiftNFCCore
import Foundation
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// Programs that follow one another on one reader, and programs that die.
  @Suite struct SurvivalTests {
    private static let identifier = "04  e1  0c  da  99  3c  80"

    @Test func programsFollowOneAnother() async throws {
      let bench = try InteropBench(.ntag213())
      let script = "print(find('106A').identifier.hex())"
      for _ in 0..<3 {
        let list = try await bench.run("nfc-list")
        list.expectSuccess()
        list.expectOutput(Self.identifier)
        #expect(!bench.field.isPowered)
        // It works at 921600 bit/s and goes back to 115200 when it closes.
        #expect(try await bench.python(script).output == "04e10cda993c80\n")
      }
    }

    /// InListPassiveTarget is the command that looks for a tag.
    private static let listPassiveTarget: UInt8 = 0x4A

    /// Dies while a command of its runs, at several places; the next program opens the reader the
    /// first time and finds the tag.
    @Test(arguments: [1, 2, 3, 5]) func killedInsideACommand(_ command: Int) async throws {
      let killer = Killer(at: command) {
        if case .command(let bytes) = $0 { bytes.first == Self.listPassiveTarget } else { false }
      }
      let bench = try InteropBench(.ntag213()) { killer.see($0) }
      let program = try bench.start("nfc-list")
      killer.aim(at: program)
      #expect(await program.result().status == 128 + SIGKILL)
      let next = try await bench.run("nfc-list")
      next.expectSuccess()
      next.expectOutput(Self.identifier)
    }

    /// Dies while the chip waits for a tag that is not there.
    @Test func killedWhilePolling() async throws {
      let killer = Killer {
        if case .sent = $0 { true } else { false }
      }
      let bench = try InteropBench { killer.see($0) }
      let program = try bench.start("nfc-poll")
      killer.aim(at: program)
      #expect(await program.result().status == 128 + SIGKILL)
      bench.field.place(.ntag213())
      let next = try await bench.run("nfc-list")
      next.expectSuccess()
      next.expectOutput(Self.identifier)
    }

    /// TgInitAsTarget, by which the chip becomes a tag until a reader comes.
    private static let initAsTarget: UInt8 = 0x8C

    /// Dies while the chip waits as a tag: nobody ends that command but the next program's first.
    @Test(arguments: ["nfc-emulate-uid", "nfc-emulate-forum-tag2"])
    func killedAsATarget(_ name: String) async throws {
      let killer = Killer {
        if case .command(let bytes) = $0 { bytes.first == Self.initAsTarget } else { false }
      }
      let bench = try InteropBench(.ntag213()) { killer.see($0) }
      let program = try bench.start(name)
      killer.aim(at: program)
      #expect(await program.result().status == 128 + SIGKILL)
      let reader = try await Reader.open(bench.reader.connectionString)
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      #expect(tag.identifier.hexadecimal == "04E10CDA993C80")
      await reader.close()
      let next = try await bench.run("nfc-list")
      next.expectSuccess()
      next.expectOutput(Self.identifier)
    }

    /// Dies at 921 600 baud, which libnfc does not know: its programs find no reader. Ours brings the chip back,
    /// for others too.
    @Test func nfcpyIsKilled() async throws {
      let bench = try InteropBench(.ntag213())
      let program = try bench.startPython("import time\nprint('ready')\ntime.sleep(30)\n")
      try await program.waitForOutput("ready")
      program.kill()
      #expect(await program.result().status == 128 + SIGKILL)
      #expect(try await bench.run("nfc-list").output.contains(Self.identifier) == false)
      let reader = try await Reader.open(bench.reader.connectionString)
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      #expect(tag.identifier.hexadecimal == "04E10CDA993C80")
      await reader.close()
      let next = try await bench.run("nfc-list")
      next.expectSuccess()
      next.expectOutput(Self.identifier)
    }

    /// Dies in the middle of writing; what comes next reads a whole tag.
    @Test(arguments: [1, 20, 36]) func killedWhileWriting(_ page: Int) async throws {
      let killer = Killer(at: page) {
        // InDataExchange of COMPATIBILITY_WRITE.
        if case .command(let bytes) = $0 { bytes.starts(with: [0x40, 0x01, 0xA0]) } else { false }
      }
      let tag = VirtualTag.ntag213()
      let bench = try InteropBench(tag) { killer.see($0) }
      var image = tag.memory
      for index in 16..<160 { image[index] = 0x77 }
      try bench.write(image, to: "dump")
      let program = try bench.start(
        "nfc-mfultralight", ["w", bench.path("dump")], input: "n\nn\nn\nn\n")
      killer.aim(at: program)
      #expect(await program.result().status == 128 + SIGKILL)
      let next = try await bench.run("nfc-mfultralight", ["r", bench.path("copy")])
      next.expectSuccess()
      #expect(try bench.bytes(of: "copy").prefix(172) == tag.memory.prefix(172))
      let written = (4..<40).prefix { tag.memory[$0 * 4] == 0x77 }.count
      #expect(written == page)
    }

    @Test func pythonKilledInsideACommand() async throws {
      let killer = Killer {
        if case .command(let bytes) = $0 { bytes.first == Self.listPassiveTarget } else { false }
      }
      let bench = try InteropBench(.ntag213()) { killer.see($0) }
      let program = try bench.startPython("find('106A')\nfind('106A')")
      killer.aim(at: program)
      #expect(await program.result().status == 128 + SIGKILL)
      // The chip is still at the rate that nfcpy has set, which libnfc does not know: nfc-list opens nothing,
      // and says so in its output alone.
      #expect(!(try await bench.run("nfc-list").output.contains(Self.identifier)))
      bench.reader.cyclePower()
      let next = try await bench.run("nfc-list")
      next.expectSuccess()
      next.expectOutput(Self.identifier)
      let other = try await bench.python("print(find('106A').identifier.hex())")
      #expect(other.output == "04e10cda993c80\n")
    }

    /// Dies after part of a frame; the rest never comes.
    @Test(arguments: [
      "00", "0000FF", "0000FF04", "0000FF04FC", "0000FF04FCD4", "0000FF04FCD44A0100",
      "0000FFFFFF0108F7D442",
    ])
    func killedInsideAFrame(_ part: String) async throws {
      let bench = try InteropBench(.ntag213())
      let script = """
        import os, signal, sys, termios, tty
        port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
        tty.setraw(port)
        settings = termios.tcgetattr(port)
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(port, termios.TCSANOW, settings)
        os.write(port, bytes.fromhex('55550000000000' + sys.argv[2]))
        os.kill(os.getpid(), signal.SIGKILL)
        """
      let program = try bench.start("python3", ["-c", script, bench.reader.path, part])
      #expect(await program.result().status == 128 + SIGKILL)
      let next = try await bench.run("nfc-list")
      next.expectSuccess()
      next.expectOutput(Self.identifier)
    }
  }
}
