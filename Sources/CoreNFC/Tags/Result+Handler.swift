extension Result {
  /// Returns what a completion handler with a value and an error is given.
  ///
  /// - Parameter empty: stands for the value beside an error.
  func answer(or empty: Success) -> (Success, Failure?) {
    switch self {
    case .success(let value): (value, nil)
    case .failure(let error): (empty, error)
    }
  }

  /// What a result handler is given by a completion handler's value and error.
  init(answer: Success, error: Failure?) {
    self = error.map { .failure($0) } ?? .success(answer)
  }
}
