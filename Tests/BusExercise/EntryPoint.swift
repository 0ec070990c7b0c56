import NFC
import SwiftNFCCore

/// Commands that are cancelled or not answered, and those after them, in a process that sees a reader on a bus.
///
/// ```
/// BusExercise CONNECTION-STRING cancel|cancel-kept|silence|presence
/// BusExercise CONNECTION-STRING search TECHNOLOGY UID
/// ```
///
/// The tag is one each of whose pages holds its own number four times. Prints `done`, or what was not as it should.
@main
struct BusExercise {
  private static let read: UInt8 = 0x30
  private let reader: Reader

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { throw Fault("the reader, and what to do") }
    let exercise = BusExercise(reader: try await Reader.open(arguments[1]))
    switch arguments[2] {
    case "cancel": try await exercise.cancel()
    case "cancel-kept": try await exercise.cancel(losesOne: true)
    case "silence": try await exercise.silence()
    case "presence": try await exercise.presence()
    case "search": try await exercise.search(Array(arguments.dropFirst(3)))
    default: throw Fault("\(arguments[2]) is none of these")
    }
    await exercise.reader.close()
    print("done")
  }

  /// Something is not as it should.
  private struct Fault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private func tag() async throws -> any MiFareTag {
    let found = try await reader.firstTag(polling: .iso14443a, within: .seconds(5))
    guard case .miFare(let tag) = found else { throw Fault("\(found) is another tag") }
    return tag
  }

  private func expect(_ answer: [UInt8], from page: UInt8, _ moment: String) throws {
    let right = (page..<(page + 4)).flatMap { [UInt8](repeating: $0, count: 4) }
    guard answer == right else { throw Fault("\(moment): page \(page) is \(answer)") }
  }

  /// A READ is cancelled at several moments; the next one is not and has its own answer.
  ///
  /// - Parameter losesOne: whether the READ after it may be an error, for a chip that gives the answer to a command
  ///   that was ended after that.
  private func cancel(losesOne: Bool = false) async throws {
    let tag = try await tag()
    for (round, delay) in [0, 80, 110, 150].enumerated() {
      let page = UInt8(8 + 4 * round)
      let read = Task { try await tag.sendMiFareCommand([Self.read, page]) }
      try await Task.sleep(for: .milliseconds(delay))
      read.cancel()
      switch await read.result {
      case .success(let answer): try expect(answer, from: page, "cancelled after \(delay) ms")
      case .failure(is CancellationError): break
      case .failure(let error): throw Fault("cancelled after \(delay) ms: \(error)")
      }
      for next in [page + 100, page + 120] {
        do {
          // The time is not what is tested: the chip is slow, and the machine may be.
          let answer = try await tag.sendMiFareCommand([Self.read, next], timeout: .seconds(2))
          try expect(answer, from: next, "after a READ that was cancelled after \(delay) ms")
        } catch let error as NFCError {
          if losesOne, next == page + 100 { continue }
          throw Fault("after a READ that was cancelled after \(delay) ms: \(error)")
        }
      }
    }
  }

  /// Some READs are not answered: an error each, in a bounded time. All others have their own answers.
  private func silence() async throws {
    let tag = try await tag()
    let clock = ContinuousClock()
    var (answered, unanswered) = (0, 0)
    for page in UInt8(4)..<10 {
      let start = clock.now
      do {
        let answer = try await tag.sendMiFareCommand(
          [Self.read, page], timeout: .seconds(1))
        try expect(answer, from: page, "READ")
        answered += 1
      } catch let error as NFCError where error.code == .tagResponseError {
        unanswered += 1
      }
      guard clock.now - start < .seconds(15) else { throw Fault("a READ took too long") }
    }
    guard answered > 0, unanswered > 0 else {
      throw Fault("\(answered) READs answered, \(unanswered) not")
    }
  }

  /// A tag that falls silent permanently is found until then, and not after it.
  private func search(_ arguments: [String]) async throws {
    guard let name = arguments.first, let expected = arguments.last,
      let technology = TagTechnology(rawValue: name)
    else { throw Fault("a technology, and an identifier") }
    let clock = ContinuousClock()
    var (found, notFound) = (0, 0)
    while notFound < 2 {
      let start = clock.now
      do {
        let tag = try await reader.firstTag(polling: PollingOptions(technology), within: .zero)
        guard tag.identifier.hexadecimal == expected else {
          throw Fault("\(tag.identifier.hexadecimal) was found")
        }
        guard notFound == 0 else { throw Fault("found, although it is silent") }
        found += 1
        guard found < 30 else { throw Fault("found again and again, although it is silent") }
      } catch is NFCError {
        notFound += 1
      }
      guard clock.now - start < .seconds(20) else { throw Fault("a search took too long") }
    }
    guard found > 0 else { throw Fault("it was not found at first") }
  }

  /// The card goes at some moment: it is missed in a bounded time, and the reader goes on.
  private func presence() async throws {
    let found = try await reader.firstTag(polling: .iso14443a, within: .seconds(5))
    let clock = ContinuousClock()
    let start = clock.now
    var looks = 0
    while try await found.tag.isPresent() {
      looks += 1
      guard looks < 30 else { throw Fault("the card is still there") }
    }
    guard looks > 0 else { throw Fault("the card has gone at once") }
    let again = try? await reader.firstTag(polling: .iso14443a, within: .seconds(1))
    guard again == nil else { throw Fault("a card is there") }
    guard clock.now - start < .seconds(15) else { throw Fault("it took too long") }
  }
}
