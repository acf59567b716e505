#!/usr/bin/env node
import process from 'node:process';

const HELP = `armature-server <command>

  start          starts the server; the command when none is given
  admin:reset    sets a new password for an account
  keys:rotate    changes the keys that secrets are sealed with
  help           shows this; <command> --help shows what a command takes
`;

type Command = (args: string[]) => Promise<void>;

/** Commands by name. Each imports only the modules that it needs. */
const COMMANDS: Record<string, Command> = {
  start: async () => void (await import('./main.js')),
  'admin:reset': async (args) => (await import('./commands/admin-reset.js')).adminReset(args),
  'keys:rotate': async (args) => (await import('./commands/keys-rotate.js')).keysRotate(args),
  help: () => Promise.resolve(void process.stdout.write(HELP)),
};

const [given = 'start', ...args] = process.argv.slice(2);
const name = given === '--help' || given === '-h' ? 'help' : given;
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

if (command)
  command(args).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
else {
  process.stderr.write(`There is no command ${name}.\n\n${HELP}`);
  process.exitCode = 2;
}
