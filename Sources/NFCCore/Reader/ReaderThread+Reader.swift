package import ReaderThread

extension ReaderThread {
  /// Starts the thread of a reader.
  ///
  /// - Throws: `readerUnavailable` if the system cannot create a thread.
  package static func forReader() throws(NFCError) -> ReaderThread {
    do {
      return try ReaderThread()
    } catch {
      throw NFCError(
        .readerUnavailable, "the system has no thread left for the reader",
        cause: .system(errno: error.code, text: "\(error)"))
    }
  }
}
