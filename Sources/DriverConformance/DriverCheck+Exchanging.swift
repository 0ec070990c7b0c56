import NFC

extension DriverCheck {
  static let exchanging = [
    DriverCheck(
      "sends commands to a tag of each technology, also after it was selected again"
    ) { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        for technology in bench.technologies {
          let tag = try bench.present(technology)
          let target = try find(tag, technology, with: driver)
          for _ in 0..<3 { try expectAnswer(of: tag, from: driver) }
          try driver.select(target)
          try expectAnswer(of: tag, from: driver)
        }
        return .passed
      }
    },
    DriverCheck("reports a tag that is present as present, and keeps it selected") {
      makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        for technology in bench.technologies {
          let tag = try bench.present(technology)
          let target = try find(tag, technology, with: driver)
          try expect(try driver.isPresent(target), "a tag of \(technology.rawValue) is not there")
          try expectAnswer(of: tag, from: driver)
        }
        return .passed
      }
    },
    DriverCheck("accepts any time-out and any command up to its limit, and survives one byte more")
    {
      makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        guard let technology = try bench.technologyWithCommand() else {
          return .notApplicable("no tag of the bench accepts a command")
        }
        let tag = try bench.present(technology)
        let timeouts: [Duration] = [
          .zero, .milliseconds(1), .seconds(-5), .seconds(Int64.max / 2),
        ]
        for timeout in timeouts {
          _ = try find(tag, technology, with: driver)
          // The tag may be too slow for such a time-out, and that is all that may be wrong.
          do {
            _ = try driver.exchange(tag.command ?? [], framing: tag.framing, timeout: timeout)
          } catch let error as NFCError where error.code == .tagResponseError {}
        }
        let longest = driver.capabilities(
          for: try find(tag, technology, with: driver)
        ).maximumCommandLength
        for length in [0, 1, longest, longest + 1, longest + 1000] {
          _ = try find(tag, technology, with: driver)
          do {
            _ = try driver.exchange(
              [UInt8](repeating: 0x5A, count: length), framing: tag.framing,
              timeout: ordinaryTimeout)
            try expect(length <= longest, "\(length) bytes were sent, more than \(longest)")
          } catch let error as NFCError {
            try expect(
              ![.readerLost, .readerUnavailable].contains(error.code),
              "\(length) bytes cost the reader: \(error)")
          }
        }
        _ = try find(tag, technology, with: driver)
        try expectAnswer(of: tag, from: driver)
        return .passed
      }
    },
  ]

  static let failing = [
    DriverCheck("a tag that is removed is lost, and the next one is found") { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        for technology in bench.technologies {
          let tag = try bench.present(technology)
          let target = try find(tag, technology, with: driver)
          try bench.removeTags()
          if let command = tag.command {
            try expectEnd(within: .seconds(10), of: "a command to a tag that has left") {
              _ = try expectError(
                .tagResponseError, .tagConnectionLost, from: "a command to a tag that has left"
              ) { try driver.exchange(command, framing: tag.framing, timeout: ordinaryTimeout) }
            }
          }
          try expect(try !driver.isPresent(target), "a tag that has left is there")
          try expectError(.tagConnectionLost, from: "selecting a tag that has left") {
            try driver.select(target)
          }
          _ = try find(try bench.present(technology), technology, with: driver)
        }
        return .passed
      }
    },
    DriverCheck("a silent tag is an error within its time-out and a moment") { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        guard let technology = try bench.technologyWithCommand() else {
          return .notApplicable("no tag of the bench accepts a command")
        }
        for timeout in [Duration.milliseconds(20), .milliseconds(200), .seconds(2)] {
          let tag = try bench.present(technology)
          _ = try find(tag, technology, with: driver)
          guard try bench.cause(.answersAreLost) else {
            return .notApplicable("the bench cannot silence a tag")
          }
          try expectEnd(within: timeout + .seconds(3), of: "a time-out of \(timeout)") {
            _ = try expectError(
              .tagResponseError, .tagConnectionLost, from: "a command to a silent tag"
            ) {
              try driver.exchange(tag.command ?? [], framing: tag.framing, timeout: timeout)
            }
          }
        }
        let tag = try bench.present(technology)
        _ = try find(tag, technology, with: driver)
        try expectAnswer(of: tag, from: driver)
        return .passed
      }
    },
    DriverCheck("an abort between two pieces of work affects neither") { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        guard let technology = bench.technologies.first else {
          return .notApplicable("the bench has no tags")
        }
        let tag = try bench.present(technology)
        for _ in 0..<5 {
          driver.end()
          driver.abort()
          driver.begin()
          _ = try find(tag, technology, with: driver)
          try expectAnswer(of: tag, from: driver)
        }
        return .passed
      }
    },
    DriverCheck(
      "a reader that is unplugged is lost, and reached again if the driver says that it can reconnect"
    ) {
      makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        guard let technology = bench.technologies.first else {
          return .notApplicable("the bench has no tags")
        }
        _ = try find(try bench.present(technology), technology, with: driver)
        guard try bench.cause(.readerUnplugged) else {
          return .notApplicable("the bench cannot unplug its reader")
        }
        try expectEnd(within: .seconds(20), of: "noticing that the reader has gone") {
          _ = try expectError(
            .readerLost, .readerUnavailable, from: "searching without a reader"
          ) {
            for _ in 0..<5 {
              try driver.resetField()
              _ = try driver.list(technology)
            }
          }
        }
        guard driver.canReconnect else { return .passed }
        driver.disconnect()
        guard try bench.cause(.readerPluggedInAgain) else { return .passed }
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
          do {
            try driver.resetField()
            break
          } catch let error as NFCError where error.code == .readerLost {
            try expect(
              ContinuousClock.now < deadline, "the reader is back and not reached: \(error)")
          }
        }
        let tag = try bench.present(technology)
        _ = try find(tag, technology, with: driver)
        try expectAnswer(of: tag, from: driver)
        return .passed
      }
    },
  ]
}
