import NFC

extension DriverCheck {
  static let readers = [
    DriverCheck("a cancelled search ends soon and leaves the reader usable") { makeBench in
      let bench = try await makeBench()
      return try await withReader(of: bench) { reader in
        guard let technology = bench.technologies.first else {
          return .notApplicable("the bench has no tags")
        }
        try bench.removeTags()
        for _ in 0..<3 {
          let search = Task {
            try await reader.firstTag(
              polling: PollingOptions(technology), within: .seconds(50))
          }
          try await Task.sleep(for: .milliseconds(60))
          try await expectCancellation(of: search, "a search")
        }
        let tag = try bench.present(technology)
        let found = try await reader.firstTag(
          polling: PollingOptions(technology), within: .seconds(10))
        try expect(
          tag.identifier.isEmpty || found.identifier == tag.identifier,
          "found \(found.identifier), expected \(tag.identifier)")
        return .passed
      }
    },
    DriverCheck("a cancelled command ends soon and leaves the reader usable") { makeBench in
      let bench = try await makeBench()
      return try await withReader(of: bench) { reader in
        guard let technology = try bench.technologyWithCommand() else {
          return .notApplicable("no tag of the bench accepts a command")
        }
        let options = PollingOptions(technology)
        let tag = try bench.present(technology)
        let found = try await reader.firstTag(polling: options, within: .seconds(10))
        try await found.connect()
        guard try bench.cause(.answersAreLost) else {
          return .notApplicable("the bench cannot silence a tag")
        }
        let command = Task {
          try await found.exclusively { link in
            // However soon the driver gives one up, the task is in the middle of another.
            while true {
              do {
                _ = try link.transceive(tag.command ?? [], timeout: .seconds(30))
              } catch let error as NFCError where error.code == .tagResponseError {
                try? link.wake()
              }
            }
          }
        }
        try await Task.sleep(for: .milliseconds(100))
        try await expectCancellation(of: command, "a command")
        _ = try bench.present(technology)
        _ = try await reader.firstTag(polling: options, within: .seconds(10))
        return .passed
      }
    },
    DriverCheck("a command that is too long is refused before anything is sent") {
      makeBench in
      let bench = try await makeBench()
      return try await withReader(of: bench) { reader in
        guard let technology = try bench.technologyWithCommand() else {
          return .notApplicable("no tag of the bench accepts a command")
        }
        _ = try bench.present(technology)
        let tag = try await reader.firstTag(
          polling: PollingOptions(technology), within: .seconds(10))
        try await tag.connect()
        let bytes = [UInt8](repeating: 0x5A, count: 100_000)
        do {
          _ = try await tag.exclusively { try $0.transceive(bytes) }
          throw Failure(description: "\(bytes.count) bytes were sent")
        } catch let error as NFCError {
          let codes: [NFCError.Code] = [.commandTooLong, .invalidParameter]
          try expect(codes.contains(error.code), "\(bytes.count) bytes were refused by \(error)")
        }
        return .passed
      }
    },
    DriverCheck("every call after closing throws readerLost") { makeBench in
      let bench = try await makeBench()
      let reader = try await Reader.open { try bench.makeDriver() }
      await reader.close()
      await reader.close()
      do {
        let tags = try await reader.tagsInField()
        throw Failure(description: "a reader that was closed has found \(tags)")
      } catch let error as NFCError {
        try expect(error.code == .readerLost, "a reader that was closed has thrown \(error)")
      }
      return .passed
    },
    DriverCheck("two readers work side by side, each with its own tag") { makeBench in
      let benches = [try await makeBench(), try await makeBench()]
      guard let technology = benches[0].technologies.first else {
        return .notApplicable("the bench has no tags")
      }
      let tags = try benches.map { try $0.present(technology) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (bench, tag) in zip(benches, tags) {
          group.addTask {
            try await withReader(of: bench) { reader in
              for _ in 0..<10 {
                let found = try await reader.tagsInField(polling: PollingOptions(technology))
                try expect(
                  found.count == 1
                    && (tag.identifier.isEmpty || found[0].identifier == tag.identifier),
                  "found \(found.map(\.identifier)), expected \(tag.identifier)")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      return .passed
    },
  ]

  private static func expectCancellation<Success>(
    of task: Task<Success, any Error>, _ activity: String
  ) async throws {
    let start = ContinuousClock.now
    task.cancel()
    do {
      _ = try await task.value
      throw Failure(description: "\(activity) that was cancelled has succeeded")
    } catch is CancellationError {
      let duration = ContinuousClock.now - start
      try expect(duration < .seconds(4), "\(activity) that was cancelled took \(duration)")
    }
  }
}
