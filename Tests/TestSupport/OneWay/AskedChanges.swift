import Testing
import VirtualNFC

/// What the procedures of a test are asked by name to make final. Everything else that they make final on a tag
/// that is watched fails the test.
public struct AskedChanges: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal public static var kinds: Set<IrreversibleChange.Kind> = []

  let kinds: Set<IrreversibleChange.Kind>

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$kinds.withValue(Self.kinds.union(kinds)) { try await function() }
  }

  /// Records an issue for changes that were not asked for.
  public static func check(
    _ changes: [IrreversibleChange], askedFor kinds: Set<IrreversibleChange.Kind> = Self.kinds,
    sourceLocation: SourceLocation
  ) {
    let others = changes.filter { !kinds.contains($0.kind) }
    guard !others.isEmpty else { return }
    Issue.record("made final without being asked to: \(others)", sourceLocation: sourceLocation)
  }
}

extension Trait where Self == AskedChanges {
  /// Locks, formats blank tags, or whatever else cannot be undone, by its name.
  public static func asking(_ kinds: IrreversibleChange.Kind...) -> AskedChanges {
    AskedChanges(kinds: Set(kinds))
  }
}

/// Looks, when a bench goes, at what was made final on its tags.
public final class FieldWatch: Sendable {
  private let field: VirtualField
  private let sourceLocation: SourceLocation
  private let asked = AskedChanges.kinds

  public init(_ field: VirtualField, _ sourceLocation: SourceLocation) {
    self.field = field
    self.sourceLocation = sourceLocation
  }

  deinit {
    AskedChanges.check(
      field.unexpectedChanges, askedFor: asked, sourceLocation: sourceLocation)
  }
}
