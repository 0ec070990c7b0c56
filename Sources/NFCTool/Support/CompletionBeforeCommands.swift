/// The completion of options that stand before the command, as in `nfc --virtual ntag213 read`.
///
/// The parser's scripts know the options of a command only after its name. These additions take the options before it
/// out of the way; where one of them or its value is being completed, they ask for that of `nfc read`, which has them all.
enum CompletionBeforeCommands {
  private static let command = "read"

  private static var valueOptions: [String] {
    GlobalOptions.namesBeforeSubcommand.filter(GlobalOptions.takesValue)
  }
  private static var flags: [String] {
    GlobalOptions.namesBeforeSubcommand.filter { !GlobalOptions.takesValue($0) }
  }

  /// Those whose value is the name of a file.
  private static let files = ["--record", "--replay", "--pcap"]

  /// In bash, a value with a colon is several words.
  static func bash(_ script: String) -> String {
    let names = GlobalOptions.namesBeforeSubcommand.joined(separator: " ")
    let start = "_nfc() {\n"
    let call = """
          if [[ -z "${_nfc_is_moved-}" ]]; then
              local _nfc_is_moved=1
              _nfc_before_command "${@}"
              return
          fi

      """
    let functions = """
      _nfc_before_command() {
          local -i next=1
          while [[ "${next}" -lt "${COMP_CWORD}" ]]; do
              case "${COMP_WORDS[next]}" in
              \(valueOptions.joined(separator: "|")))
                  [[ "$((next + 1))" -lt "${COMP_CWORD}" ]] || break
                  next+=2
                  while [[ "${next}" -lt "${COMP_CWORD}" && "${COMP_WORDS[next]}" == [:=]* ]]; do
                      [[ "$((next + 1))" -lt "${COMP_CWORD}" ]] || return 0
                      next+=2
                  done
                  ;;
              \(flags.joined(separator: "|")))
                  next+=1
                  ;;
              *)
                  break
                  ;;
              esac
          done
          local -a words=("${COMP_WORDS[@]}")
          # A local variable has no value yet where its own is computed.
          local -i current="${COMP_CWORD}"
          if [[ "${2}" == -* && "${next}" -eq "${COMP_CWORD}" ]]; then
              COMPREPLY=($(compgen -W '\(names) --version --help' -- "${2}"))
              return
          elif [[ "${next}" -lt "${COMP_CWORD}" && "${words[next]}" == @(\(files.joined(separator: "|"))) ]]; then
              COMPREPLY=($(compgen -f -- "${2}"))
              return
          elif [[ "${next}" -lt "${COMP_CWORD}" && "${words[next]}" == --* ]]; then
              local -a COMP_WORDS=("${words[0]}" \(command) "${words[@]:1}")
              local -i COMP_CWORD=current+1
          elif [[ "${next}" -gt 1 ]]; then
              local -i COMP_CWORD=current-next+1
              local -a COMP_WORDS=("${words[0]}" "${words[@]:next}")
          fi
          _nfc "${@}"
      }

      """
    return script.replacing(start, with: functions + start + call, maxReplacements: 1)
  }

  static func zsh(_ script: String) -> String {
    let start = "_nfc() {\n    emulate -RL zsh -G\n"
    let names = GlobalOptions.namesBeforeSubcommand.joined(separator: " ")
    let addition = """
          local -i next=2
          while (( next < CURRENT )); do
              case "${words[next]}" in
              \(valueOptions.joined(separator: "|")))
                  (( next + 1 < CURRENT )) || break
                  (( next += 2 ))
                  ;;
              \(flags.joined(separator: "|")))
                  (( next += 1 ))
                  ;;
              *)
                  break
                  ;;
              esac
          done
          if (( next == CURRENT )) && [[ "${words[CURRENT]}" == -* ]]; then
              compadd -- \(names) --version --help
              return
          elif (( next < CURRENT )) && [[ "${words[next]}" == (\(files.joined(separator: "|"))) ]]; then
              _files
              return
          elif (( next < CURRENT )) && [[ "${words[next]}" == --* ]]; then
              words=("${words[1]}" \(command) "${(@)words[2,-1]}")
              (( CURRENT += 1 ))
          elif (( next > 2 )); then
              words=("${words[1]}" "${(@)words[next,-1]}")
              (( CURRENT -= next - 2 ))
          fi

      """
    return script.replacing(start, with: start + addition, maxReplacements: 1)
  }

  /// fish asks each line whether it applies.
  static var fish: String {
    let commands = NFCTool.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let names = commands.compactMap { $0.configuration.commandName }.joined(separator: " ")
    let condition = "complete -c 'nfc' -n '__nfc_before_command'"
    let virtual =
      "(__nfc_custom_completion ---completion \(command) -- --virtual (count (__nfc_tokens -pc)) (__nfc_tokens -tC))"
    let reader =
      "(__nfc_custom_completion ---completion \(command) -- --reader (count (__nfc_tokens -pc)) (__nfc_tokens -tC))"
    let values = ["--virtual": virtual, "--reader": reader]
    let options = valueOptions.map { option in
      let name = option.dropFirst(2)
      return values[option].map { "\(condition) -rfl '\(name)' -ka '\($0)'" }
        ?? "\(condition) -r\(files.contains(option) ? "F" : "f")l '\(name)'"
    }
    return """
      function __nfc_before_command
          set -l tokens (commandline -opc)
          set tokens $tokens[2..]
          while set -q tokens[1]
              switch $tokens[1]
              case \(valueOptions.joined(separator: " "))
                  set tokens $tokens[3..]
              case \(flags.joined(separator: " "))
                  set tokens $tokens[2..]
              case '*'
                  return 1
              end
          end
      end
      \(options.joined(separator: "\n"))
      \(flags.map { "\(condition) -fl '\($0.dropFirst(2))'" }.joined(separator: "\n"))
      \(condition) -fa '\(names)'
      """
  }
}
