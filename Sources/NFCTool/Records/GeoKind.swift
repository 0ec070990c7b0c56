import ArgumentParser
import NFC

/// The kind of message `geo`.
struct GeoKind: RecordKind {
  static let name = "geo"
  static let abstract = "Writes a location."
  static let usage = "<lat,lon>"
  static let details =
    "Latitude and longitude are in degrees (WGS 84), negative for south and west."
  static let examples = ["geo 51.4779,-0.0015 --virtual ntag213"]

  @Argument(help: ArgumentHelp("Latitude and longitude.", valueName: "lat,lon"))
  var place: String

  var templates: [String] { [place] }

  /// Returns the message (RFC 5870).
  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let text = values.fill(try TextArgument.checked(place, "the place"))
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.filter { !$0.isWhitespace }
    }
    let limits = [90.0, 180.0]
    let isPlace =
      parts.count == 2
      && zip(parts, limits).allSatisfy { part, limit in
        part.allSatisfy { $0.isASCII && ($0.isNumber || "-.".contains($0)) }
          && (Double(part).map { abs($0) <= limit } ?? false)
      }
    guard isPlace || isForced else {
      throw Failure(
        .usage, "\"\(text)\" is not a location",
        advice: "it is like 51.4779,-0.0015: latitude up to 90 degrees, longitude up to 180")
    }
    return NDEFMessage(.uri("geo:" + (isPlace ? parts.joined(separator: ",") : text)))
  }
}
