import { findGenerating, instrumentTemplate, listCalls } from './template-instruments.js';

const nested = (depth: number, before: string, core: string, after: string): string =>
  before.repeat(depth) + core + after.repeat(depth);

describe('The instruments of a template', () => {
  it.each([
    ['templates of templates', '(tpl ', ' .)', false],
    ['lookups within lookups', '(lookup "v1" ', ' "" "")', true],
  ])('visit %s once', (_, before, after, isAssumed) => {
    const text = `{{ ${nested(90, before, 'now', after)} }}`;
    const { sites } = instrumentTemplate('t', text, { isAssumed });
    expect(sites.filter((site) => site.text === 'now')).toHaveLength(1);
    expect(sites.length).toBeLessThan(200);
  });

  it('leave a file as it is whose blocks are deeper than those of any chart', () => {
    const text = nested(50_000, '{{range .x}}', '{{now}}', '{{end}}');
    const startedAt = performance.now();
    expect(instrumentTemplate('t', text, { isAssumed: true })).toEqual({ text, sites: [] });
    expect(listCalls(text)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('leave a file as it is with more calls than any chart has', () => {
    const text = '{{now}}'.repeat(100_000);
    expect(instrumentTemplate('t', text, { isAssumed: true })).toEqual({ text, sites: [] });
  });

  it('find what generates values at the end of a long chain of includes', () => {
    const count = 30_000;
    const define = (index: number) => `{{define "t${index}"}}{{include "t${index + 1}" .}}{{end}}`;
    const text = `${Array.from({ length: count }, (_, index) => define(index)).join('')}{{define "t${count}"}}{{now}}{{end}}`;
    const startedAt = performance.now();
    const found = findGenerating(listCalls(text));
    expect(found.size).toBe(count + 1);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
