import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// A virtual PN532 acts as a card, over libnfc, for scripted phones.
@Suite(.serialized) struct EmulatedCardTests {
  @Test(arguments: [0, 33, 137, 868, 2000])
  func phonesReadAMessage(_ count: Int) async throws {
    let bench = try await CardBench()
    let message = [UInt8].message(count)
    #expect(message.count == count)
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: message)) {
      let read = try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        let first = try phone.readNDEF()
        // Presence checks are the chip's.
        #expect(phone.isPresent())
        #expect(phone.isPresent())
        try phone.deselect()
        try phone.tap()
        try phone.probeLikeAnIPhone()
        let second = try phone.readNDEF()
        phone.fieldOff()
        #expect(phone.uid[0] == 0x08)
        #expect(Array(phone.ats.prefix(5)) == [0x06, 0x75, 0x33, 0x92, 0x03])
        return [first, second]
      }
      #expect(read == [message, message])
      try await bench.waitForReleases(2)
    }
    #expect(
      bench.words == [
        "ready", "activated", "read \(count)", "released deselected", "activated", "read \(count)",
        "released field",
      ])
    await bench.close()
  }

  @Test func twentyTimesDeselectedAndBack() async throws {
    let bench = try await CardBench()
    let message = [UInt8].message(137)
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: message)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        for _ in 0..<20 {
          try phone.tap()
          #expect(try phone.readNDEF() == message)
          try phone.deselect()
        }
        phone.fieldOff()
      }
      try await bench.waitForReleases(20)
    }
    #expect(bench.count { $0 == .read(137) } == 20)
    #expect(bench.count { $0 == .activated } == 20)
    await bench.close()
  }

  @Test func aPhoneWrites() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    let written = [UInt8].message(700)
    try await bench.acting(as: .ndef(bytes: .message(33), isWritable: true)) {
      let read = try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        try phone.writeNDEF(written)
        try phone.deselect()
        // The next write is torn between NLEN 0 and NLEN.
        try phone.tap()
        phone.leaves = { $0 > 30 }
        #expect(throws: ScriptedPhone.Failure.self) {
          while true { try phone.writeNDEF(.message(300)) }
        }
        phone.leaves = { _ in false }
        try phone.tap()
        let read = try phone.readNDEF()
        phone.fieldOff()
        return read
      }
      #expect(read == written || read == .message(300))
      try await bench.waitForReleases(3)
    }
    #expect(bench.words.contains("written 700"))
    await bench.close()
  }

  /// The phone leaves before each of its blocks: the card is there again for the next.
  @Test func aPhoneLeavesAtAnyMoment() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    let message = [UInt8].message(868)
    let count = 24
    try await bench.acting(as: .ndef(bytes: message)) {
      try await withPhone {
        for moment in 0..<count {
          let phone = ScriptedPhone(antenna)
          phone.leaves = { $0 == moment }
          try phone.tap()
          _ = try? phone.readNDEF()
          phone.fieldOff()
        }
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        #expect(try phone.readNDEF() == message)
        try phone.deselect()
      }
      try await bench.waitForReleases(count + 1)
    }
    #expect(bench.words.count { $0 == "activated" } == count + 1)
    await bench.close()
  }

  /// The phone leaves before each block of a write, also between the blocks of a command: the message is the old one.
  @Test func aPhoneLeavesWhileItWrites() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    let (old, new) = ([UInt8].message(137), [UInt8].message(300))
    // Four commands to the file, its length, 246 bytes in five blocks, 54 bytes, and the length.
    let count = 12
    try await bench.acting(as: .ndef(bytes: old, isWritable: true)) {
      try await withPhone {
        for moment in 0..<count {
          let phone = ScriptedPhone(antenna)
          phone.leaves = { $0 == moment }
          try phone.tap()
          #expect(throws: ScriptedPhone.Failure.self) { try phone.writeNDEF(new) }
          #expect(try ScriptedPhone(antenna).reading() == old, "\(moment)")
        }
        let phone = ScriptedPhone(antenna)
        phone.leaves = { $0 == count }
        try phone.tap()
        try phone.writeNDEF(new)
        try phone.deselect()
        #expect(try ScriptedPhone(antenna).reading() == new)
      }
      try await bench.waitForReleases(2 * count + 2)
    }
    #expect(bench.words.filter { $0.hasPrefix("written") } == ["written 300"])
    await bench.close()
  }

  /// Every reading of what sources leave open.
  @Test(arguments: 0..<11)
  func everyReading(_ number: Int) async throws {
    let bench = try await CardBench { readings in
      switch number {
      case 0: readings.fieldLoss = .status(0x29)
      case 1: readings.fieldLoss = .status(0x0A)
      case 2: readings.fieldLoss = .status(0x31)
      case 3: readings.isActivatedAgain = true
      case 4: readings.extendsWaitingTime = false
      case 5: readings.firstFrame = .command
      case 6: readings.firstFrame = .none
      case 7: readings.earlyStates = 2
      case 8: readings.swallowsFirstCommand = true
      case 9: readings.answersDEP = true
      default: readings.fieldLoss = .nothing
      }
    }
    let antenna = bench.virtual.antenna
    let message = [UInt8].message(137)
    try await bench.acting(as: .ndef(bytes: message)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        if number == 4 { phone.waitingTime = .seconds(3) }
        for _ in 0..<3 {
          try phone.tap()
          #expect(try phone.readNDEF() == message)
          try phone.deselect()
        }
        // It is gone without a word.
        try phone.tap()
        #expect(try phone.readNDEF() == message)
        phone.fieldOff()
        try phone.tap()
        #expect(try phone.readNDEF() == message)
        phone.fieldOff()
      }
      try await bench.waitForReleases(5)
    }
    #expect(bench.count { $0 == .read(137) } == 5)
    await bench.close()
  }

  @Test func oddReaders() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    let message = [UInt8].message(868)
    try await bench.acting(as: .ndef(bytes: message)) {
      try await withPhone {
        // FeliCa first: nothing answers, and type A works.
        let samsung = ScriptedPhone(antenna)
        samsung.fieldOn()
        #expect(samsung.pollFeliCa() == nil)
        #expect(samsung.sendFeliCa([0x06, 1, 2, 3, 4, 5, 6, 7, 8]) == nil)
        try samsung.tap()
        #expect(try samsung.readNDEF() == message)
        samsung.fieldOff()
        // A CID, and another bit rate.
        let other = ScriptedPhone(antenna)
        other.identifier = 3
        try other.tap()
        #expect(other.selectRate())
        #expect(try other.readNDEF() == message)
        try other.deselect()
        // Long commands, empty ones, and such that are no APDUs: an answer to each, and the session lives.
        try other.tap()
        for count in [0, 1, 2, 3, 4, 5, 61, 62, 255, 261, 262, 263, 300, 525, 1000] {
          let answer = try other.send([UInt8](repeating: 0, count: count))
          #expect(answer.count == 2)
        }
        let long = [0x00, 0xD6, 0x00, 0x00, 0x00, 0x01, 0x2C] + [UInt8](repeating: 1, count: 300)
        #expect(try other.send(long) == [0x69, 0x86])
        #expect(try other.readNDEF() == message)
        other.fieldOff()
      }
    }
    await bench.close()
  }

  /// A block with a node address ends the session, and the next one works.
  @Test func aNodeAddress() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: .message(33))) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        phone.nodeAddress = 1
        phone.patience = .milliseconds(500)
        _ = try? phone.send([0x00, 0xA4, 0x04, 0x00])
        phone.fieldOff()
        phone.nodeAddress = nil
        try phone.tap()
        #expect(try phone.readNDEF() == .message(33))
        phone.fieldOff()
      }
    }
    await bench.close()
  }

  /// After it was a card, the reader finds a tag with its ATS, and the chip's settings are as before.
  @Test func afterwardsTheReaderReads() async throws {
    let commands = Mutex<[[UInt8]]>([])
    let bench = try await CardBench { _ in
    } trace: { event in
      if case .command(let command) = event { commands.withLock { $0.append(command) } }
    }
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: .message(33))) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        #expect(try phone.readNDEF() == .message(33))
        phone.fieldOff()
      }
      // Nothing else can use the reader meanwhile.
      await #expect { try await bench.reader.tagsInField() } throws: {
        ($0 as? NFCError)?.code == .readerUnavailable
      }
    }
    let sent = commands.withLock { $0 }
    #expect(sent.contains([0x08, 0x63, 0x01, 0x3F, 0x63, 0x05, 0x44]))
    bench.virtual.field.place(try VirtualTag.named("type4"))
    let tags = try await bench.reader.tagsInField()
    guard case .iso7816? = tags.first else {
      Issue.record("found \(tags)")
      return
    }
    let later = commands.withLock { $0.dropFirst(sent.count) }
    #expect(later.contains([0x08, 0x63, 0x01, 0x3B]))
    #expect(later.contains { $0.first == 0x12 && $0.last == 0x14 })
    await bench.close()
  }

  /// Ends while it waits for a reader, and while one is there, at once.
  @Test(arguments: [false, true])
  func endsAtOnce(_ hasReader: Bool) async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    let start = Mutex(ContinuousClock.now)
    try await bench.acting(as: .ndef(bytes: .message(33))) {
      if hasReader { try await withPhone { try ScriptedPhone(antenna).tap() } }
      start.withLock { $0 = .now }
    }
    _ = try await bench.reader.tagsInField()
    #expect(ContinuousClock.now - start.withLock { $0 } < .seconds(3))
    await bench.close()
  }

  @Test func aReaderThatIsUnpluggedIsLost() async throws {
    for isActive in [false, true] {
      let bench = try await CardBench()
      let (antenna, virtual) = (bench.virtual.antenna, bench.virtual)
      await #expect {
        try await bench.acting(as: .ndef(bytes: .message(33))) {
          if isActive { try await withPhone { try ScriptedPhone(antenna).tap() } }
          virtual.close()
          try await Task.sleep(for: .seconds(30))
        }
      } throws: {
        ($0 as? NFCError)?.code == .readerLost
      }
      await bench.close()
    }
  }

  @Test func aReaderThatCannotBeACardSaysSo() async throws {
    let reader = try await DirectReader(VirtualField()).open()
    await #expect {
      for try await _ in EmulatedCard(try .ndef(bytes: []), on: reader).events {}
    } throws: {
      ($0 as? NFCError)?.code == .unsupported
    }
    await reader.close()
  }
}
