import Testing
import VirtualNFC

/// The irreversible changes that the procedures of a test are explicitly asked to make. Any other
/// irreversible change of a watched tag fails the test.
public struct PermittedChanges: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal public static var kinds: Set<IrreversibleChange.Kind> = []

  let kinds: Set<IrreversibleChange.Kind>

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$kinds.withValue(Self.kinds.union(kinds)) { try await function() }
  }

  /// Records an issue for changes that were not requested.
  public static func check(
    _ changes: [IrreversibleChange], askedFor kinds: Set<IrreversibleChange.Kind> = Self.kinds,
    sourceLocation: SourceLocation
  ) {
    let others = changes.filter { !kinds.contains($0.kind) }
    guard !others.isEmpty else { return }
    Issue.record(
      "made irreversible changes that were not requested: \(others)", sourceLocation: sourceLocation
    )
  }
}

extension Trait where Self == PermittedChanges {
  /// Permits irreversible changes of these kinds, such as locks or the formatting of blank tags.
  public static func asking(_ kinds: IrreversibleChange.Kind...) -> PermittedChanges {
    PermittedChanges(kinds: Set(kinds))
  }
}

/// Checks the irreversible changes of a bench's tags when the bench is deallocated.
public final class FieldWatch: Sendable {
  private let field: VirtualField
  private let sourceLocation: SourceLocation
  private let asked = PermittedChanges.kinds

  public init(_ field: VirtualField, _ sourceLocation: SourceLocation) {
    self.field = field
    self.sourceLocation = sourceLocation
  }

  deinit {
    PermittedChanges.check(
      field.unexpectedChanges, askedFor: asked, sourceLocation: sourceLocation)
  }
}
