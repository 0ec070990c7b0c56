import SwiftNFCJSONText
import NFC
import TagImages
import TagTools

extension RestoredPart {
  /// Returns the description of what is not written, and the reason.
  func text(of omission: Omission) -> String {
    (omission.block.map { "block \($0): " } ?? "") + words(omission.reason)
  }

  /// Returns the reason. For a part that is written only on request, it includes the option that requests it.
  private func words(_ reason: ChangePlan.Omission.Reason) -> String {
    guard case .notRequested(let request) = reason else {
      return kind == "sector" && reason == .neverWritten
        ? "the manufacturer's block cannot be written" : reason.description
    }
    // Of blocks, only the lock bits are written on request.
    guard kind != "block" else { return "lock bits are written only with --include-locks" }
    let option =
      switch request {
      case .locks: "--include-locks"
      case .capabilityContainer: "--include-capability-container"
      case .password: "--include-password"
      default: "--include-configuration"
      }
    return "written only with \(option)"
  }

  /// Returns lines for people about the plan or about the result.
  func lines(isDone: Bool) -> [String] {
    let verb = isDone ? "wrote" : "write"
    let blocks = written.map(String.init).joined(separator: ", ")
    let plural = written.count > 1 ? "s" : ""
    let writing =
      written == [number] && kind != "sector" ? verb : "\(verb) block\(plural) \(blocks)"
    let changes = changes.map { change in
      let bytes =
        changedBytes.map { " from byte \($0.lowerBound)" } ?? ""
      let place = kind == "sector" ? "block \(change.number)" : name + bytes
      return "\(place): \(change.before) → \(change.after)"
    }
    return (changes.isEmpty ? (written.isEmpty ? [] : ["\(name): \(writing)"]) : changes)
      + omissions.map { omission in
        var option = ""
        if case .option(let name)? = omission.remedy { option = "; \(name) writes it all the same" }
        return "\(name): \(isDone ? "left" : "leave") out, \(text(of: omission))\(option)"
      }
  }

  func json(isDone: Bool) -> JSONValue {
    .members([
      container?.kind ?? "": container.map { .string($0.name) },
      kind: label.map { .string($0) } ?? .integer(number),
      isDone ? "written" : "write": .array(written.map { .integer($0) }),
      "changes": changes.isEmpty
        ? nil
        : .array(
          changes.map { change in
            .members([
              kind == "sector" ? "block" : kind: label.map { .string($0) }
                ?? .integer(change.number),
              "offset": changedBytes.map { .integer($0.lowerBound) },
              "before": .string(change.before), "after": .string(change.after),
            ])
          }),
      "leftOut": omissions.isEmpty ? nil : .array(omissions.map { .string(text(of: $0)) }),
    ])
  }
}

extension RestoredPart.Omission {
  /// What would have a part written that was left out.
  enum Remedy: Hashable, Sendable {
    /// A key that was not given.
    case key
    /// An option by which it is asked for.
    case option(String)
  }

  /// What would have it written, if anything would.
  var remedy: Remedy? {
    switch reason {
    case .noKey, .notWritable, .refused, .refusal: .key
    case .locksPermanently: .option("--include-locks")
    default: nil
    }
  }
}
