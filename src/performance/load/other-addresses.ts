import ipaddr from 'ipaddr.js';

/** CIDRs of every address but this one: a generator that refuses them connects to it and to nothing else. */
export function otherAddresses(text: string): string[] {
  const address = ipaddr.process(text);
  const bytes = address.toByteArray();
  const others = bytes.flatMap((_, at) => BITS.map((bit) => neighbourRange(bytes, at, bit)));
  return [...others, address.kind() === 'ipv4' ? '::/0' : '0.0.0.0/0'];
}

const BITS = [0, 1, 2, 3, 4, 5, 6, 7];

/** The addresses that are the same up to this bit, and differ in it. */
function neighbourRange(bytes: readonly number[], at: number, bit: number): string {
  const mask = 0x80 >> bit;
  const range = bytes.map((byte, index) => (index > at ? 0 : index < at ? byte : (byte ^ mask) & ~(mask - 1)));
  return `${ipaddr.fromByteArray(range).toString()}/${at * 8 + bit + 1}`;
}
