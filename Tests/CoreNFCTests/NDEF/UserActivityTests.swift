import CoreNFC
import Testing

/// `NSUserActivity`, which Foundation has on Apple's platforms alone.
@Suite struct UserActivityTests {
  @Test func anActivityOfAnotherKindHasAnEmptyRecord() {
    let activity = NSUserActivity(activityType: "com.example.editing")
    #expect(activity.activityType == "com.example.editing")
    #expect(activity.webpageURL == nil)
    let message = activity.ndefMessagePayload
    #expect(message.records.map(\.typeNameFormat) == [.empty])
  }

  @Test func aMessageWithALinkIsDelivered() throws {
    let text = try #require(
      NFCNDEFPayload.wellKnownTypeTextPayload(string: "a", locale: Locale(identifier: "en")))
    let link = try #require(NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://example.com"))
    let message = NFCNDEFMessage(records: [text, link])
    let activity = try #require(NSUserActivity(delivering: message))
    #expect(activity.activityType == NSUserActivityTypeBrowsingWeb)
    #expect(activity.webpageURL?.absoluteString == "https://example.com")
    #expect(activity.ndefMessagePayload === message)
    #expect(NSUserActivity(delivering: NFCNDEFMessage(records: [text])) == nil)
  }
}
