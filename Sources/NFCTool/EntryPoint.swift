/// Where the process begins.
@main
enum EntryPoint {
  static func main() {
    Program.run(Array(CommandLine.arguments.dropFirst()))
  }
}
