import { AddressRules } from './address-rules.js';

const development = new AddressRules({ allow: [], connections: 'private', production: false });
const production = new AddressRules({ allow: [], connections: 'private', production: true });
const open = new AddressRules({
  allow: ['10.1.0.0/16', 'fd12::/16', '0.0.0.0/0', '::/0'],
  connections: 'public',
  production: true,
});

const METADATA = [
  '169.254.169.254',
  '169.254.0.1',
  'fe80::1',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::253',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '::ffff:169.254.169.254',
  '::ffff:168.63.129.16',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a83f:8110',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  '2001:0:102:304:0:0:5601:5601',
  '::ffff:0:a9fe:a9fe',
  '::a83f:8110',
];
const INTERNAL = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1'];
const NOWHERE = [
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '192.0.2.1',
  '::',
  'ff02::1',
  '::a00:1',
  'fec0::1',
];
const TRANSLATED = [
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '2002:a00:1::',
  '2001:0:a00:1::',
  '::ffff:0:a00:1',
  '2001:db8::1',
];

describe('Address rules', () => {
  it.each([...METADATA, ...INTERNAL, ...NOWHERE, ...TRANSLATED, '127.0.0.1', '::1', 'localhost'])(
    'refuse %s to users',
    (address) => {
      expect(development.findRefusal(address, 'user')).toEqual(expect.any(String));
    },
  );

  it.each(['1.1.1.1', '140.82.112.3', '2606:4700::1111', '::ffff:1.1.1.1'])(
    'let %s through for everybody',
    (address) => {
      expect(production.findRefusal(address, 'user')).toBeUndefined();
      expect(production.findRefusal(address, 'connection')).toBeUndefined();
    },
  );

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])(
    'let webhooks and connections reach %s outside production, unless addresses are to be public',
    (address) => {
      const isPublic = new AddressRules({ allow: [], connections: 'public', production: false });
      for (const policy of ['webhook', 'connection'] as const) {
        expect(development.findRefusal(address, policy)).toBeUndefined();
        for (const rules of [production, isPublic])
          expect(rules.findRefusal(address, policy)).toBe('is not a public address (loopback)');
      }
    },
  );

  it.each([...METADATA, ...INTERNAL, ...NOWHERE, ...TRANSLATED])('refuse %s to webhooks', (address) => {
    expect(development.findRefusal(address, 'webhook')).toEqual(expect.any(String));
  });

  it.each(INTERNAL)('let a connection reach %s', (address) => {
    expect(production.findRefusal(address, 'connection')).toBeUndefined();
  });

  it('let a connection reach loopback outside production only', () => {
    expect(development.findRefusal('127.0.0.1', 'connection')).toBeUndefined();
    expect(development.findRefusal('::1', 'connection')).toBeUndefined();
    expect(production.findRefusal('127.0.0.1', 'connection')).toMatch(/loopback/);
  });

  it.each([...METADATA, ...NOWHERE, ...TRANSLATED])('refuse %s to connections', (address) => {
    expect(development.findRefusal(address, 'connection')).toEqual(expect.any(String));
  });

  it('keep connections to public addresses when so set', () => {
    const rules = new AddressRules({ allow: [], connections: 'public', production: false });
    expect(rules.findRefusal('10.0.0.1', 'connection')).toMatch(/private/);
  });

  it('make exceptions for the CIDRs of the operator, but never for metadata', () => {
    expect(open.findRefusal('10.1.2.3', 'user')).toBeUndefined();
    expect(open.findRefusal('::ffff:10.1.2.3', 'user')).toBeUndefined();
    expect(open.findRefusal('fd12::1', 'user')).toBeUndefined();
    for (const address of METADATA) expect(open.findRefusal(address, 'user')).toMatch(/metadata/);
  });

  it('do not start with a CIDR that cannot be read', () => {
    expect(() => new AddressRules({ allow: ['10.0.0.0/33'], connections: 'private', production: true })).toThrow();
  });
});
