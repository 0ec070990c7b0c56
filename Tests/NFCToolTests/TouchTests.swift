import Testing
import VirtualNFC

/// Tests the number of host commands and frames of a command for one tag, from opening the reader to closing
/// it. Each host command takes more than 2 ms on a line at 115 200 baud. C with libnfc needs 17 for one
/// exchange. Two of the commands set the number of tries for one search and set it back, which saves two tries of 5 ms of
/// each technology that the tag does not have.
@Suite struct TouchTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let tag: @Sendable () -> VirtualTag
    /// The number of host commands, and of frames over the air.
    let commands: Int
    let exchanges: Int
    var testDescription: String { line }
  }

  static let cases = [
    Case(line: "mifare send 3004", tag: { .ntag216() }, commands: 22, exchanges: 7),
    Case(line: "read", tag: { .ntag216() }, commands: 25, exchanges: 9),
    Case(line: "apdu 00A4040007D276000085010100", tag: { .type4() }, commands: 20, exchanges: 8),
    Case(line: "felica read --service 090F 0", tag: { .suica() }, commands: 21, exchanges: 2),
    Case(line: "poll --once", tag: { .ntag216() }, commands: 22, exchanges: 7),
  ]

  @Test(arguments: cases) func needsNoMore(_ item: Case) async throws {
    let field = VirtualField()
    field.place(item.tag())
    let virtual = try VirtualReader(field)
    let result = try await Tool.run(
      ["--reader", virtual.connectionString] + item.line.split(separator: " ").map(String.init))
    #expect(result.status == 0, "\(result.errors)")
    let statistics = virtual.statistics
    #expect(statistics.commands <= item.commands, "\(statistics)")
    #expect(statistics.exchanges <= item.exchanges, "\(statistics)")
  }
}
