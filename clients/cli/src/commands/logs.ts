import type { Command } from 'commander';
import type { Run } from '../run.js';
import { current, does, withExamples } from './command.js';
import { findRunning } from './deployments.js';

interface LogFlags {
  environment: string;
  resource?: string;
  container?: string;
  previous?: boolean;
  since?: string;
  tail?: string;
  follow?: boolean;
}

export function addLogCommand(program: Command): void {
  withExamples(
    does(
      program
        .command('logs <design>')
        .summary('show what the containers of a design write')
        .description(
          'Shows the logs of what is deployed of a design in an environment. Values of its Secrets are hidden, which is a convenience and no barrier.',
        )
        .requiredOption('-e, --environment <name>', 'the environment, by name or id')
        .option('--resource <kind/namespace/name>', 'one object; default: all that run pods')
        .option('-c, --container <name>', 'one container')
        .option('--previous', 'the containers before they restarted')
        .option('--since <duration>', 'only what is younger, such as 10m, or a time')
        .option('--tail <lines>', 'only the last lines')
        .option('-f, --follow', 'go on with what is written from now on'),
      showLogs,
    ),
    'armature logs shop -e staging --since 10m',
    'armature logs shop -e staging --resource Deployment/shop/web --follow',
  );
}

async function showLogs(run: Run, flags: LogFlags, text: string): Promise<void> {
  current.isStream = true;
  const session = await run.session();
  const { armature } = session;
  const [design, environment] = [
    await session.resolveDesign(text),
    await session.resolveEnvironment(flags.environment),
  ];
  const { id } = await findRunning(armature, design, environment);
  const { resource, container, since, tail, previous, follow } = flags;
  const query = { resource, container, since, tail, previous: isSet(previous), follow: isSet(follow) };
  const { data } = await armature.request('GET', `/api/deployments/${id}/logs`, { query });
  if (!(data instanceof ReadableStream)) return run.terminal.data(typeof data === 'string' ? data : '');
  for await (const { type, record } of readEvents(data as ReadableStream<Uint8Array>)) {
    if (type === 'end') return run.terminal.say(`The stream has ended: ${record.reason?.replace('_', ' ')}.`);
    await run.output.showNext(record, {
      table: ({ pod, container: own, line }) => `[${pod}/${own}] ${line}`,
      name: ({ pod }) => [`pod/${pod}`],
    });
  }
}

const isSet = (flag: boolean | undefined): 'true' | undefined => (flag ? 'true' : undefined);

interface LogRecord {
  pod?: string;
  container?: string;
  at?: string | null;
  line?: string;
  reason?: string;
}

/** The events of a stream; comments, which keep it open, are none. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ type: string; record: LogRecord }, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const valueOf = (field: string): string | undefined =>
        lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
      const [type, data] = [valueOf('event'), valueOf('data')];
      if (type !== undefined && data !== undefined) yield { type, record: JSON.parse(data) as LogRecord };
    }
  }
}
