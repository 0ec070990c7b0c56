import NFC
import TagImages

/// The planned or completed changes of a sector, a page, a block or a file.
public struct RestoredPart: Hashable, Sendable {
  /// The application or service that contains a file or block.
  public struct Container: Hashable, Sendable {
    /// `application` or `service`.
    public let kind: String
    /// The identifier, in hexadecimal.
    public let name: String
  }

  /// Something of the part that is not written.
  public struct Omission: Hashable, Sendable {
    /// The block of a sector; `nil` for the whole part.
    public var block: String?
    /// The reason.
    public let reason: ChangePlan.Omission.Reason
    /// Whether it was requested and is not possible.
    public let isFailure: Bool
    /// Whether it was not requested, or never is.
    public let isNotRequested: Bool

    init(
      block: String? = nil, _ reason: ChangePlan.Omission.Reason, isFailure: Bool,
      isNotRequested: Bool
    ) {
      self.block = block
      self.reason = reason
      self.isFailure = isFailure
      self.isNotRequested = isNotRequested
    }

    init(text: String, isFailure: Bool, isNotRequested: Bool) {
      self.init(
        isFailure ? .impossible(text) : .kept(text), isFailure: isFailure,
        isNotRequested: isNotRequested)
    }

    /// Creates the omission for a reason of a plan or an outcome.
    init(_ reason: ChangePlan.Omission.Reason) {
      let isNotRequested =
        switch reason {
        case .notRequested, .kept: true
        default: false
        }
      self.init(reason, isFailure: !isNotRequested, isNotRequested: isNotRequested)
    }
  }

  /// The container, or `nil` for a part of the memory itself.
  public internal(set) var container: Container?
  /// `sector`, `page`, `block` or `file`.
  public let kind: String
  /// The number.
  public let number: Int
  /// The name of the number, if it is not written in digits.
  public internal(set) var label: String?
  /// The blocks that are written; for a page, the page itself.
  public internal(set) var written: [Int]
  /// What is not written.
  public internal(set) var omissions: [Omission]

  /// The known content of each block or page that is written, before and after. Keys and passwords are masked.
  public internal(set) var changes: [TagImage.Change] = []

  /// The range of the bytes in a file that are changed.
  public internal(set) var changedBytes: Range<Int>?

  init(
    container: Container? = nil, kind: String, number: Int, label: String? = nil, written: [Int],
    omissions: [Omission]
  ) {
    self.container = container
    self.kind = kind
    self.number = number
    self.label = label
    self.written = written
    self.omissions = omissions
  }

  /// The kind, in a form to which the numbers of parts can be added: `file`, `service 0009 block`.
  public var kindName: String { (container.map { "\($0.kind) \($0.name) " } ?? "") + kind }
  /// The number, or its name.
  public var numberName: String { label ?? String(number) }
  /// The kind and the number: `sector 3`.
  public var name: String { "\(kindName) \(numberName)" }

  /// Sets the content of a file or block before and after, from the first byte that differs to the last.
  ///
  /// - Parameter isReplaced: whether existing bytes after the new ones are removed.
  mutating func setChange(from known: [UInt8]?, to new: [UInt8], isReplaced: Bool) {
    let old = known ?? []
    let all = 0..<(isReplaced ? max(old.count, new.count) : new.count)
    let isOther = { (index: Int) in
      old.dropFirst(index).first != new.dropFirst(index).first
    }
    guard let first = all.first(where: isOther), let last = all.last(where: isOther) else { return }
    if kind == "file" { changedBytes = first..<last + 1 }
    let range = changedBytes ?? new.indices
    func text(_ bytes: [UInt8]) -> String {
      let part = bytes[range.clamped(to: bytes.indices)]
      return part.isEmpty ? "nothing" : Array(part).hexadecimal
    }
    changes = [
      TagImage.Change(
        number: number, before: known == nil ? "unknown" : text(old), after: text(new))
    ]
  }

  // MARK: As a part of a plan

  /// The place of the part on the tag.
  var place: ChangePlan.Place {
    let container = container.map { container in
      ChangePlan.Place(container.kind == "service" ? .service : .application, container.name)
    }
    let kind = ChangePlan.Place.Kind(rawValue: kind) ?? .block
    return label.map { ChangePlan.Place(kind, $0, in: container) }
      ?? ChangePlan.Place(kind, number, in: container)
  }

  /// The omissions, as those of a plan.
  var plannedOmissions: [ChangePlan.Omission] {
    omissions.map { omission in
      ChangePlan.Omission(
        omission.block.map { ChangePlan.Place(.block, $0, in: place) } ?? place, omission.reason)
    }
  }
}
