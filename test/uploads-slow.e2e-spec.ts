import { once } from 'node:events';
import net from 'node:net';
import type { Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const MB = 1024 * 1024;
const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { text: "';
const partHead =
  '--limit\r\nContent-Disposition: form-data; name="file"; filename="a.yaml"\r\nContent-Type: text/yaml\r\n\r\n';

/** Announces an upload of more than 51 MB, and sends its beginning once it is asked to; resolves with the first line of the answer. */
async function uploadSlowly({ token }: Person): Promise<{ socket: net.Socket; answer: string }> {
  const { hostname, port } = new URL(world.baseUrl);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/pattern/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\n` +
      `Content-Type: multipart/form-data; boundary=limit\r\nContent-Length: 53687100\r\n\r\n`,
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.write(partHead + manifest + 'x'.repeat(1_000));
  return { socket, answer: data.toString().split('\r\n')[0] ?? '' };
}

it('uploads that announce much and send little leave the room to those that send', async () => {
  const people = [world.admin, ...(await Promise.all(Array.from({ length: 4 }, () => world.person('member'))))];
  const slow = await Promise.all(people.flatMap((person) => Array.from({ length: 5 }, () => uploadSlowly(person))));
  try {
    expect(new Set(slow.map(({ answer }) => answer))).toEqual(new Set(['HTTP/1.1 100 Continue']));
    for (const person of [await world.person('member'), world.admin]) {
      const { status } = await person.upload(
        '/api/pattern/import',
        'b.yaml',
        `${manifest}${'y'.repeat(1.5 * MB)}" }\n`,
      );
      expect(status).toBe(201);
    }
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});
