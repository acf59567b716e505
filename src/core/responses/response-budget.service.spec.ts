import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Actor } from '../access/actor.js';
import { Env } from '../config/env.js';
import { runInRequestContext } from '../telemetry/request-context.js';
import { ResponseBudget } from './response-budget.service.js';
import { InFlightResponse } from '../telemetry/in-flight-response.js';

const KEYS = { JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: '0'.repeat(64) };
const budgetOf = (one: number, all: number): ResponseBudget =>
  new ResponseBudget(Env.parse({ ...KEYS, LIMIT_RESPONSE_BYTES: String(one), LIMIT_RESPONSES_BYTES: String(all) }));
const person = (): Actor => Actor.user({ id: randomUUID(), email: 'a@example.org', installationAdmin: false });

/** A request of a user, and its response. */
function call(actor = person()) {
  const answer = new InFlightResponse(() => answer.close());
  const run = <T>(work: () => Promise<T>): Promise<T> =>
    runInRequestContext({ requestId: 'x', actor, response: answer }, work);
  return { answer, run };
}

/** The timers are controlled by the caller; the timeout of the test runs outside. */
async function withMockedTimers(work: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await work();
  } finally {
    mock.timers.reset();
  }
}

describe('The budget of answers', () => {
  it('lets one content of any size pass, and refuses several that are too much together', async () => {
    const budget = budgetOf(100, 1_000);
    const [one, several] = [call(), call()];
    await one.run(() => budget.reserve(500));
    await several.run(() => budget.reserve(60));
    await expect(several.run(() => budget.reserve(60))).rejects.toMatchObject({
      status: 400,
      code: 'ANSWER_TOO_LARGE',
    });
    expect(budget.usedBytes).toBe(560);
    one.answer.close();
    several.answer.close();
    expect(budget.usedBytes).toBe(0);
  });

  it('counts what a content turns out to be, and one that is shown twice twice', async () => {
    const budget = budgetOf(100, 1_000);
    const { run, answer } = call();
    expect(await run(() => budget.readReserved(10, () => Promise.resolve('x'.repeat(30))))).toHaveLength(30);
    expect(budget.usedBytes).toBe(30);
    const show = () => budget.readShared('a', () => Promise.resolve('x'.repeat(30)));
    await run(show);
    await run(show);
    expect(budget.usedBytes).toBe(60);
    await run(show);
    await expect(run(show)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    answer.close();
    expect(budget.usedBytes).toBe(0);
  });

  it('lets answers wait until others have been sent, those of the caller first who holds least', async () => {
    const budget = budgetOf(100, 100);
    const greedy = person();
    const [first, second, other] = [call(greedy), call(greedy), call()];
    const order: string[] = [];
    await first.run(() => budget.reserve(50));
    const holding = call();
    await holding.run(() => budget.reserve(50));
    const waiting = [
      second.run(() => budget.reserve(50)).then(() => order.push('second of the greedy')),
      other.run(() => budget.reserve(50)).then(() => order.push('other')),
    ];
    await turn();
    expect(order).toEqual([]);
    holding.answer.close();
    await turn();
    expect(order).toEqual(['other']);
    first.answer.close();
    await Promise.all(waiting);
    expect(order).toEqual(['other', 'second of the greedy']);
  });

  it('gives one caller half of it while others are served, and no more than twenty places to wait', async () => {
    const budget = budgetOf(1_000, 1_000);
    const greedy = person();
    const [one, two] = [call(greedy), call(greedy)];
    await one.run(() => budget.reserve(400));
    const later = two.run(() => budget.reserve(400)).then(() => 'later');
    const others = Array.from({ length: 19 }, () => call(greedy)).map(({ run }) => run(() => budget.reserve(400)));
    await expect(call(greedy).run(() => budget.reserve(400))).rejects.toMatchObject({
      status: 503,
      code: 'TOO_BUSY',
      headers: { 'Retry-After': '5' },
    });
    await call().run(() => budget.reserve(400));
    one.answer.close();
    expect(await later).toBe('later');
    for (const each of others) each.catch(() => undefined);
  });

  it('lets one of those go on that all hold something and wait for more, so that they all end', async () => {
    const budget = budgetOf(10_000, 1_000);
    const greedy = person();
    for (const callers of [
      [greedy, greedy, greedy],
      [person(), person(), person()],
    ]) {
      const order: number[] = [];
      const calls = callers.map((each) => call(each));
      // Each content is larger than estimated, and needs more memory to be serialized.
      const ends = calls.map(async ({ run, answer }, index) => {
        await run(() => budget.readReserved(10, () => Promise.resolve('x'.repeat(600))));
        await turn();
        await run(() => budget.reserveSerialized(900));
        order.push(index);
        await turn();
        answer.close();
      });
      await Promise.all(ends);
      expect(order).toHaveLength(3);
      expect(budget.usedBytes).toBe(0);
    }
  });

  it('drops an answer whose caller has disconnected, and reads nothing more for it', async () => {
    const budget = budgetOf(100, 100);
    const [first, gone] = [call(), call()];
    await first.run(() => budget.reserve(90));
    const refused = gone.run(() => budget.reserve(90));
    gone.answer.close();
    await expect(refused).rejects.toThrow('the caller has disconnected');
    first.answer.close();
    expect(budget.usedBytes).toBe(0);
  });

  it('counts nothing for work that nobody waits for', async () => {
    const budget = budgetOf(1, 1);
    await budget.reserve(1_000);
    expect(budget.usedBytes).toBe(0);
  });

  it('ends an answer that its caller does not read, later the larger it is', () =>
    withMockedTimers(async () => {
      const budget = budgetOf(100_000_000, 100_000_000);
      const [small, large] = [call(), call()];
      await small.run(() => budget.reserve(100));
      await large.run(() => budget.reserve(64 * 1024 * 100));
      mock.timers.tick(59_000);
      expect(small.answer.isClosed).toBe(false);
      mock.timers.tick(2_000);
      expect([small.answer.isClosed, large.answer.isClosed]).toEqual([true, false]);
      mock.timers.tick(100_000);
      expect([large.answer.isClosed, budget.usedBytes]).toEqual([true, 0]);
    }));

  it('lets a stream go on as long as its caller takes parts of it, and ends it when no more are taken', () =>
    withMockedTimers(async () => {
      const budget = budgetOf(100, 100_000_000);
      const { run, answer } = call();
      const partTaken = await run(() => budget.reserveStream());
      expect(budget.usedBytes).toBe(4 * 1024 * 1024);
      for (let part = 0; part < 5; part++) {
        mock.timers.tick(100_000);
        expect(answer.isClosed).toBe(false);
        partTaken();
      }
      mock.timers.tick(125_000);
      expect([answer.isClosed, budget.usedBytes]).toEqual([true, 0]);
    }));

  it('refuses with 503 what has waited for ten seconds', () =>
    withMockedTimers(async () => {
      const budget = budgetOf(100, 100);
      await call().run(() => budget.reserve(90));
      const refused = call().run(() => budget.reserve(90));
      mock.timers.tick(10_000);
      await expect(refused).rejects.toMatchObject({ status: 503, code: 'TOO_BUSY' });
    }));
});
