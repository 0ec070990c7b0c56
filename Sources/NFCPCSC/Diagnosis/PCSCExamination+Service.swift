import SwiftNFCCore
import SwiftNFCSystemFacts

// The service itself.
extension PCSCExamination {
  private static let program = "/usr/sbin/pcscd"
  private static let defaultSocket = "/run/pcscd/pcscd.comm"
  private static let socketVariable = "PCSCLITE_CSOCK_NAME"

  /// The path of the service's socket.
  var socket: String { system.files.variable(Self.socketVariable) ?? Self.defaultSocket }

  private var hasSystemd: Bool { system.files.exists("/run/systemd/system") }

  func serviceIsMissing(_ error: NFCError, isObstacle: Bool = true) -> ReaderFinding {
    func finding(_ detail: String, _ advice: String) -> ReaderFinding {
      ReaderFinding(.noService, detail, advice: advice, isObstacle: isObstacle)
    }
    let start = hasSystemd ? "sudo systemctl enable --now pcscd.socket" : "sudo pcscd"
    if case .driver(let failure)? = error.cause, failure.meaning == .notPermitted {
      return finding(
        "the PC/SC service refuses this program",
        "allow org.debian.pcsc-lite.access_pcsc and access_card in a rule of polkit, or try as root"
      )
    }
    guard system.files.exists(Self.program) else {
      return finding(
        "the PC/SC service is not installed", "sudo apt install pcscd libccid, then \(start)")
    }
    guard system.files.exists(socket) else {
      return finding("the PC/SC service is not running: \(socket) is not there", start)
    }
    return finding(
      "the PC/SC service does not answer at \(socket)",
      hasSystemd ? "sudo systemctl restart pcscd.socket pcscd.service" : start)
  }
}
