import ArgumentParser
import NFC

/// The kind of message `geo`.
struct GeoKind: RecordKind {
  static let name = "geo"
  static let abstract = "Writes a location."
  static let usage = "<lat,lon>"
  static let details =
    "Latitude and longitude are in degrees (WGS 84), negative for south and west."
  static let phones =
    "Phones: an Android phone opens a map; an iPhone does nothing with such a tag, and would open a link to https://maps.apple.com."
  static let examples = ["geo 51.4779,-0.0015 --virtual ntag213"]

  @Argument(help: ArgumentHelp("Latitude and longitude.", valueName: "lat,lon"))
  var place: String

  var templates: [String] { [place] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let text = values.fill(try TextArgument.checked(place, "the place"))
    if let link = try? URIRecord(geo: text) { return NDEFMessage(link.record) }
    guard isForced else {
      throw Failure(
        .usage, "\"\(text)\" is not a location",
        advice: "it is like 51.4779,-0.0015: latitude up to 90 degrees, longitude up to 180")
    }
    return NDEFMessage(.uri("geo:" + text))
  }
}
