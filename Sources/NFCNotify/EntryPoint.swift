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
      FileHandle.standardError.write(Data("nfc-notify: \(error.reason)\n".utf8))
      exit(EX_UNAVAILABLE)
    }
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
        let number = try bus.notify(
          title: request.title, body: request.body,
          action: request.link.map { _ in (clicked, "Open") })
        links[number] = request.link
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
