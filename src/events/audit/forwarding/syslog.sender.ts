import { Buffer } from 'node:buffer';
import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { AuditEntry } from '../audit.entity.js';
import type { AuditSender } from './audit-sender.js';
import type { ForwardTarget } from './forward-target.js';
import { toSyslogMessage } from './syslog-message.js';

type SyslogTarget = Extract<ForwardTarget, { kind: 'syslog' }>;

const TIMEOUT_MS = 10_000;
/** Syslog has no acknowledgement: messages count as delivered if the connection stays open this long after the last byte. */
const SETTLE_MS = 250;
const MAX_DATAGRAM_BYTES = 8_192;

/** Syslog over TCP or TLS with octet counting (RFC 6587, RFC 5425). */
export class SyslogStreamSender implements AuditSender {
  private socket?: net.Socket;

  constructor(private readonly target: SyslogTarget) {}

  async send(entries: AuditEntry[], signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const socket = await this.connect(deadline);
    const messages = entries.map((entry) => toSyslogMessage(entry));
    const bytes = Buffer.concat(messages.flatMap((message) => [Buffer.from(`${message.length} `), message]));
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (): void => reject(new Error('the collector did not take the messages in time'));
        deadline.addEventListener('abort', fail, { once: true });
        socket.once('close', () => reject(new Error('the collector closed the connection')));
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
      await sleep(SETTLE_MS, undefined, { ref: false });
      if (socket.destroyed || socket.readableEnded) throw new Error('the collector closed the connection');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  private async connect(signal: AbortSignal): Promise<net.Socket> {
    if (this.socket && !this.socket.destroyed && !this.socket.readableEnded) return this.socket;
    this.close();
    const { host, port, transport } = this.target;
    const socket = transport === 'tls' ? connectTls(host, port) : net.connect({ host, port });
    this.socket = socket;
    socket.on('error', () => undefined);
    // Discards data from the collector, so that it does not fill the memory.
    socket.resume();
    socket.unref();
    try {
      await once(socket, transport === 'tls' ? 'secureConnect' : 'connect', { signal });
    } catch (error) {
      this.close();
      throw error;
    }
    return socket;
  }
}

/** SNI allows names only, no IP addresses; certificates are verified for both. */
const connectTls = (host: string, port: number): net.Socket =>
  tls.connect({ host, port, ...(net.isIP(host) ? {} : { servername: host }) });

/** Syslog over UDP (RFC 5426): delivery is not confirmed. */
export class SyslogDatagramSender implements AuditSender {
  private socket?: dgram.Socket;

  constructor(private readonly target: SyslogTarget) {}

  async send(entries: AuditEntry[], signal: AbortSignal): Promise<void> {
    const { host, port } = this.target;
    for (const entry of entries) {
      signal.throwIfAborted();
      const message = toSyslogMessage(entry, MAX_DATAGRAM_BYTES);
      await new Promise<void>((resolve, reject) =>
        this.open().send(message, port, host, (error) => (error ? reject(error) : resolve())),
      );
    }
  }

  close(): void {
    this.socket?.close();
    this.socket = undefined;
  }

  private open(): dgram.Socket {
    if (this.socket) return this.socket;
    this.socket = dgram.createSocket(net.isIPv6(this.target.host) ? 'udp6' : 'udp4').unref();
    this.socket.on('error', () => this.close());
    return this.socket;
  }
}
