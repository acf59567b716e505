import type { Command } from 'commander';
import { Run } from '../run.js';

/** What a command does; it may say with which code the program ends. */
export type Action = (run: Run, ...given: never[]) => Promise<number | void>;

/** Gives a command what it does; the code that it ends with is that of the program. */
export function does<Options, Given extends (string | string[] | undefined)[]>(
  command: Command,
  action: (run: Run, options: Options, ...given: Given) => Promise<number | void>,
): Command {
  return command.action(async (...all: unknown[]) => {
    const given = all.slice(0, -2) as Given;
    const flags = command.optsWithGlobals();
    current.run = new Run(flags);
    process.exitCode = (await action(current.run, flags as Options, ...given)) ?? 0;
  });
}

/** The command that runs, for what ends it; a stream ends with its reader, all else goes on without one. */
export const current: { run: Run | null; isStream: boolean } = { run: null, isStream: false };

/** Adds examples to the help of a command. */
export function withExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** Collects an option that may be given several times. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];
