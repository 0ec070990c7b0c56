import ArgumentParser
import NFC

/// The option `--polling-frame` of the commands that poll.
struct PollingFrameOption: ParsableArguments {
  @Option(
    name: .customLong("polling-frame"),
    help: ArgumentHelp(
      "Send this frame after each unanswered search of type A, or of type B with b: before it.",
      discussion: """
        It makes phones answer: 6A01000002 for passes of Wallet, 6A02C3020002FFFF for access passes. The check \
        bytes are added. May be given more than once.
        """, valueName: "hex"),
    transform: Self.frame)
  var frames: [PollingFrame] = []

  private static func frame(_ text: String) throws -> PollingFrame {
    let technologies: KeyValuePairs<String, PollingFrame.Technology> = ["a": .typeA, "b": .typeB]
    var digits = text
    var technology = PollingFrame.Technology.typeA
    for (name, named) in technologies where text.lowercased().hasPrefix(name + ":") {
      digits = String(text.dropFirst(name.count + 1))
      technology = named
    }
    let bytes = try Hexadecimal.argument(digits, "--polling-frame")
    let frame: PollingFrame
    do throws(NFCError) {
      frame = try PollingFrame(bytes, technology: technology)
    } catch {
      throw ValidationError("--polling-frame: \(error.reason).")
    }
    guard !frame.isTransit else {
      throw ValidationError(
        "--polling-frame \(bytes.hexadecimal): it is that of a reader for public transport, for which a phone presents a payment card without asking its owner; it is not sent."
      )
    }
    return frame
  }
}

extension Session {
  /// Makes the readers send frames after unanswered searches.
  ///
  /// - Throws: `noReader`, and nothing has been polled, if a reader cannot.
  func broadcast(_ frames: [PollingFrame]) throws {
    guard !frames.isEmpty else { return }
    // Virtual tags of ISO 15693 have a reader of their own, in which no phone can be.
    let able = readers.filter { reader in
      frames.allSatisfy { reader.capabilities.pollingFrames.contains($0.technology.tagTechnology) }
    }
    for reader in able.isEmpty || !options.hasOwnReaders ? readers : able {
      do throws(NFCError) {
        try reader.setPollingFrames(frames)
      } catch {
        throw Failure(error)
      }
    }
  }
}
