/// The tag that is wanted.
package struct TagCriteria: Sendable {
  /// The technologies to poll; the reader supports each of them.
  package var technologies: [TagTechnology]
  /// Technologies that are polled only occasionally, while there is no tag of ``technologies``,
  /// to report which tag is present instead.
  package var otherTechnologies: [TagTechnology] = []
  /// Whether a card that may be a DESFire is asked for its version; a card that is not one counts
  /// as ISO 7816.
  package var requestsVersion: Bool
  /// Returns whether a tag is suitable.
  package var fits: @Sendable (DetectedTag) -> Bool
  /// Called after each search that has found no suitable tag, with the unsuitable ones. An error
  /// that it throws ends the wait.
  package var onUnsuitableTags: @Sendable ([DetectedTag]) throws -> Void = { _ in }

  package init(
    technologies: [TagTechnology], otherTechnologies: [TagTechnology] = [],
    requestsVersion: Bool = true,
    fits: @escaping @Sendable (DetectedTag) -> Bool,
    onUnsuitableTags: @escaping @Sendable ([DetectedTag]) throws -> Void = { _ in }
  ) {
    self.technologies = technologies
    self.otherTechnologies = otherTechnologies
    self.requestsVersion = requestsVersion
    self.fits = fits
    self.onUnsuitableTags = onUnsuitableTags
  }
}
