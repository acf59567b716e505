import { parseFields } from './request-content.js';

describe('The cookies of a profile', () => {
  it('are read from the format of the Cookie header', () => {
    expect(parseFields('request_cookies', ' session=a=b ; theme= dark')).toEqual({ session: 'a=b', theme: 'dark' });
    for (const text of ['session', '=a', 'a b=c', 'session =a', 'a=b;'])
      expect(() => parseFields('request_cookies', text)).toThrow('must be an object, or its JSON');
  });

  it('are read in linear time', () => {
    const before = process.cpuUsage();
    expect(() => parseFields('request_cookies', `a=${' '.repeat(32_000)}é`)).toThrow('characters that are not allowed');
    expect(() => parseFields('request_cookies', `${'a'.repeat(32_000)}`)).toThrow('must be an object');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(250);
  });
});
