/// Where the process begins.
@main
enum EntryPoint {
  static func main() {
    // Reading `CommandLine.arguments` takes a third of a millisecond, before the reader is opened.
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      if let argument = CommandLine.unsafeArgv[index] {
        arguments.append(ArgumentText.text(of: argument))
      }
    }
    Program.run(arguments)
  }
}
