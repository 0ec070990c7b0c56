import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// What a call that was aborted, or that was not answered in time, leaves behind.
  ///
  /// libnfc's two drivers only set a flag to abort, which the next command may find; and for an answer that does
  /// not come `pn532_i2c_receive` gives 0 bytes and no error, as `pn532_spi_receive` does for one that was aborted
  /// (libnfc 1.8.0, pn532_i2c.c and pn532_spi.c).
  @Suite struct AbortTests {
    /// A tag each of whose pages says which it is, so that nothing is taken for another page's content.
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

    /// READ is cancelled before, while and after it is answered; the READ after it has its own answer. A chip that
    /// keeps what it was told to end (UM0701-02, 6.2.1.3 says that none does) may give that in between, which is
    /// an error of one READ, and nobody's answer.
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

    /// The flag is the same on USB, where it is looked at after 200 ms.
    @Test(arguments: USBReader.Model.allCases)
    func anAbortDoesNotReachTheNextCommandOnUSB(_ model: USBReader.Model) async throws {
      let reader = try USBReader(model, Self.tag())
      let run = try await BusProgram.exercise(
        "cancel", on: reader, [.slow(milliseconds: 120)])
      run.expectSuccess()
      #expect(run.output.hasSuffix("done\n"), "\(run.output)\(run.errors)")
    }

    /// A PN533 that is asked for a card which has gone, by Diagnose 06h, may take an abnormal time for InRelease
    /// afterwards, as seen with a JCOP31 (libnfc's issue 267, and its pn53x_ISO14443A_4_is_present).
    @Test(arguments: [[], [USBReader.Condition.upset(milliseconds: 1500)]])
    func aCardIsMissed(_ conditions: [USBReader.Condition]) async throws {
      let reader = try USBReader(.scl3711, .type4())
      reader.reader.setFaults([Fault(.tagLeaves, at: .exchange(20))])
      let run = try await BusProgram.exercise("presence", on: reader, conditions)
      run.expectSuccess()
      #expect(run.output == "done\n", "\(run.output)\(run.errors)")
    }

    /// Every third READ is answered when nobody waits for it any more: those between have their own answers. The
    /// time is that long because libnfc counts its looks at an SPI bus and takes each for a millisecond.
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
