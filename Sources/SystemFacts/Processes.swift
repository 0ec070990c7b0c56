#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The programs that run, and the device nodes that they have open, as far as this login may see.
package struct Processes {
  package struct Process: Hashable {
    package let id: pid_t
    package let command: String
    fileprivate let nodes: [SystemFiles.Node]
  }

  private let processes: [Process]

  package init(_ files: SystemFiles) {
    let devices = files.root + "/dev/"
    let own = getpid()
    processes = (files.names(in: "/proc") ?? []).compactMap { name in
      guard let id = pid_t(name), id != own, let command = files.line("/proc/\(name)/comm")
      else { return nil }
      let folder = "/proc/\(name)/fd"
      let nodes = (files.names(in: folder) ?? []).compactMap { number in
        // A file that is not a device may be on a disk that does not answer.
        let path = "\(folder)/\(number)"
        return files.link(path)?.hasPrefix(devices) == true ? files.node(path) : nil
      }
      return Process(id: id, command: command, nodes: nodes)
    }
  }

  /// Returns the processes that have a node open. Only root can see those of other users.
  package func holders(of node: SystemFiles.Node) -> [Process] {
    processes.filter { $0.nodes.contains { $0.isSame(as: node) } }
  }

  package func isRunning(_ command: String) -> Bool {
    processes.contains { $0.command == command }
  }

  /// Returns the names of the first few processes, for people.
  package static func list(_ processes: [Process]) -> String {
    let most = 3
    let names = processes.prefix(most).map { "\($0.command) (process \($0.id))" }
    return (names + (processes.count > most ? ["others"] : [])).joined(separator: ", ")
  }
}
