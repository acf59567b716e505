/** Does the work in a process whose clock is wrong by so many milliseconds; that of the database is right. */
export async function withShiftedClock(ms: number, work: () => Promise<void>): Promise<void> {
  const real = Date;
  const now = (): number => real.now() + ms;
  globalThis.Date = new Proxy(real, {
    construct: (target, given: [string]) => (given.length > 0 ? new target(...given) : new target(now())),
    get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
  });
  try {
    await work();
  } finally {
    globalThis.Date = real;
  }
}
