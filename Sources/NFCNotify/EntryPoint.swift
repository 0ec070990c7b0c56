import Foundation

/// `nfc-notify`: shows notifications for `nfc watch`. A program of its own, so that only those who want
/// notifications need libdbus.
///
/// A line of JSON on standard input shows one: `{"title":…,"body":…,"link":…}`. When a person clicks it,
/// its link is one line on standard output.
@main
enum EntryPoint {
  private struct Request: Decodable {
    let title: String
    let body: String
    let link: String?
  }

  /// The name by which a click on the notification itself is reported.
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
    FileHandle.standardError.write(Data("nfc: no notification: \(problem.reason)\n".utf8))
  }

  /// Shows a notification and returns its number.
  ///
  /// A body is markup where the service supports it (specification, "Markup"). What a tag says is text: it must
  /// not show pictures or links.
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
          // The service may be started later; the next notification finds out.
          complain(error)
        }
      }
      for event in bus.events() {
        switch event {
        case .invoked(let number, clicked):
          guard let link = links[number] else { continue }
          FileHandle.standardOutput.write(Data("\(link)\n".utf8))
        case .invoked: continue
        case .closed(let number): links[number] = nil
        }
      }
    }
  }
}
