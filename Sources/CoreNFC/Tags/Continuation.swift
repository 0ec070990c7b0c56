extension CheckedContinuation where E == any Error {
  /// Resumes with the arguments of a completion handler.
  func resume(_ value: sending T, _ error: (any Error)?) {
    if let error {
      resume(throwing: error)
    } else {
      resume(returning: value)
    }
  }
}
