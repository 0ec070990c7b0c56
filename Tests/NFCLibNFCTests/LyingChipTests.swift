import NFC
import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// A chip whose answers have the right frame and a content that cannot be: libnfc would end the process, or hand out
  /// memory that nobody has written. Every one of these tests would end with the process of the tests.
  @Suite struct LyingChipTests {
    private let field = VirtualField()
    private let virtual: VirtualReader
    private let driver: LibNFCDriver

    init() throws {
      virtual = try VirtualReader(field)
      driver = try LibNFCDriver.open(virtual.connectionString)
      driver.begin()
    }

    /// The chip answers the first commands that begin with these bytes with a lie.
    private func lie(_ answer: [UInt8], to command: [UInt8], times: Int = 1) {
      virtual.setFaults(
        (0..<times).map {
          Fault(.replyContentReplaced(answer), at: .commandBeginning(command, $0))
        })
    }

    @Test func theGuardKnowsThisBuildOfLibnfc() {
      #expect(driver.device.checksAnswers)
      driver.close()
    }

    /// The statuses that a chip can answer with, and none.
    private static let statuses: [UInt8?] = (0...255).map { $0 } + [nil]

    @Test(arguments: [Framing.tagProtocol, .checked])
    func everyStatusOfAnExchangeIsAnErrorOrAnAnswer(_ framing: Framing) throws {
      field.place(.ntag213())
      let command: [UInt8] = framing == .tagProtocol ? [0x40] : [0x42]
      let data = [UInt8](repeating: 0xA5, count: 16)
      for status in Self.statuses {
        virtual.setFaults([])
        try driver.resetField()
        let tag = try #require(try driver.list(.iso14443a).first, "\(String(describing: status))")
        try driver.select(tag)
        lie([0xD5, command[0] + 1] + (status.map { [$0] + data } ?? []), to: command)
        do {
          let answer = try driver.exchange(
            [0x30, 0x00], framing: framing, timeout: .milliseconds(200))
          // A status of success; 40 says that more follows, which the tag then answers. The highest two bits of 80 and
          // C0 are none.
          #expect([0x00, 0x40].contains(status), "\(String(describing: status))")
          #expect(answer.starts(with: data))
        } catch is NFCError {
          #expect(status != 0x00)
        }
      }
      driver.close()
    }

    /// Only the first of two parts comes, and it ends like a whole answer.
    @Test(arguments: [0x01, 0x02, 0x0B] as [UInt8])
    func anAnswerWithoutItsRestIsAnError(_ status: UInt8) throws {
      field.place(.type4())
      let tag = try #require(try driver.list(.iso14443a).first)
      try driver.select(tag)
      let part = [UInt8](repeating: 0xA5, count: 242) + [0x90, 0x00]
      virtual.setFaults([
        Fault(.replyContentReplaced([0xD5, 0x41, 0x40] + part), at: .commandBeginning([0x40], 0)),
        Fault(.replyContentReplaced([0xD5, 0x41, status]), at: .commandBeginning([0x40], 1)),
      ])
      let error = #expect(throws: NFCError.self) {
        try driver.exchange(
          [0x00, 0xB0, 0x00, 0x00, 0x00], framing: .tagProtocol, timeout: .milliseconds(200))
      }
      #expect(error?.code == .tagResponseError)
      driver.close()
    }

    @Test(arguments: [[UInt8]([0x44]), [0x52]])
    func everyStatusOfADeselectionIsSurvived(_ command: [UInt8]) throws {
      field.place(.type4())
      for status in Self.statuses {
        lie([0xD5, command[0] + 1] + (status.map { [$0] } ?? []), to: command, times: 2)
        _ = try? driver.list(.iso14443a)
      }
      virtual.setFaults([])
      try driver.resetField()
      #expect(try driver.list(.iso14443a).count == 1)
      driver.close()
    }

    // MARK: Lists

    struct Listing: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let tag: @Sendable () -> VirtualTag
      /// BrTy of InListPassiveTarget.
      let modulation: UInt8
      let technology: TagTechnology
      let answer: [UInt8]
      /// Where lengths stand in the answer.
      let lengths: [Int]

      static let all = [
        Listing(
          testDescription: "type A", tag: { .ntag213() }, modulation: 0x00, technology: .iso14443a,
          answer: [0x01, 0x01, 0x00, 0x44, 0x00, 0x07, 4, 1, 2, 3, 4, 5, 6], lengths: [0, 5]),
        Listing(
          testDescription: "type A with ATS", tag: { .type4() }, modulation: 0x00,
          technology: .iso14443a,
          answer: [
            0x01, 0x01, 0x03, 0x44, 0x20, 0x04, 0xC0, 0xFF, 0xEE, 0x12, 0x06, 0x75, 0x77, 0x81,
            0x02,
            0x80,
          ], lengths: [0, 5, 10]),
        Listing(
          testDescription: "type B", tag: { .type4B() }, modulation: 0x03, technology: .iso14443b,
          answer: [0x01, 0x01, 0x50, 1, 2, 3, 4, 5, 6, 7, 8, 0x00, 0x81, 0x81, 0x01, 0x00],
          lengths: [0, 14]),
        Listing(
          testDescription: "FeliCa", tag: { .suica() }, modulation: 0x01, technology: .feliCa,
          answer: [0x01, 0x01, 0x14, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 3],
          lengths: [0, 2]),
        Listing(
          testDescription: "Jewel", tag: { .topaz96() }, modulation: 0x04, technology: .jewel,
          answer: [0x01, 0x01, 0x0C, 0x00, 1, 2, 3, 4], lengths: [0]),
      ]

      /// Every answer that is too short, too long, names two tags, or has a length that is wrong.
      var lies: [[UInt8]] {
        let cut = answer.indices.map { Array(answer.prefix($0)) }
        let long = [1, 100, 240].map { answer + [UInt8](repeating: 0x5A, count: $0) }
        let two = [
          [0x02] + answer.dropFirst(), [0x02] + answer.dropFirst() + [0x02] + answer.dropFirst(2),
        ]
        let wrong = lengths.flatMap { place in
          [0, 1, 3, 11, 18, 19, 21, 32, 62, 127, 128, 254, 255].map { (length: UInt8) in
            var answer = answer
            answer[place] = length
            return answer
          }
        }
        return cut + long + two + wrong
      }
    }

    @Test(arguments: Listing.all)
    func aListThatCannotBeHandsOutNothingButWhatTheChipHasSaid(_ listing: Listing) throws {
      field.place(listing.tag())
      let honest = try #require(try driver.list(listing.technology).first)
      for lie in listing.lies {
        self.lie([0xD5, 0x4B] + lie, to: [0x4A, 0x01, listing.modulation], times: 3)
        guard let targets = try? driver.list(listing.technology) else { continue }
        for target in targets {
          guard target.identifier != honest.identifier else { continue }
          for part in target.parts where !part.isEmpty {
            #expect(lie.firstRange(of: part) != nil, "\(part) is not in \(lie)")
          }
        }
      }
      virtual.setFaults([])
      try driver.resetField()
      #expect(try driver.list(listing.technology).count == 1)
      driver.close()
    }
  }
}

extension Target {
  /// Everything in it that has come from the tag and whose length is not fixed by its type.
  fileprivate var parts: [[UInt8]] {
    switch self {
    case .iso14443a(let tag): [tag.uid, tag.ats]
    case .iso14443b(let tag): [tag.pupi, tag.applicationData, tag.protocolInfo]
    case .feliCa(let tag): [tag.idm, tag.pmm, tag.systemCode]
    case .jewel(_, let uid): [uid]
    default: []
    }
  }
}
