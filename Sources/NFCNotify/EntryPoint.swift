import SwiftNFCChildProcesses

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `nfc-notify`: shows notifications for `nfc watch`. It is a separate program, so that only those
/// who want notifications need libdbus.
///
/// Each line of JSON on standard input is one notification: `{"title":…,"body":…,"link":…}`. When a
/// person clicks it, this program prints the link on standard output.
@main
enum EntryPoint {
  private struct Request: Decodable {
    let title: String
    let body: String
    let link: String?
  }

  /// The name of the action that reports a click on the notification itself.
  private static let clicked = "default"
  private static let period: Int32 = 1000

  static func main() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    do {
      try run(SessionBus())
    } catch {
      complain(error)
      exit(EX_UNAVAILABLE)
    }
  }

  private static func complain(_ problem: SessionBus.Problem) {
    Descriptor.write("nfc: no notification: \(problem.reason)\n".utf8, to: STDERR_FILENO)
  }

  /// Shows a notification and returns its number.
  ///
  /// A body is markup if the service supports it (specification, "Markup"). The contents of a tag
  /// are plain text and must not show pictures or links.
  private static func show(
    _ request: Request, _ bus: SessionBus
  ) throws(SessionBus.Problem) -> UInt32 {
    let isMarkup = try bus.capabilities().contains("body-markup")
    return try bus.notify(
      title: request.title, body: isMarkup ? escaped(request.body) : request.body,
      action: request.link.map { _ in (clicked, "Open") })
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  private static func run(_ bus: SessionBus) throws(SessionBus.Problem) {
    var buffer = Data()
    var links: [UInt32: String] = [:]
    while bus.isConnected {
      var descriptors = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
      if let descriptor = bus.descriptor {
        descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
      guard poll(&descriptors, nfds_t(descriptors.count), period) >= 0 || errno == EINTR else {
        return
      }
      if descriptors[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return }
        buffer.append(contentsOf: bytes.prefix(count))
      }
      while let end = buffer.firstIndex(of: 0x0A) {
        let request = try? JSONDecoder().decode(
          Request.self, from: Data(buffer[buffer.startIndex..<end]))
        buffer = Data(buffer[(end + 1)...])
        guard let request else { continue }
        do {
          links[try show(request, bus)] = request.link
        } catch {
          // The service may be started later: the next notification tries again.
          complain(error)
        }
      }
      for event in bus.events() {
        switch event {
        case .invoked(let number, clicked):
          guard let link = links[number] else { continue }
          Descriptor.write("\(link)\n".utf8, to: STDOUT_FILENO)
        case .invoked: continue
        case .closed(let number): links[number] = nil
        }
      }
    }
  }
}
