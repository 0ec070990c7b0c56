import NFC
import VirtualNFC

/// Prints the contents of tapped tags: `swift run NFCExample [READER]`.
///
/// With `door` and a reader's address, it hands a link to phones instead; see ``DoorLink``.
/// Without a reader's address, the program uses a virtual tag, so that it runs everywhere.
@main
enum EntryPoint {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "door", let address = arguments.dropFirst().first {
      try await DoorLink.offer("https://example.org/rooms/12", on: address)
    } else if let address = arguments.first {
      let reader = try await Reader.open(address)
      try await printTags(of: reader)
      await reader.close()
    } else {
      let field = VirtualField()
      let virtual = try VirtualReader(field)
      field.place(try .ntag215(ndef: NDEFMessage(.uri("https://example.org"), .text("Hello"))))
      let reader = try await Reader.open(virtual.connectionString)
      try await printTags(of: reader, count: 1)
      await reader.close()
    }
  }

  /// - Parameter count: the number of tags to print; `nil` to continue until the task is cancelled.
  private static func printTags(of reader: Reader, count: Int? = nil) async throws {
    var left = count
    for try await tag in reader.tags(polling: .iso14443) {
      do {
        try await tag.connect()
        print(tag.identifier.hexadecimal, tag.technology)
        for record in try await tag.ndef?.readNDEF()?.records ?? [] { print(" ", record) }
      } catch NFCError.Group.connection {
        print("  taken away too soon")
      }
      left = left.map { $0 - 1 }
      if left == 0 { return }
    }
  }
}
