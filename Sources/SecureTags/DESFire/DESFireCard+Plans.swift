import SwiftNFCCore

/// Plans of changes, for programs that show a change before they make it. Making them costs no exchange, and performing
/// them is the call that each names, with the session that it requires.
extension DESFireCard {
  private static func place(_ identifier: DESFireApplicationIdentifier) -> ChangePlan.Place {
    ChangePlan.Place(.application, "\(identifier)")
  }

  private static let deleted = "permanently deleted, with its files and keys"
  private static let listing = "list the card's applications to see whether it was done"

  /// Plans ``formatPermanently()``, which has to accept ``IrreversibleEffect/deletesContent``.
  ///
  /// - Parameter applications: those of the card, if they were listed: each is a step then.
  public func formatPlan(_ applications: [DESFireApplicationIdentifier]? = nil) -> ChangePlan {
    let steps =
      applications.map { $0.map { ChangePlan.Step(Self.place($0), Self.deleted) } }
      ?? [.action("all applications: \(Self.deleted)")]
    return ChangePlan(
      for: self, steps, effects: steps.isEmpty ? [] : [.deletesContent], recovery: Self.listing,
      performing: { try await self.formatPermanently() })
  }

  /// Plans ``createApplication(_:)``.
  public func creationPlan(_ application: DESFireApplicationDescription) -> ChangePlan {
    let (count, kind) = (application.keyCount, application.kind)
    return ChangePlan(
      for: self,
      [
        ChangePlan.Step(
          Self.place(application.identifier),
          "new, \(count) \(kind.name) key\(count == 1 ? "" : "s")")
      ], recovery: Self.listing,
      performing: { try await self.createApplication(application) })
  }

  /// Plans ``deleteApplication(_:)``, or ``DESFireApplication/deletePermanently()`` with the application's own key, which
  /// has to accept ``IrreversibleEffect/deletesContent``.
  public func deletionPlan(
    _ identifier: DESFireApplicationIdentifier, withOwnKey: Bool = false
  ) -> ChangePlan {
    ChangePlan(
      for: self, [ChangePlan.Step(Self.place(identifier), Self.deleted)],
      effects: [.deletesContent], recovery: Self.listing,
      performing: {
        if withOwnKey {
          try await self.application(identifier).deletePermanently()
        } else {
          try await self.deleteApplication(identifier)
        }
      })
  }

  /// Plans ``switchToLRPPermanently()``, which has to accept ``IrreversibleEffect/usesLRP``. A chip that is known to use
  /// LRP stays as it is.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a card without LRP.
  public func lrpPlan() throws -> ChangePlan {
    guard hasLRP else {
      throw NFCError(.unsupported, "no public source says that this card has LRP")
    }
    return ChangePlan(
      for: self, usesLRP ? [] : [.action("LRP in place of AES, permanently")],
      effects: usesLRP ? [] : [.usesLRP],
      recovery: "authenticate again, which shows whether the chip uses LRP",
      performing: { try await self.switchToLRPPermanently() })
  }
}

extension DESFireApplication {
  private func place(_ file: Int) -> ChangePlan.Place {
    ChangePlan.Place(.file, file, in: ChangePlan.Place(.application, "\(identifier)"))
  }

  /// Plans ``deleteFile(_:)``, which has to accept ``IrreversibleEffect/deletesContent``.
  ///
  /// - Parameter words: what the file is, for people.
  public func deletionPlan(ofFile number: Int, _ words: String? = nil) -> ChangePlan {
    ChangePlan(
      for: card,
      [
        ChangePlan.Step(
          place(number), "permanently deleted" + (words.map { "; \($0)" } ?? ""))
      ], effects: [.deletesContent], recovery: "list the files to see whether it was done",
      performing: { try await self.deleteFile(number) })
  }

  /// Plans ``createFile(_:_:isoIdentifier:allowsDynamicMessaging:)``, or the creation of a transaction MAC file.
  ///
  /// - Parameters:
  ///   - words: what the file is, for people.
  ///   - macKey: the key of a transaction MAC file; `nil` for a file of another type.
  public func creationPlan(
    ofFile number: Int, _ settings: DESFireFileSettings, _ words: String,
    isoIdentifier: UInt16? = nil, allowsDynamicMessaging: Bool = false, macKey: DESFireKey? = nil
  ) -> ChangePlan {
    ChangePlan(
      for: card, [ChangePlan.Step(place(number), "new, \(words)")],
      recovery: "list the files to see whether it was done",
      performing: {
        guard let macKey else {
          return try await self.createFile(
            number, settings, isoIdentifier: isoIdentifier,
            allowsDynamicMessaging: allowsDynamicMessaging)
        }
        try await self.createTransactionMACFile(
          number, communication: settings.communication, rights: settings.rights, key: macKey)
      })
  }
}
