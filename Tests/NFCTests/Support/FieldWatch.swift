import Testing
import VirtualNFC

/// What the procedures of a test are asked by name to make final. Everything else that they make final on a tag
/// of a bench fails the test.
struct AskedChanges: TestTrait, TestScoping {
  @TaskLocal static var kinds: Set<IrreversibleChange.Kind> = []

  let kinds: Set<IrreversibleChange.Kind>

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$kinds.withValue(kinds) { try await function() }
  }

  /// Records an issue for changes that were not asked for.
  static func check(
    _ changes: [IrreversibleChange], askedFor kinds: Set<IrreversibleChange.Kind> = Self.kinds,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let others = changes.filter { !kinds.contains($0.kind) }
    guard !others.isEmpty else { return }
    Issue.record("made final without being asked to: \(others)", sourceLocation: sourceLocation)
  }
}

extension Trait where Self == AskedChanges {
  /// Locks, formats blank tags, or whatever else cannot be undone, by its name.
  static func asking(_ kinds: IrreversibleChange.Kind...) -> AskedChanges {
    AskedChanges(kinds: Set(kinds))
  }
}

/// Looks, when a bench goes, at what was made final on its tags.
final class FieldWatch: Sendable {
  private let field: VirtualField
  private let sourceLocation: SourceLocation
  private let asked = AskedChanges.kinds

  init(_ field: VirtualField, _ sourceLocation: SourceLocation) {
    self.field = field
    self.sourceLocation = sourceLocation
  }

  deinit {
    AskedChanges.check(
      field.unexpectedChanges, askedFor: asked, sourceLocation: sourceLocation)
  }
}
