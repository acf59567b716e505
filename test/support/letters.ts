import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** What the mail server does with a letter in place of taking it. */
export type Refusal = { code: number } | 'hang up';

/** A mail server on loopback, and what it was sent. */
export class Letters {
  /** Asked for each letter; it is taken unless this says otherwise. */
  refuse: (to: string, raw: string) => Refusal | undefined = () => undefined;
  /** All letters that came, taken or not. */
  readonly attempts: { to: string; raw: string }[] = [];
  private readonly received: { to: string; text: string }[] = [];
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const take = (raw: string): void => {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        this.attempts.push({ to, raw });
        const refusal = this.refuse(to, raw);
        if (refusal === 'hang up') return this.hangUp();
        if (refusal) return done(Object.assign(new Error('refused'), { responseCode: refusal.code }));
        this.received.push({ to, text: raw.replace(/=\r\n/g, '').replace(/=3D/g, '=') });
        done();
      };
      // A letter that ends in the middle, with its connection, is none.
      text(stream).then(take, done);
    },
  });

  /** Listens, and answers the settings with which a world sends its mail here. */
  async start(): Promise<Record<string, string>> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.server.server.address() as AddressInfo;
    return { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Armature <armature@example.org>' };
  }

  /** The text of the first letter to an address that matches, once it is there. */
  async to(email: string, pattern: RegExp): Promise<string> {
    for (let i = 0; i < 100; i++) {
      const letter = this.received.find((each) => each.to === email && pattern.test(each.text));
      if (letter) return pattern.exec(letter.text)?.[1] ?? letter.text;
      await sleep(50);
    }
    throw new Error(`no letter to ${email} that matches ${String(pattern)}`);
  }

  all(email: string): string[] {
    return this.received.filter(({ to }) => to === email).map((letter) => letter.text);
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private hangUp(): void {
    const { connections } = this.server as unknown as { connections: Set<{ _socket: { destroy(): void } }> };
    for (const connection of connections) connection._socket.destroy();
  }
}
