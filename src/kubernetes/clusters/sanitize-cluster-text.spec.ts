import { ClusterError } from './cluster-error.js';
import { sanitizeClusterText, TRUNCATION_MARK } from './sanitize-cluster-text.js';

describe('a text of a cluster', () => {
  it('keeps its words, in any script, and its lines', () => {
    const text = 'Pod "web" is invalid:\n\t.spec.größe: 日本 😀';
    expect(sanitizeClusterText(text)).toBe(text);
  });

  it('loses what does not show, and halves of characters', () => {
    expect(sanitizeClusterText('a\u0000b\u001b[31mc\u0085\u202egnp\ud83d')).toBe('ab[31mcgnp');
  });

  it('is cut when it is long, also within a character', () => {
    expect(sanitizeClusterText('x'.repeat(5_000))).toBe(`${'x'.repeat(4_000)}${TRUNCATION_MARK}`);
    expect(sanitizeClusterText('ab😀', 3)).toBe(`ab${TRUNCATION_MARK}`);
  });

  it.each([[undefined], [null], [7], [{ a: 1 }], [['a']]])('is empty for %j', (said) => {
    expect(sanitizeClusterText(said)).toBe('');
  });
});

describe('the failure that a hostile Status reports', () => {
  it('is bounded in all its parts', () => {
    const long = `\u0000${'x'.repeat(1_000_000)}`;
    const causes = Array.from({ length: 1_000 }, () => ({ reason: long, message: long, field: long }));
    const status = { kind: 'Status', message: long, reason: long, details: { name: long, group: long, kind: long, causes } }; // prettier-ignore
    const error = ClusterError.fromResponse(422, status, 'a request');
    expect(error).toMatchObject({ kind: 'invalid', answered: 422 });
    expect(JSON.stringify([error.message, error.reason, error.causes, error.about]).length).toBeLessThan(300_000);
    expect(JSON.stringify([error.message, error.reason, error.causes, error.about])).not.toContain('\\u0000');
  });

  it('takes parts of another type for absent ones', () => {
    const status = { kind: 'Status', message: { a: 1 }, reason: 3, details: { name: [], causes: 'many' } };
    const error = ClusterError.fromResponse(500, status, 'GET /api');
    expect(error.message).toBe('The cluster answered 500 to GET /api');
    expect([error.kind, error.reason, error.causes, error.about]).toEqual(['failed', 'failed', [], {}]);
    const odd = { kind: 'Status', details: { causes: [null, 'x', { field: 7, message: 'm' }] } };
    expect(ClusterError.fromResponse(422, odd, 'x').causes).toEqual([{ message: 'm' }]);
  });
});
