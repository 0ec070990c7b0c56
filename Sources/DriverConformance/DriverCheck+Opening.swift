import NFC

extension DriverCheck {
  static let opening = [
    DriverCheck("says what it is and what it can do") { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        try expect(!driver.name.isEmpty, "the driver has no name")
        try expect(!driver.connectionString.isEmpty, "the driver has no connection string")
        let capabilities = driver.capabilities
        try expect(!capabilities.technologies.isEmpty, "the driver can poll nothing")
        try expect(
          capabilities.maximumCommandLength > 0 && capabilities.maximumResponseLength > 0,
          "the driver's limits are \(capabilities)")
        let missing = bench.technologies.filter { !capabilities.technologies.contains($0) }
        try expect(
          missing.isEmpty, "the bench has tags of \(missing), which the driver cannot poll")
        return .passed
      }
    },
    DriverCheck("can be opened again as soon as it is closed") { makeBench in
      let bench = try await makeBench()
      for _ in 0..<3 { try await withDriver(of: bench) { _ in } }
      return .passed
    },
  ]

  static let listing = [
    DriverCheck("its source's addresses have its schemes and lead to one reader each") {
      makeBench in
      let bench = try await makeBench()
      guard let source = bench.source else { return .notApplicable("the driver has no source") }
      let found = source.readers()
      let addresses = found.map(\.address)
      try expect(Set(addresses).count == addresses.count, "\(addresses) contains duplicates")
      for reader in found {
        try expect(
          source.schemes.contains(reader.address.scheme),
          "\(reader.address) has none of the schemes \(source.schemes)")
        try expect(
          !reader.aliases.contains(reader.address), "\(reader.address) is its own alias")
      }
      try expect(
        source.schemes.contains(bench.address.scheme), "\(bench.address) is of another source")
      let isFound = found.contains { $0.answers(to: bench.address) }
      try expect(
        isFound == bench.isFoundAutomatically, "\(bench.address) is \(isFound ? "" : "not ")listed")
      return .passed
    },
    DriverCheck("its source watches a reader that is named") { makeBench in
      let bench = try await makeBench()
      guard let source = bench.source else { return .notApplicable("the driver has no source") }
      let watch = source.watch(naming: [bench.address])
      try expect(
        watch.readers().contains { $0.answers(to: bench.address) },
        "\(bench.address) is there and not shown")
      let limit = Duration.milliseconds(300)
      _ = try expectEnd(within: .seconds(3), of: "a wait of \(limit)") { watch.wait(atMost: limit) }
      watch.cancel()
      return .passed
    },
    DriverCheck("its source refuses an address that leads to no reader, in time") {
      makeBench in
      let bench = try await makeBench()
      guard let source = bench.source else { return .notApplicable("the driver has no source") }
      for scheme in source.schemes {
        // Nothing after the colon means any reader to some sources.
        let any = ReaderAddress("\(scheme):")
        try expectEnd(within: .seconds(10), of: "opening \(any)") {
          do {
            try source.open(any).close()
          } catch {
            try expect(
              [.readerNotFound, .readerUnavailable, .invalidParameter].contains(
                (error as? NFCError)?.code), "opening \(any) throws \(error)")
          }
        }
        for rest in ["no such reader", String(repeating: "x", count: 2000), "/dev/null\0"] {
          try expectEnd(within: .seconds(10), of: "opening \(scheme):\(rest.prefix(20))") {
            _ = try expectError(
              .readerNotFound, .readerUnavailable, .invalidParameter,
              from: "opening \(scheme):\(rest.prefix(20))"
            ) { try source.open(ReaderAddress("\(scheme):\(rest)")).name }
          }
        }
      }
      return .passed
    },
  ]

  static let searching = [
    DriverCheck("finds a tag of each technology, and nothing in an empty field") {
      makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        for technology in bench.technologies {
          _ = try find(try bench.present(technology), technology, with: driver)
          try bench.removeTags()
          try driver.resetField()
          let left = try driver.list(technology)
          try expect(left.isEmpty, "\(left) found in an empty field")
        }
        return .passed
      }
    },
    DriverCheck("finds tags one by one where it says so") { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        let technologies = bench.technologies.filter(driver.findsOneByOne)
        guard !technologies.isEmpty else {
          return .notApplicable("the driver finds all tags at once")
        }
        for technology in technologies {
          let tag = try bench.present(technology)
          try driver.resetField()
          guard let first = try driver.find(technology, excluding: []) else {
            throw Failure(description: "no tag of \(technology.rawValue) found")
          }
          try expect(
            tag.identifier.isEmpty || first.identifier == tag.identifier,
            "found \(first.identifier), expected \(tag.identifier)")
          let second = try driver.find(technology, excluding: [first])
          try expect(second == nil, "the only tag is found twice, as \(String(describing: second))")
        }
        return .passed
      }
    },
    DriverCheck("refuses to search for what it cannot poll") { makeBench in
      let bench = try await makeBench()
      return try await withDriver(of: bench) { driver in
        let technologies = driver.capabilities.technologies
        guard let other = TagTechnology.allCases.first(where: { !technologies.contains($0) }) else {
          return .notApplicable("the driver can poll everything")
        }
        try expectError(.unsupported, from: "a search for \(other.rawValue)") {
          try driver.list(other)
        }
        return .passed
      }
    },
  ]
}
