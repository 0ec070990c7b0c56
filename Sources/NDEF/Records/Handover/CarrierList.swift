/// The content of a handover record that has a version and carriers, and nothing else of its own.
struct CarrierList {
  var version: HandoverVersion
  var carriers: [AlternativeCarrierRecord] = []
  var otherRecords: [NDEFRecord] = []

  /// Reads the payload of a record; leniently, a malformed record in it is left out.
  init(_ payload: [UInt8], tolerance: inout NDEFTolerance) throws(NDEFError) {
    var reader = ByteReader(payload)
    version = try HandoverVersion(&reader)
    try reader.readLocalRecords(tolerance: &tolerance) { (inner) throws(NDEFError) in
      if AlternativeCarrierRecord.matches(inner) {
        carriers.append(try AlternativeCarrierRecord(inner))
      } else {
        otherRecords.append(inner)
      }
    }
  }

  /// Reads `{"version":"1.5","carriers":[…]}`.
  init(fields: NDEFFields) throws(NDEFFieldError) {
    version = try HandoverVersion(fields: fields)
    carriers = try AlternativeCarrierRecord.list(in: fields)
  }

  init(
    version: HandoverVersion, carriers: [AlternativeCarrierRecord], otherRecords: [NDEFRecord]
  ) {
    self.version = version
    self.carriers = carriers
    self.otherRecords = otherRecords
  }

  var payload: [UInt8] {
    [version.rawValue] + NDEFMessage(records: carriers.map(\.record) + otherRecords).encoded()
  }

  var fields: NDEFFields {
    [
      "version": .text(version.description),
      "carriers": .list(carriers.map { .fields($0.content) }),
    ]
  }

  var description: String {
    carriers.isEmpty ? "no carrier" : carriers.map(\.description).joined(separator: ", ")
  }
}
