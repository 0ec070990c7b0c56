import ArgumentParser
import NFC
import NFCDiagnosis

/// What a shell offers where a connection string is expected: those of the readers and ports that are there. No reader is
/// opened.
enum ReaderCompletion {
  // Not an asynchronous one: options with that could not be parsed without a command, as programs of this module do.
  static var kind: CompletionKind {
    .custom { _, _, beginning in
      ReaderDiagnosis.currentOnThisThread().readers.compactMap { reader in
        reader.connectionString.map { ($0, reader.name) }
      }
      .filter { $0.0.hasPrefix(beginning) }
      .map { VirtualTags.described($0.0, $0.1.onOneLine) }
    }
  }
}
