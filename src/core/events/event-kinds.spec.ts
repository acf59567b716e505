import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DomainEvent } from './domain-event.js';
import { listEventKinds } from './event-kinds.js';

const SOURCES = join(import.meta.dirname, '../..');

/** A subject for events of any kind. */
const anything: never = new Proxy(() => anything, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 'anything' : name === Symbol.iterator ? undefined : anything),
  ownKeys: () => ['prototype'],
}) as never;

type AnyEvent = new (...args: never[]) => DomainEvent;

const isEvent = (value: unknown): value is AnyEvent =>
  typeof value === 'function' && value.prototype instanceof DomainEvent;

async function eventClasses(): Promise<AnyEvent[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[.-]events?\.ts$/.test(name),
  );
  const modules = await Promise.all(files.map((name) => import(join(SOURCES, name)) as Promise<object>));
  return modules.flatMap((module): unknown[] => Object.values(module)).filter(isEvent);
}

describe('the table of event kinds', () => {
  it('has the kind of every event class, and no other', async () => {
    const classes = await eventClasses();
    const made = classes.map((Event) => ({
      name: Event.name,
      event: new Event(anything, anything, anything, anything),
    }));
    const concrete = made.filter(({ event }) => typeof event.action === 'string');
    const missing = concrete.filter(({ event }) => !listEventKinds().some(({ kind }) => kind === event.kind));
    expect(concrete.length).toBeGreaterThan(10);
    expect(missing.map(({ name, event }) => `${name}: ${event.kind}`)).toEqual([]);
    const emitted = new Set(concrete.map(({ event }) => event.kind));
    expect(listEventKinds().filter(({ kind }) => !emitted.has(kind))).toEqual([]);
  });
});
