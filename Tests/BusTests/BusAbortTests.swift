import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// Tests the state after a call that was aborted or not answered in time.
  ///
  /// libnfc's two drivers only set a flag to abort, which the next command may find. For a missing
  /// answer, `pn532_i2c_receive` returns 0 bytes and no error, as `pn532_spi_receive` does for an aborted
  /// one (libnfc 1.8.0, pn532_i2c.c and pn532_spi.c).
  @Suite struct AbortTests {
    /// Returns a tag with a different content on each page, so that an answer for another page is
    /// detected.
    private static func tag() -> VirtualTag {
      let tag = VirtualTag.ntag216()
      var memory = tag.memory
      for page in 4..<224 {
        memory.replaceSubrange(
          (4 * page)..<(4 * page + 4), with: repeatElement(UInt8(page), count: 4))
      }
      tag.memory = memory
      return tag
    }

    /// READ is cancelled before, during and after its answer; the next READ receives its own answer. A
    /// chip may complete the command that it was requested to end (UM0701-02, 6.2.1.3 specifies that none
    /// does). Its late answer may cause an error of one READ, but is never returned as another command's
    /// answer.
    @Test(arguments: BusReader.Bus.allCases, [[], [BusReader.Condition.keepsAnswers]])
    func anAbortDoesNotReachTheNextCommand(
      _ bus: BusReader.Bus, _ conditions: [BusReader.Condition]
    ) async throws {
      let reader = try BusReader(bus, Self.tag())
      let run = try await BusProgram.exercise(
        conditions.isEmpty ? "cancel" : "cancel-kept", on: reader,
        conditions + [.slow(milliseconds: 120)])
      run.expectSuccess()
      #expect(run.output.hasSuffix("done\n"), "\(run.output)\(run.errors)")
    }

    /// USB uses the same flag, which is checked after 200 ms.
    @Test(arguments: USBReader.Model.allCases)
    func anAbortDoesNotReachTheNextCommandOnUSB(_ model: USBReader.Model) async throws {
      let reader = try USBReader(model, Self.tag())
      let run = try await BusProgram.exercise(
        "cancel", on: reader, [.slow(milliseconds: 120)])
      run.expectSuccess()
      #expect(run.output.hasSuffix("done\n"), "\(run.output)\(run.errors)")
    }

    /// After Diagnose 06h for a card that has been removed, a PN533 may need an unusually long time for
    /// InRelease, as observed with a JCOP31 (libnfc's issue 267, and its pn53x_ISO14443A_4_is_present).
    @Test(arguments: [[], [USBReader.Condition.upset(milliseconds: 1500)]])
    func aCardIsMissed(_ conditions: [USBReader.Condition]) async throws {
      let reader = try USBReader(.scl3711, .type4())
      reader.reader.setFaults([Fault(.tagLeaves, at: .exchange(20))])
      let run = try await BusProgram.exercise("presence", on: reader, conditions)
      run.expectSuccess()
      #expect(run.output == "done\n", "\(run.output)\(run.errors)")
    }

    /// Every third READ is answered too late; the others receive their own answers. The delay is this
    /// long because libnfc counts its polls of an SPI bus and assumes one millisecond for each.
    @Test(arguments: BusReader.Bus.allCases, [[], [BusReader.Condition.keepsAnswers]])
    func anAnswerThatComesTooLate(
      _ bus: BusReader.Bus, _ conditions: [BusReader.Condition]
    ) async throws {
      let reader = try BusReader(bus, Self.tag())
      let conditions = conditions + [.everyLate(3, milliseconds: 100_000)]
      let run = try await BusProgram.exercise("silence", on: reader, conditions)
      run.expectSuccess()
      #expect(run.output.hasSuffix("done\n"), "\(run.output)\(run.errors)")
    }
  }
}
