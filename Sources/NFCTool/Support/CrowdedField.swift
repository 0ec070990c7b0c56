import NFC
import SwiftNFCCore
import Synchronization

/// Says once that as many tags are in a field as one search finds, so that there may be more of them.
final class CrowdedField: Sendable {
  private struct Place: Hashable {
    let reader: ObjectIdentifier
    let technology: TagTechnology

    init(_ tag: DetectedTag) {
      reader = ObjectIdentifier(tag.reader)
      technology = tag.technology
    }
  }

  private struct State {
    var counts: [Place: Int] = [:]
    var isSaid = false
  }

  private let state = Mutex(State())

  /// Takes note of a tag that has arrived.
  func arrived(_ tag: DetectedTag) { change { $0[Place(tag), default: 0] += 1 } }

  /// Takes note of a tag that has left.
  func left(_ tag: DetectedTag) { change { $0[Place(tag), default: 0] -= 1 } }

  /// Takes note of all tags that a search has found.
  func found(_ tags: [DetectedTag]) {
    change { counts in
      counts = [:]
      for tag in tags { counts[Place(tag), default: 0] += 1 }
    }
  }

  private func change(_ body: (inout [Place: Int]) -> Void) {
    let most = Reader.maximumTagsAtOnce
    let isNew = state.withLock { state in
      body(&state.counts)
      guard !state.isSaid, state.counts.values.contains(where: { $0 >= most }) else { return false }
      state.isSaid = true
      return true
    }
    guard isNew else { return }
    Output.printError(
      "nfc: \(most) tags were found, and there may be more: one search finds no more")
  }
}
