import { listEventKinds } from '../../core/events/event-kinds.js';
import { describeBurst } from './burst-phrases.js';
import type { Burst } from './bursts.store.js';

const burst = (category: string, action: string, fields: Partial<Burst> = {}): Burst => ({
  ...{ category, action, userId: null, userName: 'alice', count: 12, subjects: 12 },
  ...{ firstAt: new Date(), lastAt: new Date(), eventIds: [], ...fields },
});

describe('the sentence of a burst', () => {
  it.each([
    [burst('design', 'imported'), 'alice imported 12 designs'],
    [burst('policy', 'updated'), 'alice updated 12 policies'],
    [burst('design', 'updated', { subjects: 1 }), 'alice updated one design 12 times'],
    [burst('workspace', 'environment_assigned', { subjects: 1 }), 'alice assigned 12 environments'],
    [burst('deployment', 'failure', { userName: null }), 'The system had 12 deployments fail'],
  ])('%#', (one, sentence) => expect(describeBurst(one)).toBe(sentence));

  it('names the number of every kind of event', () => {
    for (const { category, action } of listEventKinds())
      expect(describeBurst(burst(category, action))).toMatch(/^alice:? .*12/);
  });
});
