import type { ProfileContentsService } from '../profiles/profile-contents.service.js';
import { PerformanceProfile } from '../profiles/profile.entity.js';
import { RunPlansService } from './run-plans.service.js';

const profile = (fields: Partial<PerformanceProfile> = {}): PerformanceProfile =>
  Object.assign(new PerformanceProfile(), {
    ...{ revision: 3, endpoints: ['HTTP://Shop.example/a#top', 'http://shop.example/b'], method: 'GET' },
    ...{ protocol: 'http/1.1', loadModel: 'open', qps: 10, stages: [], duration: '1s', timeout: '5s' },
    ...{ loadGenerators: [], concurrentRequest: 1, headerNames: ['authorization'], cookieNames: [], contentType: '' },
    ...fields,
  });

/** Plans, with the content of the profile at a revision. */
const plansAt = (revision: number): RunPlansService =>
  new RunPlansService(
    { findFaults: () => [], maxConnections: 10 } as never,
    { choose: () => 'autocannon', findProgram: () => undefined } as never,
    {
      openWithRevision: () =>
        Promise.resolve({ content: { headers: { authorization: 'secret' }, cookies: {}, body: '' }, revision }),
    } as unknown as ProfileContentsService,
    { resolve: () => Promise.resolve('192.0.2.1') } as never,
  );

describe('the input of a load generator', () => {
  const plans = plansAt(3);
  const plan = plans.toPlan(profile(), undefined);

  it('has the headers of the profile for a plan of its endpoints, whatever their order', async () => {
    expect(plan.endpoint).toBe('http://shop.example/a');
    for (const same of [profile(), profile({ endpoints: ['http://other.example/', 'http://shop.example/a'] })])
      expect((await plans.toTask(same, plan)).task).toMatchObject({ plan, headers: { authorization: 'secret' } });
  });

  it.each<[string, Partial<PerformanceProfile>, number]>([
    ['another endpoint', { endpoints: ['http://other.example/a'] }, 3],
    ['another path', { endpoints: ['http://shop.example/b'] }, 3],
    ['another method', { method: 'POST' }, 3],
    ['another protocol', { protocol: 'http/2' }, 3],
    ['headers that were entered since it was read', {}, 4],
  ])('is refused for a profile with %s', async (_, fields, revision) => {
    await expect(plansAt(revision).toTask(profile(fields), plan)).rejects.toMatchObject({
      code: 'PROFILE_CHANGED',
      status: 409,
    });
  });
});
