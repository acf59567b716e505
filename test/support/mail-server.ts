import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** How the mail server rejects an email: with a response, by closing the connection, or by no response until `hangUp`. */
export type Refusal = { code: number; message?: string } | 'hang up' | 'hang';

/** A mail server on loopback that keeps the emails that it receives. */
export class MailServer {
  /** Decides whether an email is rejected; accepts all emails by default. */
  refuse: (to: string, raw: string) => Refusal | undefined = () => undefined;
  /** All emails that were sent to the server, accepted or rejected. */
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
        if (refusal === 'hang') return;
        if (refusal)
          return done(Object.assign(new Error(refusal.message ?? 'refused'), { responseCode: refusal.code }));
        this.received.push({ to, text: raw.replace(/=\r\n/g, '').replace(/=3D/g, '=') });
        done();
      };
      // An email whose connection closes before its end does not count.
      text(stream).then(take, done);
    },
  });

  /** Starts to listen. @returns the settings that make a server send its mail here */
  async start(): Promise<Record<string, string>> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.server.server.address() as AddressInfo;
    return { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Armature <armature@example.org>' };
  }

  /** Waits for an email to the address that matches. @returns the first group of the pattern, otherwise the whole text */
  async to(email: string, pattern: RegExp): Promise<string> {
    for (let i = 0; i < 100; i++) {
      const found = this.received.find((each) => each.to === email && pattern.test(each.text));
      if (found) return pattern.exec(found.text)?.[1] ?? found.text;
      await sleep(50);
    }
    throw new Error(`no email to ${email} that matches ${String(pattern)}`);
  }

  all(email: string): string[] {
    return this.received.filter(({ to }) => to === email).map((mail) => mail.text);
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  /** Closes all connections. */
  hangUp(): void {
    const { connections } = this.server as unknown as { connections: Set<{ _socket: { destroy(): void } }> };
    for (const connection of connections) connection._socket.destroy();
  }
}
