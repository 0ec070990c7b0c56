import Testing
import VirtualNFC

/// A fault that occurs while `nfc read` is running in another process with a reader on a bus.
public struct ReadFault: Sendable, CustomTestStringConvertible {
  public let testDescription: String
  private let effect: Fault.Effect
  public let isOnAir: Bool

  /// - Parameter isOnAir: whether the fault occurs at an exchange with the tag. If not, it occurs at a
  ///   command to the chip.
  public init(_ testDescription: String, _ effect: Fault.Effect, isOnAir: Bool = false) {
    self.testDescription = testDescription
    self.effect = effect
    self.isOnAir = isOnAir
  }

  private var leaves: Bool {
    if case .tagLeaves = effect { true } else { false }
  }

  /// The message on the tag, which is a link to example.org.
  public static let message: [UInt8] = [
    0xD1, 0x01, 0x0C, 0x55, 0x01, 0x65, 0x78, 0x61, 0x6D, 0x70, 0x6C, 0x65, 0x2E, 0x6F, 0x72, 0x67,
  ]
  private static let text = "example.org"

  /// Expects that a read ends in time with the message or an error, and that the next read succeeds.
  ///
  /// - Parameters:
  ///   - index: the exchange or command at which the fault occurs.
  ///   - reader: the reader's chip.
  ///   - tag: the tag in the reader's field, which is also present for the second read.
  ///   - read: runs `nfc read` with these arguments.
  ///   - readAgain: runs `nfc read` until it succeeds, a few times at most.
  public func expectEnd(
    at index: Int, of reader: VirtualReader, in field: VirtualField, tag: VirtualTag,
    read: ([String]) async throws -> FinishedProgram,
    readAgain: () async throws -> FinishedProgram
  ) async throws {
    reader.setFaults([Fault(effect, at: isOnAir ? .exchange(index) : .command(index))])
    let start = ContinuousClock.now
    // A tag that has left does not return, so a longer wait would not show anything else.
    let first = try await read(["--timeout", leaves ? "1" : "4"])
    let place: Comment = "\(testDescription) at \(index): \(first.output)\(first.errors)"
    #expect(ContinuousClock.now - start < .seconds(20), place)
    if first.status == 0 {
      #expect(first.output.contains(Self.text), place)
    } else {
      #expect([66, 69, 74].contains(first.status) && first.errors.hasPrefix("nfc: "), place)
    }
    reader.setFaults([])
    field.place(tag)
    let second = try await readAgain()
    #expect(second.status == 0 && second.output.contains(Self.text), place)
  }
}
