import NFC
import TagImages

/// What restoring an image to a tag will change, before anything is written.
///
/// ```swift
/// let restoration = try await tag.restoration(of: image)
/// print(restoration.plan)
/// try await tag.perform(restoration.plan)
/// ```
///
/// The ``plan`` is performed as any other change. The same changes by sectors, pages, blocks and files are ``parts``.
public struct TagRestoration: Sendable {
  /// The plan: it writes what differs, and lists what it leaves out.
  ///
  /// A message is restored in an order in which a tag that is removed early has the old message, none, or the new one.
  /// What the tag refuses is left out, and the rest is written.
  public let plan: ChangePlan

  /// The content of the tag, if making the plan took reading all of it; `nil` for a MIFARE Classic, Ultralight or NTAG.
  public let present: TagImage?

  private let restoration: any MemoryRestoration
  private let image: TagImage

  init(
    _ restoration: any MemoryRestoration, of image: TagImage, to tag: DetectedTag,
    present: TagImage?
  ) {
    self.restoration = restoration
    self.image = image
    self.present = present
    plan = ChangePlan(
      for: tag, restoration.changeSteps, omissions: restoration.plannedOmissions,
      effects: Set(restoration.effects), recovery: restoration.recovery
    ) {
      try await restoration.perform()
    }
  }

  /// The sectors, pages, blocks and files for which something is to be done, or that are left out; empty if the tag has
  /// the image already.
  public var parts: [RestoredPart] { restoration.plan }

  /// Returns ``parts`` with the content of each before and after. Keys and passwords are masked.
  ///
  /// - Parameter now: the current content of the tag, from `readImage(keys:password:extent:)`.
  public func parts(comparedWith now: TagImage) -> [RestoredPart] {
    restoration.plan(from: now, to: image)
  }

  /// Returns the parts that were written, and what was left out.
  ///
  /// - Parameter outcome: the outcome of performing ``plan``.
  public func parts(of outcome: ChangePlan.Outcome) -> [RestoredPart] {
    restoration.parts(of: outcome)
  }
}

/// What a restoration writes only if it is requested by name.
public struct RestorationExtras: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The lock bits of an Ultralight, NTAG, SRx or ST25TB, and sector trailers of a MIFARE Classic that could never be
  /// changed again. **Cannot be undone.**
  public static let locks = RestorationExtras(rawValue: 1 << 0)
  /// Page 3 of an Ultralight or NTAG, whose bits can only be set. **Cannot be undone.**
  public static let capabilityContainer = RestorationExtras(rawValue: 1 << 1)
  /// The configuration pages of an Ultralight or NTAG.
  public static let configuration = RestorationExtras(rawValue: 1 << 2)
  /// Password and acknowledge of an Ultralight or NTAG, if the image has them.
  public static let password = RestorationExtras(rawValue: 1 << 3)
  /// Block 0 of a MIFARE Classic, which only cards accept that are not genuine.
  public static let manufacturerBlock = RestorationExtras(rawValue: 1 << 4)
  /// Keys of zeros of a MIFARE Classic, which in plain files stand for keys that were not read.
  public static let zeroKeys = RestorationExtras(rawValue: 1 << 5)
  /// An image of another kind, if its size is that of the tag: plain bytes do not always say what they are of.
  public static let uncertainKind = RestorationExtras(rawValue: 1 << 6)

  var ofUltralight: UltralightRestoreExtras {
    var extras: UltralightRestoreExtras = []
    if contains(.locks) { extras.insert(.locks) }
    if contains(.capabilityContainer) { extras.insert(.oneTimePage) }
    if contains(.configuration) { extras.insert(.configuration) }
    if contains(.password) { extras.insert(.password) }
    return extras
  }
}
