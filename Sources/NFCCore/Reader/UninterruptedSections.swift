import Synchronization

/// The parts of procedures that run in this process now and that a cancelled task does not stop; see
/// ``TagLink/uninterrupted(_:)``.
///
/// A program that is asked to end waits for these sections: a lock that has begun, a key of which
/// two pages are written. They belong to the whole process, because it is the process that ends.
package enum UninterruptedSections {
  private static let running = Atomic<Int>(0)

  package static var areRunning: Bool { running.load(ordering: .acquiring) > 0 }

  static func begin() { running.add(1, ordering: .acquiringAndReleasing) }

  static func end() { running.subtract(1, ordering: .acquiringAndReleasing) }
}
