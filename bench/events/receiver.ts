import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** An endpoint outside that verifies every signature and handles each `webhook-id` once. */
export interface VerifyingReceiver {
  url: string;
  setSecret: (secret: string) => void;
  /** Numbers of the events in the order in which they were handled, by the record that they are about. */
  bySubject: Map<string, number[]>;
  delays: number[];
  /** Deliveries of an id that was handled before, such as of an answer that a killed process did not read. */
  repeated: () => number;
  /** Deliveries whose signature does not hold. */
  refused: () => number;
  stop: () => Promise<void>;
}

export async function startReceiver(): Promise<VerifyingReceiver> {
  let verifier: Webhook | undefined;
  const handled = new Set<string>();
  const bySubject = new Map<string, number[]>();
  const delays: number[] = [];
  const counts = { repeated: 0, refused: 0 };
  const handle = (id: string, headers: IncomingHttpHeaders, body: string): number => {
    let event: { timestamp: string; data: { sequence: string; acted_upon: string } };
    try {
      event = verifier?.verify(body, headers as Record<string, string>) as typeof event;
    } catch {
      counts.refused++;
      return 400;
    }
    if (handled.has(id)) {
      counts.repeated++;
      return 204;
    }
    handled.add(id);
    const { sequence, acted_upon } = event.data;
    bySubject.set(acted_upon, [...(bySubject.get(acted_upon) ?? []), Number(sequence)]);
    delays.push(Date.now() - Date.parse(event.timestamp));
    return 204;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = handle(String(request.headers['webhook-id']), request.headers, Buffer.concat(chunks).toString());
      response.writeHead(status).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    setSecret: (secret) => (verifier = new Webhook(secret)),
    bySubject,
    delays,
    repeated: () => counts.repeated,
    refused: () => counts.refused,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
