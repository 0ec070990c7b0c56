import ChildProcesses
import Foundation
import Testing

@Suite struct OpenDescriptorsTests {
  /// Everything that is open is listed, and the list itself is not: it would be closed by then.
  ///
  /// In a process of its own, because no other thread may open anything meanwhile.
  @Test func namesWhatIsOpen() async {
    await #expect(processExitsWith: .success) {
      let before = try #require(OpenDescriptors.list())
      #expect(Set([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]).isSubset(of: before))
      var opened: [Int32] = []
      while opened.count < 300 {
        let copy = dup(STDERR_FILENO)
        try #require(copy >= 0)
        opened.append(copy)
      }
      #expect(try #require(OpenDescriptors.list()).sorted() == (before + opened).sorted())
      for descriptor in opened { close(descriptor) }
      #expect(try #require(OpenDescriptors.list()).sorted() == before.sorted())
    }
  }
}
