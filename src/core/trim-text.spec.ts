import { trimText, trimTextEnd, trimTextStart } from './trim-text.js';

describe('Trimming a text', () => {
  it('removes what matches at the ends only', () => {
    expect(trimText('--a--b--', /-/)).toBe('a--b');
    expect(trimTextStart('--a--', /-/)).toBe('a--');
    expect(trimTextEnd('https://host/a//', /\//)).toBe('https://host/a');
    expect(trimText('---', /-/)).toBe('');
    expect(trimText('', /-/)).toBe('');
  });

  it('takes linear time for runs within the text', () => {
    const text = `a${' '.repeat(200_000)}b`;
    const before = process.cpuUsage();
    expect(trimText(text, /\s/)).toBe(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
