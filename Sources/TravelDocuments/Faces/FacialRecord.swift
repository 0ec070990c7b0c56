import SwiftNFCCore

/// Faces in data group 2 (Doc 9303-10, 4.7.2), in records of ISO/IEC 19794-5 or 39794-5.
public struct FacialRecord: Hashable, Sendable {
  /// The standard of a record.
  public enum Standard: String, Hashable, Sendable {
    /// The binary record of older documents.
    case iso19794 = "ISO/IEC 19794-5"
    /// The extensible record of new documents.
    case iso39794 = "ISO/IEC 39794-5"
  }

  /// The standard of the record.
  public let standard: Standard
  /// The faces, most documents have one.
  public let images: [DocumentImage]

  /// The maximum number of records and of faces in a record. Documents have one or two.
  private static let limit = 16

  /// Decodes data group 2.
  ///
  /// - Throws: `DataObjectError` if there is no record with an image.
  public static func all(in file: [UInt8]) throws(DataObjectError) -> [FacialRecord] {
    let group = try BERObject(file)
    guard group.tag == 0x75 else { throw DataObjectError("data group 2 has another tag", at: 0) }
    var templates: [BERObject] = []
    for object in try group.children() where object.tag == 0x7F61 {
      templates += try object.children()
    }
    var records: [FacialRecord] = []
    for template in templates.prefix(limit) where template.tag == 0x7F60 {
      for object in try template.children() where object.tag == 0x5F2E || object.tag == 0x7F2E {
        if let record = FacialRecord(object.content) { records.append(record) }
      }
    }
    guard !records.isEmpty else {
      throw DataObjectError("data group 2 has no image of a known format", at: 0)
    }
    return records
  }

  /// Decodes a record; `nil` for one without an image.
  ///
  /// The tag around a record does not say its standard: some documents have the older one in the newer tag.
  public init?(_ record: ArraySlice<UInt8>) {
    if record.starts(with: Self.identifier) {
      standard = .iso19794
      images = Self.facesOf19794(record)
    } else {
      standard = .iso39794
      images = Self.facesOf39794(record)
    }
    if images.isEmpty { return nil }
  }

  // MARK: ISO/IEC 19794-5

  /// The format identifier: FAC and a zero.
  private static let identifier: [UInt8] = [0x46, 0x41, 0x43, 0x00]
  private static let headerSize = 14
  private static let faceHeaderSize = 20
  private static let featurePointSize = 8
  private static let imageHeaderSize = 12

  private static func number(_ bytes: ArraySlice<UInt8>, _ offset: Int, _ count: Int) -> Int? {
    let field = bytes.dropFirst(offset).prefix(count)
    return field.count == count ? field.reduce(0) { $0 << 8 | Int($1) } : nil
  }

  /// Lengths in real records are a few bytes off, and the number of feature points may be wrong; so an image is looked
  /// for by its first bytes where it is not at its place.
  private static func facesOf19794(_ record: ArraySlice<UInt8>) -> [DocumentImage] {
    guard let count = number(record, 12, 2), record.count > headerSize else { return [] }
    var faces: [DocumentImage] = []
    var rest = record.dropFirst(headerSize)
    for index in 0..<max(1, min(count, limit)) {
      guard let length = number(rest, 0, 4), let points = number(rest, 4, 2) else { break }
      let isLast = index + 1 >= count
      // The last one goes on to the end, whatever its length says.
      let face = isLast || length <= faceHeaderSize ? rest : rest.prefix(length)
      let header = faceHeaderSize + points * featurePointSize
      let size = number(face, header + 2, 2).flatMap { width in
        number(face, header + 4, 2).map { (width: width, height: $0) }
      }
      let image =
        DocumentImage(face.dropFirst(header + imageHeaderSize), size: size)
        ?? DocumentImage.first(in: face.dropFirst(faceHeaderSize))
      if let image { faces.append(image) }
      guard !isLast, length > faceHeaderSize else { break }
      rest = rest.dropFirst(length)
    }
    return faces
  }

  // MARK: ISO/IEC 39794-5

  /// The images are octet strings within representations; which is one says its first bytes.
  private static func facesOf39794(_ record: ArraySlice<UInt8>) -> [DocumentImage] {
    var faces: [DocumentImage] = []
    var budget = 4096
    collect(record, depth: 0, &budget, &faces)
    return faces
  }

  private static func collect(
    _ bytes: ArraySlice<UInt8>, depth: Int, _ budget: inout Int, _ faces: inout [DocumentImage]
  ) {
    guard depth < BERObject.depthLimit, let objects = try? BERObject.all(in: bytes) else { return }
    for object in objects {
      budget -= 1
      guard budget > 0, faces.count < limit else { return }
      if object.isConstructed {
        collect(object.content, depth: depth + 1, &budget, &faces)
      } else if let image = DocumentImage(object.content) {
        faces.append(image)
      }
    }
  }
}

/// Images that the holder or the state has added: data groups 5 and 7 (Doc 9303-10, 4.7.5 and 4.7.7).
public enum DisplayedImages {
  /// Decodes the data group; images of unknown formats are left out.
  ///
  /// - Throws: `DataObjectError`.
  public static func all(in file: [UInt8]) throws(DataObjectError) -> [DocumentImage] {
    let group = try BERObject(file)
    guard [0x65, 0x67].contains(group.tag) else {
      throw DataObjectError("a data group with images has another tag", at: 0)
    }
    return try group.children().filter { [0x5F40, 0x5F43].contains($0.tag) }
      .compactMap { DocumentImage($0.content) }
  }
}
