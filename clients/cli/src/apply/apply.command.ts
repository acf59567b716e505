import type { Command } from 'commander';
import { EXIT, type ExitCode, Failure, toFailure, WrongUse } from '../failure.js';
import { cellOf, count, cut } from '../output.js';
import type { Run } from '../run.js';
import { styled, type Style } from '../terminal.js';
import { collect, does, withExamples } from '../commands/command.js';
import { readDocuments } from './documents.js';
import { kindNames } from './kinds.js';
import { type Change, Planner, type Step, type StepAction } from './planner.js';

interface ApplyFlags {
  file: string;
  plan?: boolean;
  exitCode?: boolean;
  prune?: boolean;
  allowEnv?: string[];
}

export function addApplyCommand(program: Command): void {
  withExamples(
    does(
      program
        .command('apply')
        .summary('make records as files describe them')
        .description(
          `Makes and changes records as documents describe them, after showing the plan: ${kindNames.join(', ')}. ` +
            'Applying the same files again changes nothing.',
        )
        .requiredOption('-f, --file <path>', 'a file, a folder, or - for standard input')
        .option('--plan', 'only show what would change')
        .option('--exit-code', 'with --plan, end with 2 when something would change')
        .option(
          '--prune',
          'delete what the files do not have, of the kinds that they have, in the organizations and workspaces that they name',
        )
        .option(
          '--allow-env <name>',
          'a variable that documents may read beside ARMATURE_SECRET_*; may be repeated',
          collect,
        ),
      apply,
    ),
    'armature apply -f platform --plan',
    'armature apply -f platform --prune --yes',
    'ARMATURE_SECRET_TOKEN=… armature apply -f credentials.yaml',
  );
}

async function apply(run: Run, { file, plan, exitCode, prune = false, allowEnv = [] }: ApplyFlags): Promise<ExitCode> {
  const { terminal } = run;
  if (prune && !plan && !run.flags.yes && !terminal.isInteractive)
    throw new WrongUse('nobody can be asked here whether to delete', 'Add --yes to --prune.');
  const { all, folder } = await readDocuments(terminal, file, kindNames);
  const planner = new Planner(await run.session(), run.env, folder, allowEnv);
  const steps = await planner.plan(all, prune);
  if (planner.faults.length > 0)
    throw new Failure(
      'what was read cannot be applied',
      'Correct it; nothing was changed.',
      EXIT.failed,
      planner.faults,
    );
  if (plan) {
    await show(run, steps, (all) => render(all, Math.min(run.terminal.width, 160)));
    sayWarnings(run, planner);
    return exitCode && steps.some(({ action }) => action !== 'unchanged') ? EXIT.changes : EXIT.done;
  }
  if (steps.some(isSent)) {
    terminal.say(render(steps, terminal.messageWidth));
    if (terminal.isInteractive) await run.confirm('Apply this?');
  }
  await carryOut(run, steps);
  sayWarnings(run, planner);
  await show(run, steps, (all) => styled('bold', summarize(all, ['made', 'changed', 'deleted', 'unchanged'])));
  return EXIT.done;
}

function sayWarnings({ terminal }: Run, { warnings, invitations }: Planner): void {
  // Who has the link has the account: what a pipeline writes is read by many.
  const invited = invitations.map(({ email, role, url }) =>
    terminal.isInteractive
      ? `${email} was invited: ${url}`
      : `${email} was invited, by a link that is shown on a terminal only: "armature create user ${email} --set role=${role} -o jsonpath={.invitation_url}" makes another`,
  );
  for (const warning of [...warnings, ...invited]) terminal.say(styled('yellow', `! ${warning}`));
}

async function carryOut(run: Run, steps: readonly Step[]): Promise<void> {
  const changing = steps.filter(isSent);
  let done = 0;
  for (const step of changing) {
    try {
      await step.run();
    } catch (error) {
      const { message, remedy, exitCode, lines } = toFailure(error, await run.describeServer());
      throw new Failure(
        `${step.kind} ${step.name}: ${message}`,
        `${remedy} ${done} of ${changing.length} were applied; applying again goes on.`,
        exitCode,
        lines,
      );
    }
    done += 1;
    run.terminal.say(`${done}/${changing.length}  ${step.kind} ${step.name} ${PAST[step.action]}`);
  }
}

/** Whether a step writes: secrets are sent also where nothing else changes. */
const isSent = ({ action, sendsSecrets }: Step): boolean => action !== 'unchanged' || sendsSecrets;

const PAST: Record<StepAction, string> = {
  create: 'made',
  update: 'changed',
  delete: 'deleted',
  unchanged: 'sent again',
};

const show = (run: Run, steps: readonly Step[], table: (steps: readonly Step[]) => string): Promise<void> =>
  run.output.show(
    steps.map(({ run: _, sendsSecrets: __, changes, ...step }) => ({
      ...step,
      changes: changes.map(({ path, from, to }) => ({ path, from, to })),
    })),
    {
      table: () => table(steps),
      name: (shown) => shown.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`),
      isLong: true,
    },
  );

/** How many records of each action there are, in words. */
function summarize(steps: readonly Step[], words: readonly string[]): string {
  const actions: StepAction[] = ['create', 'update', 'delete', 'unchanged'];
  const figures = actions.map((action, index) => {
    const number = steps.filter((step) => step.action === action).length;
    return `${number} ${words[index] ?? ''}`;
  });
  return `${count(steps.length, 'record')}: ${figures.join(', ')}.`;
}

const MARKS: Record<StepAction, [string, Style]> = {
  delete: ['-', 'red'],
  update: ['~', 'yellow'],
  create: ['+', 'green'],
  unchanged: [' ', 'dim'],
};

/** What changes, what is deleted first, and which secrets are read. */
function render(steps: readonly Step[], width: number): string {
  const order = Object.keys(MARKS);
  const shown = steps.filter(isSent).sort((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
  return [
    ...shown.map((step) => renderStep(step, width)),
    styled('bold', summarize(steps, ['to make', 'to change', 'to delete', 'unchanged'])),
  ].join('\n');
}

function renderStep(
  { action, kind, name, organization, workspace, environment, changes, reads }: Step,
  width: number,
): string {
  const [sign, style] = MARKS[action];
  const place = environment ?? workspace ?? organization;
  const lines = [`${styled(style, `  ${sign} ${kind} ${name}`)}${place ? styled('dim', ` in ${place}`) : ''}`];
  if (action !== 'create')
    lines.push(...changes.map((change) => cut(`      ${describeChange(change)}`, Math.max(width, 20))));
  lines.push(...reads.map((read) => styled('dim', `      reads ${read}`)));
  return lines.join('\n');
}

function describeChange({ path, from, to }: Change): string {
  if (from === undefined) return `+ ${path}: ${cellOf(to)}`;
  if (to === undefined) return `- ${path}: ${cellOf(from)}`;
  return `~ ${path}: ${cellOf(from)} -> ${cellOf(to)}`;
}
