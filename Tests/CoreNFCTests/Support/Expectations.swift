import CoreNFC
import Testing

/// Takes an object to another thread, which alone uses it from then on.
struct Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Expects an ``NFCReaderError`` of a code, and gives it.
@discardableResult
nonisolated(nonsending) func expect(
  _ code: NFCReaderError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) () async throws -> Void
) async -> NFCReaderError? {
  do {
    try await body()
    Issue.record("no error in place of \(code)", sourceLocation: sourceLocation)
  } catch let error as NFCReaderError {
    #expect(error.code == code, sourceLocation: sourceLocation)
    return error
  } catch {
    Issue.record("\(error) in place of \(code)", sourceLocation: sourceLocation)
  }
  return nil
}
