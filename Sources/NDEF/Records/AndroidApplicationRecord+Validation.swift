extension AndroidApplicationRecord {
  /// Checks that a text is the package name of an app: two or more names, separated by dots.
  ///
  /// Source: Android developer documentation, "Configure the app module", application ID.
  ///
  /// - Throws: ``NDEFSyntaxError``, with the corrected form if one is likely.
  public static func validate(packageName: String) throws(NDEFSyntaxError) {
    guard !isPackageName(packageName) else { return }
    var candidate = packageName.trimmingBlanks
    // The address of an app's page: https://play.google.com/store/apps/details?id=com.example.app
    if let start = candidate.firstRange(of: "id=")?.upperBound {
      candidate = String(candidate[start...].prefix { $0 != "&" && $0 != "#" })
    }
    throw NDEFSyntaxError(
      "a package name is two or more names of letters, digits and _ with dots between them",
      suggestion: isPackageName(candidate) ? candidate : nil)
  }

  private static func isPackageName(_ text: String) -> Bool {
    let names = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return names.count >= 2
      && names.allSatisfy { name in
        name.first?.isLetterASCII == true
          && name.allSatisfy { $0.isLetterASCII || $0.isDigitASCII || $0 == UInt8(ascii: "_") }
      }
  }
}
