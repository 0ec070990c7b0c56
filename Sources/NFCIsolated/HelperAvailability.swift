/// Whether readers can be opened in processes of their own.
package enum HelperAvailability {
  package static var isAvailable: Bool { (try? HelperProgram(path: nil).executable()) != nil }
}
