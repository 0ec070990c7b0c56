import NFCCore

extension Reader {
  /// Opens readers that together can poll what is asked for: of those that ``list()`` gives, the first that
  /// can be opened, and each further one that has a technology which those before it have not.
  ///
  /// - Throws: ``NFCError`` as ``open(_:)`` if none can be opened.
  public static func openAll(polling options: PollingOptions = .all) async throws -> [Reader] {
    var missing = Set(options.technologies)
    var readers: [Reader] = []
    var problem: NFCError?
    for name in try await list() where !missing.isEmpty {
      do {
        let reader = try await open(name)
        if readers.isEmpty || !missing.isDisjoint(with: reader.capabilities.technologies) {
          missing.subtract(reader.capabilities.technologies)
          readers.append(reader)
        } else {
          await reader.close()
        }
      } catch let error as NFCError {
        problem = problem ?? error
      }
    }
    if let problem, readers.isEmpty { throw problem }
    return readers.isEmpty ? [try await open()] : readers
  }
}
