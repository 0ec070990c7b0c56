import NFC
import TagImages

/// A file or a block of a service that is to be changed.
protocol RestoredFile: Sendable {
  /// What it has; `nil` if that is not known.
  var old: [UInt8]? { get }
  var data: [UInt8] { get }
  /// Whether bytes after the new ones go away.
  var isReplaced: Bool { get }
  /// Why it is left out.
  var omission: RestoredPart.Omission? { get }
  /// Without what is done about it.
  var place: RestoredPart { get }
}

/// To files or services, one by one: what one of them refuses leaves the others as they are planned.
protocol FileRestoration: MemoryRestoration {
  associatedtype Target: RestoredFile
  /// In the order in which they are written.
  var targets: [Target] { get }
  func write(_ target: Target) async throws
}

extension RestoredFile {
  var isReplaced: Bool { false }

  /// From the first byte that differs to the last, without the first `start`; all that are new if the old ones are not
  /// known.
  func changed(from start: Int) -> Range<Int>? {
    let old = old ?? []
    let isOther = { (index: Int) in !old.indices.contains(index) || old[index] != data[index] }
    let indices = data.indices.dropFirst(start)
    guard let first = indices.first(where: isOther), let last = indices.last(where: isOther) else {
      return nil
    }
    return first..<last + 1
  }

  fileprivate func part(_ omission: RestoredPart.Omission?) -> RestoredPart {
    var part = place
    if let omission { part.omissions = [omission] } else { part.written = [part.number] }
    return part
  }
}

extension FileRestoration {
  var plan: [RestoredPart] { targets.map { $0.part($0.omission) } }

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
          omission = .init(text: error.description, isFailure: true, isNotAskedFor: false)
        }
      }
      parts.append(target.part(omission))
    }
    return parts
  }
}

extension RestoredPart {
  /// Creates a file or block of which nothing is said yet.
  init(_ kind: String, _ number: Int, label: String? = nil, in container: Container?) {
    self.init(
      container: container, kind: kind, number: number, label: label, written: [], omissions: [])
  }

  /// Returns what was asked for and cannot be had.
  static func failure(_ text: String) -> Omission {
    Omission(text: text, isFailure: true, isNotAskedFor: false)
  }
}
