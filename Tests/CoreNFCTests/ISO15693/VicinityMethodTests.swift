import CoreNFC
import NFC
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// What ``NFCISO15693Tag`` sends, and what it makes of answers.
  @Suite(.replayed) struct VicinityMethodTests {
    @Test func everyFormSendsTheFrameAndDecodesTheAnswer() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        for method in VicinityMethod.all {
          for form in method.forms {
            chip.script(method.answer.map { [$0] } ?? [])
            let outcome = try await form(tag)
            #expect(outcome == method.outcome, "\(method.name)")
            #expect(chip.heard == [method.frame], "\(method.name)")
          }
        }
      }
    }

    /// Error 0F is "unknown error" (ISO/IEC 15693-3, 7.4.2).
    @Test func everyFormGivesTheTagsErrorCode() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        for method in VicinityMethod.all where method.answer != nil {
          for form in method.forms {
            chip.script(["010F"])
            let error = await expect(.readerTransceiveErrorTagResponseError) {
              _ = try await form(tag)
            }
            let code = error?.userInfo[NFCISO15693TagResponseErrorKey] as? Int
            #expect(code == 0x0F, "\(method.name)")
            #expect(error?.userInfo[NFCTagResponseUnexpectedLengthErrorKey] == nil)
          }
        }
      }
    }

    @Test func answersOfTheWrongLength() async throws {
      let answers = [
        ("readSingleBlock", "00"),
        ("readSingleBlock", "00" + String(repeating: "11", count: 33)),
        ("readSingleBlock, option", "0001"), ("readMultipleBlocks", "0001020304050607"),
        ("readMultipleBlocks, option", "000001"), ("fastReadMultipleBlocks", "0001"),
        ("getMultipleBlockSecurityStatus", "0001"), ("getSystemInfo", "000F0605"),
        ("extendedReadSingleBlock", "00"), ("extendedReadMultipleBlocks", "00010203"),
        ("extendedFastReadMultipleBlocks", "00"),
        ("extendedGetMultipleBlockSecurityStatus", "00000001"),
      ]
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        for (name, answer) in answers {
          let method = try #require(VicinityMethod.all.first { $0.name == name })
          for form in method.forms {
            chip.script([answer])
            let error = await expect(.readerTransceiveErrorTagResponseError) {
              _ = try await form(tag)
            }
            let length = error?.userInfo[NFCTagResponseUnexpectedLengthErrorKey] as? Int
            #expect(length == answer.count / 2 - 1, "\(name)")
            #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] == nil)
          }
        }
      }
    }

    @Test func silenceIsAnErrorWithoutACode() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        for method in VicinityMethod.single {
          chip.script([])
          let error = await expect(.readerTransceiveErrorTagResponseError) {
            _ = try await method.forms[0](tag)
          }
          #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] == nil)
          #expect(error?.userInfo[NSUnderlyingErrorKey] is NFCError)
          #expect(error?.localizedDescription == "Tag response error / no response")
        }
      }
    }

    @Test func wrongParametersAreRefusedBeforeAnythingIsSent() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        chip.script([])
        for fault in VicinityFault.all {
          await expect(fault.code, sourceLocation: fault.sourceLocation) {
            try await fault.call(tag)
          }
        }
        #expect(chip.heard == [])
      }
    }

    @Test func aTagNeedsItsSession() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      let (session, delegate, tags) = try await bench.tags(.iso15693)
      guard case .iso15693(let tag) = tags[0] else { throw Unexpected("no ISO 15693 tag") }
      chip.script([])
      session.invalidate()
      _ = try await delegate.events.end()
      for method in VicinityMethod.all {
        await expect(.readerTransceiveErrorSessionInvalidated) {
          _ = try await method.forms[0](tag)
        }
      }
      #expect(chip.heard == [])
    }
  }
}

extension SessionBench {
  /// Runs `body` with the only vicinity tag, connected, in a session that is ended afterwards.
  nonisolated(nonsending) func withVicinityTag(
    _ body: nonisolated(nonsending) (any NFCISO15693Tag, NFCTagReaderSession) async throws -> Void
  ) async throws {
    let (session, delegate, tag) = try await connected(.iso15693)
    guard case .iso15693(let tag) = tag else { throw Unexpected("no ISO 15693 tag") }
    do {
      try await body(tag, session)
    } catch {
      session.invalidate()
      throw error
    }
    session.invalidate()
    _ = try await delegate.events.end()
  }
}
