import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// A fault of the chip or of the line at every command of a tap: what a phone has read is right, what it has written is
/// there completely or not at all, and the next tap works.
@Suite struct CardFaultTests {
  enum Kind: CaseIterable {
    case commandBroken
    case acknowledgeLost
    case acknowledgeDoubled
    case replyBroken
    case replyLost
    case replyHeld
    case replyIsNoise
    case replyIsAnother
    case replyIsShort
    case supplyFails
    case lineCloses
    case chipFallsSilent

    var effect: Fault.Effect {
      switch self {
      case .commandBroken: .commandBroken
      case .acknowledgeLost: .acknowledgeLost
      case .acknowledgeDoubled: .acknowledgeDoubled
      case .replyBroken: .replyBroken
      case .replyLost: .replyLost
      case .replyHeld: .replyHeld
      case .replyIsNoise: .replyReplaced([UInt8](repeating: 0x5A, count: 40))
      case .replyIsAnother: .replyContentReplaced([0xD5, 0x03, 0x32, 0x01, 0x06, 0x07])
      case .replyIsShort: .replyByteLost(6)
      case .supplyFails: .supplyFails
      case .lineCloses: .lineCloses
      case .chipFallsSilent: .chipFallsSilent
      }
    }

    /// Whether the reader is gone, or does not answer any more.
    var losesReader: Bool { self == .lineCloses || self == .chipFallsSilent }

    /// Whether it is noticed only when a phone, and then the card, has waited long enough; every third moment shows that,
    /// both of TgGetData and of TgSetData.
    var isWaitedOut: Bool {
      [.commandBroken, .replyLost, .replyHeld, .supplyFails, .chipFallsSilent].contains(self)
    }

    func moments(_ all: [Int]) -> [Int] { isWaitedOut ? all.filter { $0.isMultiple(of: 3) } : all }
  }

  private static let old = [UInt8].message(137)
  private static let new = [UInt8].message(90)
  /// The host's commands of a tap that reads, of one that writes, and of those that arm the chip again.
  private static let moments = (read: Array(0..<17), write: Array(0..<25))
  /// Moments share a reader, and readers work side by side, because some faults are waited out.
  private static let lanes = 8

  @Test(arguments: Kind.allCases.filter { !$0.losesReader })
  func whileAPhoneReads(_ kind: Kind) async throws {
    try await inLanes(kind.moments(Self.moments.read)) { moments in
      let bench = try await CardBench()
      let antenna = bench.virtual.antenna
      for moment in moments {
        try await bench.acting(as: .ndef(bytes: Self.old)) { [virtual = bench.virtual] in
          virtual.setFaults([Fault(kind.effect, at: .command(moment))])
          try await withPhone {
            let read = try? Self.patientPhone(antenna).reading()
            #expect(read == nil || read == Self.old, "\(kind) at \(moment)")
          }
          virtual.setFaults([])
          let next = try await withPhone { try ScriptedPhone(antenna).readingPersistently() }
          #expect(next == Self.old, "\(kind) at \(moment)")
        }
      }
      await bench.close()
    }
  }

  @Test(arguments: Kind.allCases.filter { !$0.losesReader })
  func whileAPhoneWrites(_ kind: Kind) async throws {
    try await inLanes(kind.moments(Self.moments.write)) { moments in
      let bench = try await CardBench()
      let antenna = bench.virtual.antenna
      for moment in moments {
        bench.forget()
        try await bench.acting(as: .ndef(bytes: Self.old, isWritable: true)) {
          [virtual = bench.virtual] in
          virtual.setFaults([Fault(kind.effect, at: .command(moment))])
          let isWritten = try await withPhone {
            let phone = Self.patientPhone(antenna)
            defer { phone.fieldOff() }
            do {
              try phone.tap(within: .seconds(1))
              try phone.writeNDEF(Self.new)
              return true
            } catch { return false }
          }
          virtual.setFaults([])
          let read = try await withPhone { try ScriptedPhone(antenna).readingPersistently() }
          #expect(read == Self.new || read == Self.old && !isWritten, "\(kind) at \(moment)")
          // Events come a moment after the answers that they are about.
          try await bench.waitForReleases(1)
          let isReported = bench.words.contains("written \(Self.new.count)")
          #expect(isReported == (read == Self.new), "\(kind) at \(moment): \(bench.words)")
        }
      }
      await bench.close()
    }
  }

  @Test(arguments: Kind.allCases.filter(\.losesReader))
  func aReaderThatIsLost(_ kind: Kind) async throws {
    try await inLanes(kind.moments(Self.moments.read)) { moments in
      for moment in moments {
        let bench = try await CardBench()
        let (antenna, virtual) = (bench.virtual.antenna, bench.virtual)
        await #expect("\(kind) at \(moment)") {
          try await bench.acting(as: .ndef(bytes: Self.old)) {
            virtual.setFaults([Fault(kind.effect, at: .command(moment))])
            try await withPhone {
              let read = try? Self.patientPhone(antenna).reading()
              #expect(read == nil || read == Self.old)
            }
            // Commands that no tap has sent are those of arming again, which go on.
            try await Task.sleep(for: .seconds(60))
          }
        } throws: {
          ($0 as? NFCError)?.code == .readerLost
        }
        await bench.close()
      }
    }
  }

  /// Runs the moments on several readers, each with its own.
  private func inLanes(
    _ moments: [Int], _ body: @escaping @Sendable ([Int]) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<Self.lanes {
        let own = stride(from: lane, to: moments.count, by: Self.lanes).map { moments[$0] }
        if !own.isEmpty { group.addTask { try await body(own) } }
      }
      try await group.waitForAll()
    }
  }

  /// A phone that gives up soon.
  private static func patientPhone(_ antenna: any FacingAntenna) -> ScriptedPhone {
    let phone = ScriptedPhone(antenna)
    phone.patience = .seconds(1)
    return phone
  }
}

extension ScriptedPhone {
  /// Comes, reads, deselects the card and leaves.
  func reading(within limit: Duration = .seconds(20)) throws -> [UInt8] {
    defer { fieldOff() }
    try tap(within: limit)
    let message = try readNDEF()
    try deselect()
    return message
  }

  /// Reads like ``reading(within:)``, and begins again after silence, as phones do while a card is there: the reader may
  /// just be arming its chip again, which ends an activation.
  func readingPersistently(within limit: Duration = .seconds(20)) throws -> [UInt8] {
    let end = ContinuousClock.now + limit
    while true {
      do {
        return try reading(within: ContinuousClock.now.duration(to: end))
      } catch let failure as Failure
        where failure.description == "silence" && ContinuousClock.now < end
      {
        continue
      }
    }
  }
}
