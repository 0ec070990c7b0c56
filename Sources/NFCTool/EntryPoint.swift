/// The entry point of the process.
@main
enum EntryPoint {
  static func main() {
    StandardStreams.occupy()
    // Reading `CommandLine.arguments` takes a third of a millisecond, which would delay opening the reader.
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      if let argument = CommandLine.unsafeArgv[index] {
        arguments.append(ArgumentText.text(of: argument))
      }
    }
    Program.run(arguments)
  }
}
