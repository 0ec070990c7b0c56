import NFC
import SecureTags

/// A command that completes, or repeats, an earlier one whose last answer was lost: the tag has the new password by now.
extension ProtectionChange {
  /// The tag requires a password, and none was given.
  struct MissingPassword: Error {
    var failure: Failure
  }

  /// Performs the change. If the tag requires a password, the new one is tried once as the current one, unless the tag
  /// counts wrong ones.
  ///
  /// - Returns: whether the protection was changed, or is as requested already. It is not changed if only the plan is
  ///   shown.
  func changeAgain(_ tag: SelectedTag<Kind>, _ options: GlobalOptions) async throws -> Bool {
    do {
      return try await change(tag, options)
    } catch let missing as MissingPassword {
      guard !isTrial, let request else { throw missing.failure }
      guard try await acceptsTrial(tag.kind) else {
        var failure = missing.failure
        let advice = failure.advice.map { "\($0); " } ?? ""
        failure.advice =
          advice
          + "if an earlier command has set the new one already, \(passwordOption) is the same"
        throw failure
      }
      var again = self
      again.password = request.password
      again.isTrial = true
      do {
        return try await again.change(tag, options)
      } catch is MissingPassword {
        throw missing.failure
      }
    }
  }

  /// Returns whether a wrong password does no harm. An ST25TA accepts three in each session; an Ultralight C, an ICODE and
  /// an ST25 any number.
  private func acceptsTrial(_ kind: Kind) async throws -> Bool {
    guard case .ultralight(let commands, let miFare) = kind else { return true }
    do {
      switch try await commands.secret() {
      case .tripleDES: return true
      case .aes:
        let tag = try await UltralightAESTag(miFare)
        return try await !tag.protectionPlan(nil, key: nil).limitsAttempts
      default: return try await !commands.protectionPlan(nil).limitsAttempts
      }
    } catch let error as NFCError where error.group != .connection {
      // The settings cannot be read either, and so the limit is not known.
      return false
    }
  }
}
