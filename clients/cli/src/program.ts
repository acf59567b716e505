import { Command, CommanderError } from 'commander';
import { addApplyCommand } from './apply/apply.command.js';
import { addApiCommand } from './commands/api.js';
import { addClusterCommands } from './commands/clusters.js';
import { current } from './commands/command.js';
import { addCompletionCommand, completeWords } from './commands/completion.js';
import { addDeploymentCommands } from './commands/deployments.js';
import { addDesignCommands } from './commands/designs.js';
import { addEventCommands } from './commands/events.js';
import { addLogCommand } from './commands/logs.js';
import { addRecordCommands } from './commands/records.js';
import { addSignInCommands } from './commands/sign-in.js';
import { addVersionCommands } from './commands/version.js';
import { EXIT, type Failure, toFailure, WrongUse } from './failure.js';
import { styled, Terminal } from './terminal.js';
import { VERSION } from './version.js';

export async function runProgram(args: string[]): Promise<void> {
  outliveReaders();
  const program = makeProgram();
  if (args.length === 0) return program.outputHelp();
  if (args[0] === '__complete') return completeWords(program, args.slice(1));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    await end(error);
  }
}

/** A reader that has seen enough, such as head, is no failure, and ends no work that changes something. */
function outliveReaders(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') process.exit(EXIT.failed);
    if (current.isStream) process.exit(EXIT.done);
  });
}

function makeProgram(): Command {
  const program = new Command('armature')
    .description(`The command line of Armature, version ${VERSION}.`)
    .usage('<command> [options]')
    .option('-o, --output <format>', 'table, json, yaml, name, or jsonpath=TEMPLATE as for kubectl')
    .option('--context <name>', 'a context of "armature context list"')
    .option('--server <url>', 'the server; else ARMATURE_SERVER, else that of the context')
    .option('--organization <name>', 'the organization; else ARMATURE_ORGANIZATION, else that of the context')
    .option('-w, --workspace <name>', 'the workspace; else ARMATURE_WORKSPACE, else that of the context')
    .option('-y, --yes', 'do it without a question')
    .option('--insecure-http', 'allow plain http to another machine')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText(
      'after',
      `
Variables: ARMATURE_SERVER, ARMATURE_TOKEN, ARMATURE_ORGANIZATION, ARMATURE_WORKSPACE, ARMATURE_CONFIG, ARMATURE_CA_FILE,
HTTPS_PROXY, NO_PROXY, NO_COLOR. A flag counts before a variable, and that before the context. --version prints the version.
Codes: 0 done, 1 failed, 2 there are changes, 3 waits for approval, 4 refused, 5 failed and rolled back, 64 wrong use.`,
    )
    .configureHelp({ showGlobalOptions: true });
  addSignInCommands(program);
  addClusterCommands(program);
  addDesignCommands(program);
  addDeploymentCommands(program);
  addLogCommand(program);
  addEventCommands(program);
  addRecordCommands(program);
  addApplyCommand(program);
  addApiCommand(program);
  addCompletionCommand(program);
  addVersionCommands(program);
  prepare(program);
  return program;
}

/** Errors are thrown, and said in one form below. */
function prepare(command: Command): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => undefined });
  for (const each of command.commands) prepare(each);
}

async function end(error: unknown): Promise<void> {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const failure =
    error instanceof CommanderError ? fromCommander(error) : toFailure(error, await current.run?.describeServer());
  say(failure);
  process.exitCode = failure.exitCode;
  // Open sockets, such as those of a stream, would keep the program.
  process.exit();
}

function fromCommander({ code, message }: CommanderError): Failure {
  const words = process.argv.slice(2).filter((word) => /^[a-z]/.test(word));
  const remedy = `Look at "${['armature', ...words.slice(0, 1), '--help'].join(' ')}".`;
  if (code === 'commander.help') return new WrongUse(`${words[0] ?? 'armature'} needs a command`, remedy);
  return new WrongUse(message.replace(/^error: /, ''), remedy);
}

function say({ message, lines, remedy, exitCode }: Failure): void {
  const terminal = new Terminal(process.env);
  terminal.say(`${styled('red', exitCode === EXIT.refused ? 'Refused' : 'Error')}: ${message}`);
  for (const line of lines) terminal.say(`  ${line}`);
  terminal.say(remedy);
}
