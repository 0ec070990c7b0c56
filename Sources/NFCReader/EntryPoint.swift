import SwiftNFCIsolated
import SwiftNFCLibNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `nfc-reader`: uses a reader on behalf of a program that opened it with `isolated:`, so that
/// crashes and hangs of libnfc do not affect that program.
@main
enum EntryPoint {
  static func main() {
    guard HelperService.hasProgram else {
      let text = "nfc-reader: this program is started by programs that open a reader by isolated:\n"
      _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      exit(64)
    }
    signal(SIGPIPE, SIG_IGN)
    HelperService(LibNFCSource()).run()
  }
}
