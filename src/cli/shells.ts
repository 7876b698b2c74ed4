/** The completion scripts of the shells: each asks the program that was typed, and evaluates nothing of its answer. */

/** A shell that completes. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The line that asks the shell for paths, which it knows better. */
export const PATHS = { files: ':files', folders: ':folders' } as const;

/** The script of bash, also of 3.2: bash splits a line at `=` and `:`, so ctx gets the line and splits it. */
const BASH = `# bash completion of ctx: eval "$(ctx completion bash)"
_ctx_completion() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      ${PATHS.files}) COMPREPLY=(); return ;;
      ${PATHS.folders}) COMPREPLY=(); compopt -o dirnames 2>/dev/null; return ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("\${COMP_WORDS[0]}" completion bash -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -F _ctx_completion ctx
`;

const ZSH = `#compdef ctx
# zsh completion of ctx: eval "$(ctx completion zsh)", after compinit
_ctx() {
  local line
  local -a lines values
  lines=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    case "$line" in
      ${PATHS.files}) _files; return ;;
      ${PATHS.folders}) _files -/; return ;;
      ?*) values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  # What is typed may be a piece of a title: ctx has chosen already.
  (( $#values )) && _describe -V ctx values -U
}
if [ "$funcstack[1]" = "_ctx" ]; then _ctx "$@"; else compdef _ctx ctx; fi
`;

const FISH = `# fish completion of ctx: ctx completion fish | source
function __ctx_completion
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
    switch $line
      case '${PATHS.files}'
        __fish_complete_path "$current"
      case '${PATHS.folders}'
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c ctx -f -a '(__ctx_completion)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
