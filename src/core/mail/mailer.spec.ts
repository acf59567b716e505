import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { Env } from '../config/env.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { isRefusedForGood, Mailer, MailNotSent } from './mailer.js';

const metrics = new Metrics();
const sockets = new Set<Socket>();
const servers: Server[] = [];
let mailer: Mailer | undefined;

afterEach(() => {
  void mailer?.onApplicationShutdown();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** Sends a mail to a server that handles connections like this. @returns the error */
async function send(serve: (socket: Socket) => void, deadlineMs = 800, account = '', query = ''): Promise<unknown> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = Env.parse({ SMTP_URL: `smtp://${account}127.0.0.1:${port}${query}`, MAIL_FROM: 'armature@example.org' });
  mailer = new Mailer(env, metrics);
  mailer.deadlineMs = deadlineMs;
  return mailer.send({ to: 'a@example.org', subject: 'a', text: 'b' }).then(
    () => 'sent',
    (error: unknown) => error,
  );
}

/** Responds to each command with the next line. */
const talk =
  (...answers: string[]) =>
  (socket: Socket): void => {
    socket.write('220 ready\r\n');
    socket.on('data', () => void socket.write(answers.shift() ?? ''));
  };

/** Accepts a mail and closes the connection without a response. */
function takeAndHangUp(socket: Socket): void {
  talk('250 hello\r\n', '250 ok\r\n', '250 ok\r\n', '354 go\r\n')(socket);
  socket.on('data', (data) => void (data.toString().endsWith('\r\n.\r\n') && socket.destroy()));
}

/** Writes an endless line. */
function pour(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

const closed = async (): Promise<void> => {
  for (const socket of sockets) if (!socket.destroyed && !socket.readableEnded) await once(socket.resume(), 'end');
};

describe('a mail', () => {
  it('is given up at its deadline when the server says nothing, or talks without end', async () => {
    const began = performance.now();
    for (const serve of [
      () => undefined,
      talk('250 hello\r\n'),
      (socket: Socket) => void setInterval(() => socket.destroyed || socket.write('220-and\r\n'), 50).unref(),
    ]) {
      const failure = await send(serve);
      expect(failure).toBeInstanceOf(Error);
      expect(isRefusedForGood(failure)).toBe(false);
      await closed();
    }
    expect(performance.now() - began).toBeGreaterThan(2_000);
  }, 20_000);

  it.each([
    ['away', (socket: Socket) => void socket.destroy()],
    ['lost in the middle', (socket: Socket) => talk('250 hello\r\n')(socket.once('data', () => socket.end()))],
    ['closed for now', talk('421 later\r\n')],
    ['full for now', talk('250 hello\r\n', '250 ok\r\n', '452 full\r\n')],
    ['not for us', talk('554 no\r\n', '554 no\r\n')],
    ['not open to our address', talk('250 hello\r\n', '550 no\r\n')],
    ['unsure of its reader', talk('250 hello\r\n', '250 ok\r\n', '450 later\r\n')],
    ['lost after the content', (socket: Socket) => takeAndHangUp(socket)],
    ['not able to speak TLS', talk('250-hello\r\n250 STARTTLS\r\n', '220 go\r\n', 'no TLS\r\n')],
    ['talking in one endless line', (socket: Socket) => pour(socket)],
  ])('is tried again when the server is %s', async (_, serve) => {
    const failure = await send(serve, 5_000);
    expect(failure).toBeInstanceOf(Error);
    expect(isRefusedForGood(failure)).toBe(false);
  });

  it('may be looked through for ten minutes before it is taken', async () => {
    const limits = jest.spyOn(Socket.prototype, 'setTimeout');
    const taken = talk('250 hello\r\n', '250 ok\r\n', '250 ok\r\n', '354 go\r\n', '250 taken\r\n');
    expect(await send(taken, 5_000)).toBe('sent');
    const longest = Math.max(...limits.mock.calls.map(([ms]) => ms));
    limits.mockRestore();
    expect([longest, new Mailer(Env.parse({}), metrics).deadlineMs]).toEqual([600_000, 600_000]);
  });

  it('does not show the password of the mail server when that refuses it', async () => {
    const rejects = talk('250-hello\r\n250 AUTH PLAIN\r\n', '535 no\r\n');
    const failure = await send(rejects, 5_000, 'armature:correct-horse@', '?requireTLS=false');
    expect(String(failure)).toContain('535 no');
    expect(isRefusedForGood(failure)).toBe(false);
    const shown = `${(failure as Error).stack} ${JSON.stringify(failure)}`;
    expect(shown).not.toContain('correct-horse');
    expect(shown).not.toContain(Buffer.from('\0armature\0correct-horse').toString('base64'));
  });

  it.each(['', '?requireTLS=true', '?ignoreTLS=true', '?opportunisticTLS=true'])(
    'is not sent, and neither is the password, where no TLS is offered: %s',
    async (query) => {
      const heard: string[] = [];
      const offersNone = (socket: Socket): void => {
        talk('250-hello\r\n250 AUTH PLAIN\r\n', '502 no\r\n', '502 no\r\n')(socket);
        socket.on('data', (data) => void heard.push(data.toString().slice(0, 8)));
      };
      const failure = await send(offersNone, 5_000, 'armature:correct-horse@', query);
      expect(String(failure)).toContain('a password is sent only with TLS');
      expect(isRefusedForGood(failure)).toBe(false);
      expect(heard.filter((line) => !/^(EHLO|STARTTLS|QUIT)/.test(line))).toEqual([]);
    },
  );

  it('is sent without TLS where no password goes along', async () => {
    expect(await send(talk('250 hello\r\n', '250 ok\r\n', '250 ok\r\n', '354 go\r\n', '250 taken\r\n'), 5_000)).toBe(
      'sent',
    );
  });

  it('fails for a reason without other addresses, line breaks or what concerns the server alone', async () => {
    const reasonOf = async (...lines: string[]) => {
      const failure = await send(talk('250 hello\r\n', '250 ok\r\n', ...lines), 5_000);
      return failure instanceof MailNotSent ? [failure.reason, failure.message] : failure;
    };
    const [reason, message] = (await reasonOf(
      '550-5.1.1 <A@example.org>: unknown, did you mean\r\n550 5.1.1 "b"@example.org,c@example.org=d@example.org?\r\n',
    )) as [string, string];
    expect(reason).toContain('550-5.1.1 <A@example.org>: unknown');
    expect(`${reason} ${message}`).not.toMatch(/[bcd"]@|[\r\n]/);
    expect(await reasonOf(`550 ${'x'.repeat(100_000)}\r\n`)).toEqual([
      expect.stringMatching(/^.{300}$/),
      expect.any(String),
    ]);
    const away = await send((socket) => void socket.destroy(), 5_000);
    expect(away).toMatchObject({ reason: 'the mail server is not available', code: 'MAIL_NOT_SENT' });
  });

  it('is counted by its outcome', async () => {
    const counted = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        (await metrics.mails.get()).values.map(({ labels, value }) => [String(labels['outcome']), value]),
      );
    metrics.mails.reset();
    await send(talk('250 hello\r\n', '250 ok\r\n', '250 ok\r\n', '354 go\r\n', '250 taken\r\n'), 5_000);
    await send(talk('250 hello\r\n', '250 ok\r\n', '450 later\r\n'), 5_000);
    await send(talk('250 hello\r\n', '250 ok\r\n', '550 nobody\r\n'), 5_000);
    expect(await counted()).toEqual({ sent: 1, failed: 1, refused: 1 });
  });

  it('is refused for good when its reader or its content is', async () => {
    const reader = await send(talk('250 hello\r\n', '250 ok\r\n', '550 nobody\r\n'), 5_000);
    expect(isRefusedForGood(reader)).toBe(true);
    const content = await send(talk('250 hello\r\n', '250 ok\r\n', '250 ok\r\n', '354 go\r\n', '554 no\r\n'), 5_000);
    expect(isRefusedForGood(content)).toBe(true);
  });
});
