import type { ResourceName, WatchSummary } from '../cluster-resources.store.js';
import { judgeWatched } from './watched-health.js';

const now = Date.parse('2026-11-23T00:00:00Z');
const watch = (more: Partial<WatchSummary> = {}): WatchSummary => ({
  ...{ connection_id: 'c', status: 'watching', error: null, kinds: 1, missing: [] },
  ...{ synced_at: new Date(now), stale_since: null },
  ...more,
});
const named = (kind: string, api_version = 'apps/v1', namespace: string | null = 'shop') => ({
  ...{ connection_id: 'c', api_version, kind, namespace, name: 'web' },
});
const healthy = { health: 'Healthy', healthMessage: null } as const;
const judge = (name: ResourceName, found: Parameters<typeof judgeWatched>[1], of: WatchSummary | undefined = watch()) =>
  judgeWatched(name, found, of, now);

describe('the health of an object that should be there', () => {
  it('is that which the watch keeps, or Missing where the watch would see it', () => {
    expect(judge(named('Deployment'), healthy)).toEqual({ status: 'Healthy', message: null });
    expect(judge(named('Deployment'), undefined)).toMatchObject({ status: 'Missing' });
    expect(judge(named('ConfigMap', 'v1'), undefined)).toMatchObject({ status: 'Missing' });
    expect(judge(named('ConfigMap', 'v1'), { health: null, healthMessage: null })).toBeNull();
  });

  it('is never Missing for what comes and goes, or is not watched at all', () => {
    expect(judge(named('Job', 'batch/v1'), undefined)).toBeNull();
    expect(judge(named('Lease', 'coordination.k8s.io/v1'), undefined)).toBeNull();
  });

  it('is Unknown, with the reason, where the watch cannot determine it', () => {
    const forbidden = { api_version: 'apps/v1', kind: 'Deployment', reason: 'forbidden' as const, detail: 'no' };
    const partial = { ...forbidden, reason: 'partial' as const, namespaces: ['shop'] };
    const cases: [WatchSummary | undefined, RegExp][] = [
      [watch({ status: 'starting' }), /listed/],
      [watch({ missing: [forbidden] }), /not watched: no/],
      [watch({ missing: [{ ...partial, namespaces: ['other'] }] }), /not watched: no/],
      [watch({ stale_since: new Date(now - 60_000) }), /out of date since 2026-11-22T23:59:00/],
    ];
    for (const [of, why] of cases)
      expect(judge(named('Deployment'), undefined, of)).toEqual({
        status: 'Unknown',
        message: expect.stringMatching(why) as string,
      });
    expect(judgeWatched(named('Deployment'), undefined, undefined, now)).toMatchObject({ status: 'Unknown' });
    expect(judge(named('Deployment'), healthy, watch({ missing: [partial] }))).toMatchObject({ status: 'Healthy' });
    expect(judge(named('ConfigMap', 'v1'), undefined, watch({ status: 'starting' }))).toBeNull();
  });

  it('is what was last seen for a moment after a cut, and Unknown later', () => {
    const stale = (ms: number) => watch({ stale_since: new Date(now - ms) });
    expect(judge(named('Deployment'), healthy, stale(5_000))).toMatchObject({ status: 'Healthy' });
    expect(judge(named('Deployment'), healthy, stale(60_000))).toMatchObject({
      status: 'Unknown',
      message: expect.stringMatching(/^Healthy when it was last seen/) as string,
    });
  });
});
