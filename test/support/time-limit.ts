import { type Circus } from '@jest/types';
import { addEventHandler, getState } from 'jest-circus';

const LIMIT = 60_000;
/** Of hooks, at least: the first of a run start what all files share, such as the database server. */
const HOOK_LIMIT = 240_000;

/** The runner lets a test take for ever. Ours fail after a minute, so that what hangs is named. */
addEventHandler((event: Circus.Event) => {
  const { children, hooks } = getState().currentDescribeBlock;
  if (event.name === 'add_test') limit(children.at(-1) as Circus.TestEntry, event.timeout);
  if (event.name === 'add_hook') limit(hooks.at(-1) as Circus.Hook, Math.max(event.timeout ?? 0, HOOK_LIMIT));
});

function limit(block: Circus.TestEntry | Circus.Hook, milliseconds = LIMIT): void {
  const work = block.fn as (() => unknown) | undefined;
  if (!work) return;
  block.fn = async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took longer than ${milliseconds} ms`)), milliseconds);
    });
    try {
      await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
