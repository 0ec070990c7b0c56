import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCIsolated

/// A helper that crashes, hangs, is killed or is stopped costs a reader and not the program.
@Suite struct HelperEndTests {
  private static let bound = Duration.seconds(2)

  /// The signals of a process that calls abort() or reads what is not its own.
  @Test(arguments: [SIGABRT, SIGSEGV, SIGBUS])
  func whatEndsLibnfcEndsTheHelperAndTheNextRoundWorks(_ signal: Int32) async throws {
    let bench = try await IsolatedBench(.ntag213(), answeringWithin: Self.bound)
    let helper = try bench.helper()
    let tag = try await bench.miFare()
    _ = try await tag.sendMiFareCommand([0x30, 0x00])
    kill(helper, signal)
    let error = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0x00])
    }
    #expect(error?.code == .readerLost)
    guard case .signal(signal, let text)? = error?.cause else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.hasPrefix("SIG"))
    #expect(await HelperProcesses.isGone(helper))
    #expect(try await bench.miFare().sendMiFareCommand([0x30, 0x00]).count == 16)
    await bench.reader.close()
  }

  /// What no build of libnfc survives does not reach it, in the helper as elsewhere.
  @Test(arguments: [[UInt8]([0xD5, 0x41, 0x80]), [0xD5, 0x41]])
  func aLyingChipDoesNotEvenEndTheHelper(_ answer: [UInt8]) async throws {
    let bench = try await IsolatedBench(.ntag213(), answeringWithin: Self.bound)
    let helper = try bench.helper()
    let tag = try await bench.miFare()
    bench.virtual.setFaults([
      Fault(.replyContentReplaced(answer), at: .commandBeginning([0x40], 0))
    ])
    _ = try? await tag.sendMiFareCommand([0x30, 0x00])
    #expect(try await bench.miFare().sendMiFareCommand([0x30, 0x00]).count == 16)
    #expect(try bench.helper() == helper)
    await bench.reader.close()
  }

  /// A reader that is released after its helper has ended is closed: opening it again does not wait for that.
  @Test func aReleasedReaderWithoutAHelperDoesNotDelayTheNextOpening() async throws {
    let virtual = try VirtualReader(VirtualField())
    let address = "isolated:" + virtual.connectionString
    var reader: Reader? = try await Reader.open(address)
    let helper = try #require(HelperProcesses.holding(virtual.path).first)
    kill(helper, SIGKILL)
    _ = try? await reader?.firstTag(within: .milliseconds(10))
    reader = nil
    let start = ContinuousClock.now
    let next = try await Reader.open(address)
    // A driver waits five seconds for one that is being closed.
    #expect(ContinuousClock.now - start < .seconds(4))
    await next.close()
    virtual.close()
  }

  @Test func abortIsNamedAsTheCause() async throws {
    let bench = try await IsolatedBench(.ntag213())
    let tag = try await bench.miFare()
    _ = try await tag.sendMiFareCommand([0x30, 0x00])
    kill(try bench.helper(), SIGABRT)
    let error = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0x00])
    }
    #expect(error?.reason == "libnfc has called abort() in the process that drives the reader")
    guard case .signal(SIGABRT, _)? = error?.cause else {
      Issue.record("\(String(describing: error?.cause))")
      return
    }
    await bench.reader.close()
  }

  /// A procedure of the driver, to be broken off.
  enum Procedure: String, CaseIterable, Sendable {
    case searching, connecting, exchanging, authenticating, presence, closing

    func run(_ bench: IsolatedBench, _ tag: any MiFareTag) async throws {
      switch self {
      case .searching: _ = try await bench.reader.tagsInField(polling: .iso14443)
      case .connecting: try await tag.connect()
      case .exchanging: _ = try await tag.sendMiFareCommand([0x30, 0x04])
      case .authenticating:
        try await tag.classic?.authenticate(block: 4, with: .factory, as: .a)
      case .presence: _ = try await tag.isPresent()
      case .closing: await bench.reader.close()
      }
    }
  }

  @Test(arguments: Procedure.allCases, [SIGKILL, SIGSTOP])
  func aHelperThatIsKilledOrStoppedIsReplaced(
    _ procedure: Procedure, _ signal: Int32
  ) async throws {
    let bench = try await IsolatedBench(.classic1K(), answeringWithin: Self.bound)
    let tag = try await bench.miFare()
    let helper = try bench.helper()
    kill(helper, signal)
    let start = ContinuousClock.now
    do {
      try await procedure.run(bench, tag)
      // A tag that is connected already is not asked, and closing does not fail.
      #expect([.closing, .connecting].contains(procedure))
      if procedure == .connecting { _ = try? await tag.sendMiFareCommand([0x30, 0x04]) }
    } catch let error as NFCError {
      #expect([.readerLost, .tagConnectionLost].contains(error.code), "\(error)")
      if error.code == .readerLost, signal == SIGKILL {
        #expect(error.cause == .signal(number: SIGKILL, text: "SIGKILL"))
      }
      if error.code == .readerLost, signal == SIGSTOP {
        #expect(error.cause == .noAnswer)
        #expect(error.reason.contains("did not answer within 2 s"))
      }
    }
    #expect(ContinuousClock.now - start < .seconds(6))
    #expect(await HelperProcesses.isGone(helper))
    guard procedure != .closing else { return }
    #expect(try await bench.miFare().identifier == tag.identifier)
    await bench.reader.close()
  }

  @Test func aCancelledTaskDoesNotWaitForAStoppedHelper() async throws {
    let bench = try await IsolatedBench(.ntag213())
    let tag = try await bench.miFare()
    let helper = try bench.helper()
    kill(helper, SIGSTOP)
    let command = Task { try await tag.sendMiFareCommand([0x30, 0x00], timeout: .seconds(60)) }
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    command.cancel()
    await #expect(throws: CancellationError.self) { _ = try await command.value }
    #expect(ContinuousClock.now - start < .seconds(3))
    #expect(await HelperProcesses.isGone(helper))
    #expect(try await bench.miFare().sendMiFareCommand([0x30, 0x00]).count == 16)
    await bench.reader.close()
  }

  @Test func anotherReaderDoesNotNotice() async throws {
    let hanging = try await IsolatedBench(.ntag213(), answeringWithin: Self.bound)
    let good = try await IsolatedBench(.ntag215())
    let tag = try await hanging.miFare()
    kill(try hanging.helper(), SIGSTOP)
    let command = Task { try await tag.sendMiFareCommand([0x30, 0x00]) }
    let start = ContinuousClock.now
    #expect(try await good.miFare().sendMiFareCommand([0x30, 0x00]).count == 16)
    #expect(ContinuousClock.now - start < Self.bound)
    await #expect(throws: NFCError.self) { _ = try await command.value }
    await good.reader.close()
    await hanging.reader.close()
  }

  // MARK: Starting

  private func open(_ helper: String, bound: Duration = .seconds(20)) async -> NFCError? {
    await #expect(throws: NFCError.self) {
      let virtual = try VirtualReader(VirtualField())
      let address = ReaderAddress("isolated:" + virtual.connectionString)
      _ = try await Reader.open { try IsolatedSource(helper: helper).open(address) }
    }
  }

  private func script(_ body: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("helper-\(UUID().uuidString)")
    // Written by another process: a program that is started while this one has the file open would keep it open
    // for a moment, in which it cannot be run (ETXTBSY).
    let writer = try RunningProgram(
      "/bin/sh",
      ["-c", #"printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0""#, file.path, body])
    try #require(writer.end(blockingFor: .seconds(20)))
    return file
  }

  @Test func aHelperThatIsMissingIsNamedWithWhatToDo() async {
    let error = await open("/nowhere/nfc-reader")
    #expect(error?.code == .readerUnavailable)
    #expect(error?.reason.contains("/nowhere/nfc-reader") == true)
    #expect(error?.reason.contains("NFC_READER_HELPER") == true)
  }

  @Test func aHelperOfAnotherVersionIsRefused() async throws {
    let helper = try script(#"printf 'NFCR\000\143' >&0; sleep 60"#)
    defer { try? FileManager.default.removeItem(at: helper) }
    let error = await open(helper.path)
    #expect(error?.code == .readerUnavailable)
    #expect(error?.reason.contains("version 99") == true, "\(error?.reason ?? "")")
  }

  @Test func aProgramThatIsNotAHelperIsRefused() async throws {
    for body in ["printf 'Hello, world' >&0", "exit 3", "exec cat /dev/zero >&0"] {
      let helper = try script(body)
      defer { try? FileManager.default.removeItem(at: helper) }
      #expect(await open(helper.path)?.code == .readerUnavailable, "\(body)")
    }
  }

  @Test func whatAHelperSaysLastIsPartOfTheError() async throws {
    let helper = try script("echo first >&2; echo 'no such library' >&2; exit 127")
    defer { try? FileManager.default.removeItem(at: helper) }
    let error = await open(helper.path)
    #expect(error?.reason.contains("no such library") == true, "\(String(describing: error))")
  }

  /// Messages of any content end in an error: the helper and its program need not trust each other.
  @Test func anyAnswerAfterTheGreetingEndsInAnError() async throws {
    for body in [
      #"printf 'NFCR\000\001\377\377\377\377' >&0; sleep 60"#,
      #"printf 'NFCR\000\001\000\000\000\011\000\000\000\000\000\000\000\001\143' >&0; sleep 60"#,
      #"printf 'NFCR\000\001\000\000\000\011\000\000\000\000\000\000\000\001\001' >&0; sleep 60"#,
    ] {
      let helper = try script(body)
      defer { try? FileManager.default.removeItem(at: helper) }
      #expect(await open(helper.path)?.code == .readerUnavailable, "\(body)")
    }
  }
}
