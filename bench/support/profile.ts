import { Session } from 'node:inspector/promises';

/** A function, and its own part of the time in which the process worked, in percent. */
export interface CostlyFunction {
  name: string;
  percent: number;
}

const session = new Session();
/** What V8 reports instead of a function while nothing is done. */
const IDLE = '(idle)';
/** Microseconds between two samples. */
const INTERVAL_US = 500;

/** Samples what this process does from now on. */
export async function startProfile(): Promise<void> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await session.post('Profiler.start');
}

/** The functions that cost most since then, without what they call. */
export async function stopProfile(): Promise<CostlyFunction[]> {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const names = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url } }) => [id, nameOf(functionName, url)] as const),
  );
  const times = new Map<string, number>();
  profile.samples?.forEach((id, index) => {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
  });
  times.delete(IDLE);
  const worked = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([name, time]) => ({ name, percent: (100 * time) / worked }))
    .sort((a, b) => b.percent - a.percent);
}

/** With the package or the file that it is of. */
function nameOf(functionName: string, url: string): string {
  const part = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.split('/').at(-1);
  return `${functionName || '(anonymous)'}${part ? ` (${part})` : ''}`;
}
