import type { Command } from 'commander';
import type { EventView } from '@armature/client';
import { WrongUse } from '../failure.js';
import { ageOf, cellOf, pad } from '../output.js';
import type { Run } from '../run.js';
import { styled, type Style } from '../terminal.js';
import { current, does, withExamples } from './command.js';

const SHOWN_EVENTS = 50;

export function addEventCommands(program: Command): void {
  withExamples(
    does(
      program
        .command('events')
        .summary('show what happens')
        .description(
          `Shows the latest ${SHOWN_EVENTS} events, or those after a number, one a line; -o json is one object a line.`,
        )
        .option('--follow', 'go on with what happens from now on')
        .option('--since <sequence>', 'only events after this number'),
      showEvents,
    ),
    'armature events --follow',
    'armature events --since 120 -o json',
  );
}

async function showEvents(run: Run, { follow = false, since }: { follow?: boolean; since?: string }): Promise<void> {
  if (since !== undefined && !/^\d{1,18}$/.test(since))
    throw new WrongUse(`${since} is no number of an event`, 'Take it from the column SEQUENCE.');
  current.isStream = true;
  const session = await run.session();
  const [orgID, workspaceID] = [
    await session.organizationId(),
    run.flags.workspace ? await session.workspaceId() : undefined,
  ];
  if (follow) {
    const after = since ?? (workspaceID === undefined ? undefined : '');
    for await (const event of session.armature.events({ query: { orgID, workspaceID }, after: after || undefined }))
      await showEvent(run, event);
    return;
  }
  const found: EventView[] = [];
  const query = { orgID, since, order: since === undefined ? 'sequence desc' : 'sequence asc', pagesize: SHOWN_EVENTS };
  for await (const event of session.list<EventView>('listEvents', { query })) {
    if (workspaceID !== undefined && event.workspace_id !== workspaceID) continue;
    if (since !== undefined) await showEvent(run, event);
    else found.unshift(event);
    if (found.length >= SHOWN_EVENTS) break;
  }
  for (const event of found) await showEvent(run, event);
}

const STYLES: Partial<Record<EventView['severity'], Style>> = {
  alert: 'red',
  critical: 'red',
  emergency: 'red',
  error: 'red',
  warning: 'yellow',
  success: 'green',
};

const showEvent = (run: Run, event: EventView): Promise<void> =>
  run.output.showNext(event, {
    table: ({ sequence, created_at, category, action, severity, description }) => {
      const kind = pad(`${category}.${action}`, 28);
      const style = STYLES[severity];
      return `${pad(sequence ?? '-', 7)} ${pad(ageOf(created_at), 5)} ${style ? styled(style, kind) : kind} ${cellOf(description)}`;
    },
    name: ({ id }) => [`event/${id}`],
  });
