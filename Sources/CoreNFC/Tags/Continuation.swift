extension CheckedContinuation where E == any Error {
  /// Ends what waits for a completion handler, by what the handler was given.
  func resume(_ value: sending T, _ error: (any Error)?) {
    if let error {
      resume(throwing: error)
    } else {
      resume(returning: value)
    }
  }
}
