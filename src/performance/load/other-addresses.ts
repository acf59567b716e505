import ipaddr from 'ipaddr.js';

/** Returns the CIDRs of all addresses except this one, so that a generator that blocks them connects only to it. */
export function otherAddresses(text: string): string[] {
  const address = ipaddr.process(text);
  const bytes = address.toByteArray();
  const others = bytes.flatMap((_, at) => BITS.map((bit) => neighbourRange(bytes, at, bit)));
  return [...others, address.kind() === 'ipv4' ? '::/0' : '0.0.0.0/0'];
}

const BITS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Returns the CIDR of the addresses that have the same bits before this one and differ in it. */
function neighbourRange(bytes: readonly number[], at: number, bit: number): string {
  const mask = 0x80 >> bit;
  const range = bytes.map((byte, index) => (index > at ? 0 : index < at ? byte : (byte ^ mask) & ~(mask - 1)));
  return `${ipaddr.fromByteArray(range).toString()}/${at * 8 + bit + 1}`;
}
