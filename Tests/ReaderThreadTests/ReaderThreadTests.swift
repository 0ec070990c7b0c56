import Foundation
import TestSupport
import Testing

@Suite struct ReaderThreadTests {
  /// Delays some of a program's threads before they lock a mutex.
  private static let delays = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <time.h>

    int pthread_mutex_lock(pthread_mutex_t *mutex) {
      static int (*lock)(pthread_mutex_t *);
      static _Thread_local unsigned calls;
      if (!lock) lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
      if (calls++ % 8 == 3) nanosleep(&(struct timespec){.tv_nsec = 200000}, 0);
      return lock(mutex);
    }
    """

  /// Whoever enqueues a job may be interrupted before it returns. Meanwhile the job can be executed, the actor
  /// released, and the thread ended.
  ///
  /// Memory that was released is overwritten (mallopt(3), `M_PERTURB`), so that a use of it does not go unnoticed.
  /// Only a program that is built for release shows it: one for debugging keeps every object that it calls.
  @Test func anActorMayEndBeforeItsJobHasBeenEnqueued() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, library) = (folder.path + "/delays.c", folder.path + "/delays.so")
    try Data(Self.delays.utf8).write(to: URL(filePath: source))
    let compiler = ["clang", "-shared", "-fPIC", "-o", library, source]
    try await FinishedProgram.run(("/usr/bin/env", compiler)).expectSuccess()

    let (rounds, width) = (500, 4)
    let environment = ProcessInfo.processInfo.environment.merging([
      "LD_PRELOAD": library, "MALLOC_PERTURB_": "165", "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    let program = try await RunningProgram(
      try FinishedProgram.built("ThreadExercise"), ["\(rounds)"], environment: environment
    ).end(within: .seconds(60))
    program.expectSuccess()
    #expect(program.output == "\(rounds * width * (width + 1))\n")
  }
}
