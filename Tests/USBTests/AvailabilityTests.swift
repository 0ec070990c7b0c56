import TestSupport
import Testing
import VirtualNFC

/// Tests Core NFC's `readingAvailable` with a USB reader. libnfc does not list readers that are in use.
@Suite(.serialized) struct AvailabilityTests {
  private static let models = USBReader.Model.allCases

  @Test(arguments: models) func aReaderOfThisProgramsOwn(_ model: USBReader.Model) async throws {
    let exercise = try await USBProgram.coreNFC("open", on: try USBReader(model), .exclusive)
    #expect(exercise.output == "available\n", "\(exercise.errors)")
    exercise.expectSuccess()
  }

  @Test(arguments: models) func aReaderThatAnotherProgramHas(
    _ model: USBReader.Model
  ) async throws {
    let exercise = try await USBProgram.coreNFC(on: try USBReader(model), .busy)
    #expect(exercise.output == "available\n", "\(exercise.errors)")
    exercise.expectSuccess()
  }

  @Test func noReader() async throws {
    let exercise = try await USBProgram.coreNFC(
      on: try USBReader(.acr122u), .arrives(milliseconds: 100_000))
    #expect(exercise.output == "unavailable\n", "\(exercise.errors)")
    exercise.expectSuccess()
  }
}
