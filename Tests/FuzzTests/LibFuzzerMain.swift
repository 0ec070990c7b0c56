import NDEF

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// libFuzzer's own loop, from the toolchain's library without a `main` (LLVM, "libFuzzer", "Using
/// libFuzzer as a library").
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The program that Scripts/fuzz builds and runs. Its arguments are libFuzzer's.
@main
enum LibFuzzerMain {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(
      runDriver(&count, &arguments) { bytes, count in
        if let problem = DecoderFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count))) {
          fatalError(problem)
        }
        return 0
      })
  }
}
