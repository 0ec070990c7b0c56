/// One entry of Apple's interface: its name, and a use of it that the compiler has to accept, so that a
/// member that vanishes breaks the build.
struct Member {
  let name: String

  init<Use>(_ name: String, _ use: Use) {
    self.name = name
  }
}

/// One area of the interface, with the numbers that there have to be.
struct Area {
  let name: String
  let types: [String]
  let members: [Member]
}
