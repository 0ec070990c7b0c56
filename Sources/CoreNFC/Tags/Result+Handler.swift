extension Result {
  /// Returns the arguments for a completion handler with a value and an error.
  ///
  /// - Parameter empty: the value that accompanies an error.
  func answer(or empty: Success) -> (Success, Failure?) {
    switch self {
    case .success(let value): (value, nil)
    case .failure(let error): (empty, error)
    }
  }

  /// Creates a result from a completion handler's value and error.
  init(answer: Success, error: Failure?) {
    self = error.map { .failure($0) } ?? .success(answer)
  }
}
