import SwiftNFCChildProcesses
import SwiftNFCJSONText

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `nfc-rules`: reads YAML for `nfc watch --rules`. It is a separate program, so that only those who have rules need
/// a library for YAML, which takes more space than the rest of `nfc`.
///
/// Standard input is the text of a file. The output is one line of JSON for the document, see ``RulesDocument``.
@main
enum EntryPoint {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    guard isatty(STDIN_FILENO) == 0 else {
      Descriptor.write(
        "nfc-rules: this program is started by nfc watch --rules\n".utf8, to: STDERR_FILENO)
      exit(EX_USAGE)
    }
    let answer = RulesDocument.json(of: input()).text + "\n"
    guard Descriptor.write(answer.utf8, to: STDOUT_FILENO) else { exit(EX_IOERR) }
  }

  private static func input() -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &piece, piece.count)
      if count > 0 {
        bytes += piece.prefix(count)
      } else if count == 0 || errno != EINTR {
        return bytes
      }
    }
  }
}
