import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from '../../../test/support/certificates.js';
import { ProcessLog } from '../telemetry/process-log.js';
import { DatabaseRefused, waitForDatabase } from './wait-for-database.js';

/** A message of PostgreSQL's wire protocol. */
function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int = (value: number, bytes: 2 | 4): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};
const SSL_REQUEST = 80_877_103;
/** Type ids (OIDs) of columns that are not text. */
const TYPES: Record<string, number> = { major: 23, read_only: 16 };
const READY = message('Z', 'I');
const WELCOME = Buffer.concat([message('R', int(0, 4)), READY]);

function row(values: Record<string, string>): Buffer {
  const names = Object.keys(values);
  const columns = names.map((name) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(4 + 2), int(TYPES[name] ?? 25, 4), Buffer.alloc(2 + 4 + 2)])); // prettier-ignore
  const cells = Object.values(values).map((value) => Buffer.concat([int(value.length, 4), Buffer.from(value)]));
  return Buffer.concat([
    message('T', int(names.length, 2), ...columns),
    message('D', int(names.length, 2), ...cells),
    message('C', 'SELECT 1\0'),
    READY,
  ]);
}

type Facts = Record<'version' | 'major' | 'read_only', string>;
const SOUND: Facts = { version: '18.1', major: '18', read_only: 'f' };

/** A server that reports these facts, one per connection; the last for all further connections. */
async function serve(facts: Facts[], cert?: string): Promise<Server> {
  const answer = (socket: Socket): void => {
    let isWelcome = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (data.length === 8 && data.readInt32BE(4) === SSL_REQUEST) {
        socket.write(cert ? 'S' : 'N');
        socket.removeAllListeners('data');
        if (cert) answer(new TLSSocket(socket, { isServer: true, cert, key: CERTIFIED_KEY }));
      } else if (!isWelcome) isWelcome = socket.write(WELCOME);
      else socket.write(row((facts.length > 1 ? facts.shift() : facts[0]) ?? SOUND));
    });
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('Waiting for the database', () => {
  const lines: string[] = [];
  const log = Object.assign(new ProcessLog(false), { warn: (text: string) => void lines.push(text) });
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'authority-'));
  const authority = path.join(folder, 'ca.pem');
  let server: Server;
  beforeAll(() => fs.writeFileSync(authority, AUTHORITY));
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  beforeEach(() => (lines.length = 0));
  afterEach(() => server.close());

  const wait = (query = '') =>
    waitForDatabase(`postgres://someone:hunter2@localhost:${(server.address() as AddressInfo).port}/db${query}`, log);

  it('refuses a server that is too old', async () => {
    server = await serve([{ version: '14.20', major: '14', read_only: 'f' }]);
    const refused = wait();
    await expect(refused).rejects.toThrow(DatabaseRefused);
    await expect(refused).rejects.toThrow('The database is PostgreSQL 14.20. Use PostgreSQL 15 or later.');
  });

  it('goes on while the server is read-only, and names that with what to do', async () => {
    server = await serve([{ ...SOUND, read_only: 't' }, SOUND]);
    await wait();
    expect(lines).toEqual([
      expect.stringMatching(
        /^Waiting for .*: it is read-only\. Promote it, or name the primary in DATABASE_URL\. The next/,
      ),
    ]);
  });

  it.each([
    ['good', 'verify-full', /^$/],
    ['otherName', 'verify-full', /Use the name in DATABASE_URL that the certificate of the database is for/],
    ['expired', 'verify-full', /certificate has expired. Renew the certificate of the database/],
  ] as const)('verifies the certificate of the server: %s', async (cert, mode, message) => {
    server = await serve([SOUND], CERTIFICATES[cert]);
    const said = await wait(`?sslmode=${mode}&sslrootcert=${authority}`).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(said).toMatch(message);
    expect(said).not.toContain('hunter');
    expect(lines).toEqual([]);
  });

  it('names what is missing where the authority is unknown, and where the server has no TLS', async () => {
    server = await serve([SOUND], CERTIFICATES.good);
    await expect(wait('?sslmode=verify-full')).rejects.toThrow('Specify the CA of its certificate: sslrootcert=');
    server.close();
    server = await serve([SOUND]);
    await expect(wait('?sslmode=verify-full')).rejects.toThrow(
      'Enable TLS on the server, or disable it in DATABASE_URL',
    );
  });
});
