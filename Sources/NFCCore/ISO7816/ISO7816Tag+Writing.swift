extension ISO7816Tag {
  /// Writes parts of a file of the current application, one after the other and without another command in
  /// between: SELECT, and UPDATE BINARY for each part, or more if a part does not fit one command.
  ///
  /// - Parameter maximumLength: the maximum number of data bytes in one command; a refusal of the card
  ///   lowers it.
  /// - Throws: `tagRefused` or `notAuthenticated`, with the file.
  package func updateBinary(
    file: UInt16, _ parts: [(offset: Int, data: [UInt8])], maximumLength: Int
  ) async throws {
    try await exclusively { link in
      let procedure = ISO7816Procedure(link)
      try procedure.selectFile(file)
      var limit = maximumLength
      for part in parts {
        try procedure.updateBinary(
          file: file, offset: part.offset, data: part.data, limit: &limit)
      }
    }
  }
}
