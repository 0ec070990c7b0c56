import NFC
import TagImages

/// A file or a block of a service that is to be changed.
protocol RestoredFile: Sendable {
  /// The current content, or `nil` if it is not known.
  var old: [UInt8]? { get }
  var data: [UInt8] { get }
  /// Whether existing bytes after the new ones are removed.
  var isReplaced: Bool { get }
  /// The reason why the file or block is not written.
  var omission: RestoredPart.Omission? { get }
  /// The file or block, without the changes to it.
  var place: RestoredPart { get }
}

/// A restoration of files or services, one after the other. If one of them refuses, the plan for the others
/// does not change.
protocol FileRestoration: MemoryRestoration {
  associatedtype Target: RestoredFile
  /// The files or blocks, in the order in which they are written.
  var targets: [Target] { get }
  func write(_ target: Target) async throws
}

extension RestoredFile {
  var isReplaced: Bool { false }

  /// Returns the range from the first byte that differs to the last, without the first `start` bytes. If the
  /// old bytes are not known, all new ones are different.
  func changed(from start: Int) -> Range<Int>? {
    let old = old ?? []
    let isOther = { (index: Int) in !old.indices.contains(index) || old[index] != data[index] }
    let indices = data.indices.dropFirst(start)
    guard let first = indices.first(where: isOther), let last = indices.last(where: isOther) else {
      return nil
    }
    return first..<last + 1
  }

  /// The change, from the first byte that differs to the last.
  fileprivate var step: ChangePlan.Step {
    var part = part(nil)
    part.setChange(from: old, to: data, isReplaced: isReplaced)
    let place = part.place
    guard let range = part.changedBytes else { return .write(place, old, data) }
    func content(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[range.clamped(to: bytes.indices)]) }
    return .write(
      ChangePlan.Place(.offset, range.lowerBound, in: place), old.map(content), content(data))
  }

  fileprivate func part(_ omission: RestoredPart.Omission?) -> RestoredPart {
    var part = place
    if let omission { part.omissions = [omission] } else { part.written = [part.number] }
    return part
  }
}

extension FileRestoration {
  var plan: [RestoredPart] { targets.map { $0.part($0.omission) } }

  var changeSteps: [ChangePlan.Step] { targets.filter { $0.omission == nil }.map(\.step) }

  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart] {
    targets.map { target in
      var part = target.part(target.omission)
      if target.omission == nil {
        part.setChange(from: target.old, to: target.data, isReplaced: target.isReplaced)
      }
      return part
    }
  }

  func run() async throws -> [RestoredPart] {
    var parts: [RestoredPart] = []
    for target in targets {
      var omission = target.omission
      if omission == nil {
        do {
          try await write(target)
        } catch let error as NFCError where error.group == .refusal {
          omission = RestoredPart.Omission(.refusal(error.description))
        }
      }
      parts.append(target.part(omission))
    }
    return parts
  }
}

extension RestoredPart {
  /// Creates a file or block for which nothing is planned yet.
  init(_ kind: String, _ number: Int, label: String? = nil, in container: Container?) {
    self.init(
      container: container, kind: kind, number: number, label: label, written: [], omissions: [])
  }

  /// Returns an omission for something that was requested and is not possible.
  static func failure(_ text: String) -> Omission {
    Omission(text: text, isFailure: true, isNotRequested: false)
  }
}
