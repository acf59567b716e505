import type { Command } from 'commander';
import { WrongUse } from '../failure.js';
import { KINDS } from '../records.js';
import type { Run } from '../run.js';
import { does, withExamples } from './command.js';

export function addCompletionCommand(program: Command): void {
  withExamples(
    does(
      program
        .command('completion <shell>')
        .summary('print a script that completes commands')
        .description('Prints a script for bash, zsh, fish or powershell that completes commands, flags and kinds.'),
      printScript,
    ),
    'source <(armature completion bash)',
    'armature completion zsh > "${fpath[1]}/_armature"',
    'armature completion fish > ~/.config/fish/completions/armature.fish',
    'armature completion powershell | Out-String | Invoke-Expression',
  );
}

/** Each asks the program for the words that may stand at the cursor, and leaves paths to the shell. */
const SCRIPTS: Record<string, string> = {
  bash: `_armature() {
  local IFS=$'\\n'
  COMPREPLY=($(armature __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _armature armature
`,
  zsh: `#compdef armature
_armature() {
  local -a found
  found=("\${(@f)$(armature __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" = "_armature" ]]; then _armature "$@"; else compdef _armature armature; fi
`,
  fish: `function __armature_complete
  set -l words (commandline -opc) (commandline -ct)
  armature __complete $words[2..-1] 2>/dev/null
end
complete -c armature -a '(__armature_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName armature -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  armature __complete @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`,
};

function printScript(run: Run, _: object, shell: string): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new WrongUse(`there is no script for ${shell}`, `Use one of ${Object.keys(SCRIPTS).join(', ')}.`);
  run.terminal.data(script);
  return Promise.resolve();
}

const OUTPUTS = ['table', 'json', 'yaml', 'name', 'jsonpath='];

/** Prints the words that may stand where the last of the given words does. */
export function completeWords(program: Command, words: string[]): void {
  const last = words.at(-1) ?? '';
  for (const word of candidates(program, words.slice(0, -1)))
    if (word.startsWith(last) && (last.startsWith('-') || !word.startsWith('-'))) process.stdout.write(`${word}\n`);
}

function candidates(program: Command, before: readonly string[]): string[] {
  let command = program;
  let given = 0;
  let value = false;
  for (const word of before) {
    if (value) value = false;
    else if (word.startsWith('-')) value = takesValue(program, command, word);
    else {
      const next = command.commands.find((each) => each.name() === word);
      if (next) command = next;
      else given += 1;
    }
  }
  const previous = before.at(-1) ?? '';
  if (value) return previous === '-o' || previous === '--output' ? OUTPUTS : [];
  const argument = command.registeredArguments[given]?.name();
  return [
    ...command.commands.map((each) => each.name()),
    ...(argument === 'kind' ? KINDS.map(({ name }) => name) : []),
    ...(argument === 'shell' ? Object.keys(SCRIPTS) : []),
    ...[...command.options, ...program.options].flatMap(({ long }) => long ?? []),
    '--help',
  ];
}

const takesValue = (program: Command, command: Command, flag: string): boolean =>
  [...command.options, ...program.options].some(
    (option) => (option.short === flag || option.long === flag) && (option.required || option.optional),
  );
