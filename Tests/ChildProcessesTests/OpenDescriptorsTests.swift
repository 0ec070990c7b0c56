import SwiftNFCChildProcesses
import Foundation
import Testing

@Suite struct OpenDescriptorsTests {
  /// Everything that is open is listed, and the list itself is not: it would be closed by then.
  ///
  /// In a process of its own. Even there, another thread may open a file for a moment: glibc does, when it returns
  /// memory. Such a moment is over soon, while a list that is wrong is wrong each time.
  @Test func namesWhatIsOpen() async {
    await #expect(processExitsWith: .success) {
      let listed = try #require(OpenDescriptors.list())
      #expect(Set([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]).isSubset(of: listed))
      var attempts = 0
      var isExact = false
      while !isExact, attempts < 20 {
        attempts += 1
        let before = try #require(OpenDescriptors.list())
        var opened: [Int32] = []
        while opened.count < 200 {
          let copy = dup(STDERR_FILENO)
          try #require(copy >= 0)
          opened.append(copy)
        }
        let during = try #require(OpenDescriptors.list())
        #expect(Set(opened).isSubset(of: during))
        for descriptor in opened { close(descriptor) }
        let after = try #require(OpenDescriptors.list())
        isExact = during.sorted() == (before + opened).sorted() && after.sorted() == before.sorted()
      }
      #expect(isExact)
    }
  }
}
