import ipaddr from 'ipaddr.js';
import { otherAddresses } from './other-addresses.js';

describe('the addresses that a generator is kept from', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.6', '192.0.2.8', '0.0.0.0', '127.0.0.1', '255.255.255.255', '::1', '2001:db8::7']],
    ['2001:db8::7', ['2001:db8::6', '2001:db8::8', '::', '::1', 'ffff::7', '192.0.2.7', '127.0.0.1']],
    ['0.0.0.0', ['0.0.0.1', '127.0.0.1', '::']],
  ])('are all but %s', (address, others) => {
    const ranges = otherAddresses(address).map((range) => ipaddr.parseCIDR(range));
    const isKeptFrom = (text: string): boolean => {
      const one = ipaddr.parse(text);
      return ranges.some(([base, bits]) => one.kind() === base.kind() && one.match(base, bits));
    };
    expect([address, ...others].filter((each) => !isKeptFrom(each))).toEqual([address]);
  });
});
