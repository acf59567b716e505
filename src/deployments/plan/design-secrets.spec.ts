import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { DesignSecrets } from './design-secrets.js';
import { type PlannedResource } from './planned-resource.js';

const secretOf = (stringData: Record<string, string>) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' } },
  stringData,
});
const encoded = Buffer.from('hush hush').toString('base64');
let secrets: DesignSecrets;

beforeAll(async () => {
  secrets = await DesignSecrets.of([
    secretOf({ a: 'hush hush', b: 'first\r\nsecond', c: 'production', d: 'short', e: '48151623' }),
  ]);
});

describe('The values of the Secrets of a design', () => {
  it('are hidden in differences, errors and warnings of a plan, as text and as part of it', async () => {
    const planned: PlannedResource = {
      ...{ component: null, api_version: 'v1', kind: 'ConfigMap', namespace: null, name: 'a' },
      ...{ action: 'update', verified: true, warnings: ['hush hush is long'] },
      diff: [
        { path: '/data/url', from: null, to: 'db://admin:hush hush@db' },
        { path: '/data', from: { encoded, other: 'stays', short: 'short' }, to: ['first\r\nsecond', 7, 48151623] },
      ],
      error: { reason: 'INVALID', detail: 'production has "hush hush" twice: hush hush, as keys has' },
    };
    await secrets.hideInPlan([planned]);
    expect(planned.diff).toEqual([
      { path: '/data/url', from: null, to: '(hidden)' },
      { path: '/data', from: { encoded: '(hidden)', other: 'stays', short: 'short' }, to: ['(hidden)', 7, '(hidden)'] },
    ]);
    expect(planned.warnings).toEqual(['(hidden) is long']);
    expect(planned.error?.detail).toBe('production has "(hidden)" twice: (hidden), as keys has');
  });

  it('are hidden in all of an object of a cluster but its names', () => {
    const metadata = { name: 'hush hush', namespace: 'production', ownerReferences: [{ name: 'hush hush' }] };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata };
    const labels = { a: 'hush hush', b: 'stays', c: 'in production' };
    const hidden = secrets.hideInObject({
      ...object,
      metadata: { ...metadata, labels, annotations: { last: 'has "production" and hush hush', whole: 'production' } },
      ...{ spec: { url: 'db://hush hush@db', phase: 'Required', port: 48151623 } },
      ...{ status: { phase: 'production', conditions: [{ message: 'has "production": hush hush' }], code: 48151623 } },
    } as unknown as KubernetesObject);
    expect(hidden).toEqual({
      ...object,
      metadata: {
        ...metadata,
        labels: { ...labels, a: '(hidden)' },
        annotations: { last: 'has "(hidden)" and (hidden)', whole: '(hidden)' },
      },
      spec: { url: '(hidden)', phase: 'Required', port: '(hidden)' },
      status: { phase: 'production', conditions: [{ message: 'has "(hidden)": (hidden)' }], code: '(hidden)' },
    });
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a' } };
    expect(secrets.hideInObject({ ...event, message: 'has "production", hush hush' })).toEqual({
      ...event,
      message: 'has "(hidden)", (hidden)',
    });
    const sizes = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, data: { a: '9 bytes' } };
    expect(secrets.hideInObject(sizes as KubernetesObject)).toEqual(sizes);
  });

  it('are found in time that grows with the text, however many there are and whatever they share', async () => {
    const alike = Array.from({ length: 4_000 }, (_, index) => [`k${index}`, `shared-${index}`]);
    const long = Array.from({ length: 10 }, (_, index) => [
      `l${index}`,
      `${'a'.repeat(100 + index)}${'c'.repeat(50_000)}`,
    ]);
    const many = await DesignSecrets.of([secretOf(Object.fromEntries([...alike, ...long]) as Record<string, string>)]);
    const plain = 'a text without any value. '.repeat(40_000);
    const startedAt = performance.now();
    expect(many.hideIn(plain)).toBe(plain);
    expect(many.hideIn(`${'a'.repeat(99)}b`.repeat(100))).not.toBe('(hidden)');
    // What may be the beginning of a value in too many places is hidden.
    expect(many.hideIn(`${'a'.repeat(99)}b`.repeat(10_000))).toBe('(hidden)');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(many.hideIn('x shared-1')).toBe('(hidden)');
    expect(many.hideInMessage(`x ${'a'.repeat(100)}${'c'.repeat(100)} y`)).toBe('x (hidden)');
    expect(many.hideInMessage('x shared-1 y')).toBe('x (hidden)');
  });

  it('are read in slices, and hide everything when there are more than are looked for', async () => {
    const line = (index: number): string => `${index}`.padEnd(8, 'x');
    const lines = (count: number, from = 0): string =>
      Array.from({ length: count }, (_, index) => line(from + index)).join('\n');
    let longest = 0;
    let last = performance.now();
    const ticks = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const most = await DesignSecrets.of([secretOf({ a: lines(9_000) })]);
    const more = await DesignSecrets.of(
      Array.from({ length: 5 }, (_, index) => secretOf({ a: lines(110_000, index * 110_000) })),
    );
    clearInterval(ticks);
    expect(longest).toBeLessThan(1_000);
    expect(most.hideInMessage(`is ${line(8_999)} now, ${line(9_999)}`)).toBe(`is (hidden) now, ${line(9_999)}`);
    expect(more.hideInMessage('all is well')).toBe('(hidden)');
    expect(more.hideIn({ a: ['b', 1, true, null] })).toEqual({ a: ['(hidden)', '(hidden)', true, null] });
    expect(more.isEmpty).toBe(false);
    expect(more.size).toBe(0);
  });
});
